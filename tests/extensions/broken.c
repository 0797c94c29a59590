/* Libraries that are wrong in one way each, chosen by a definition; one that is right and behaves badly: MISBEHAVES. */
#include <muster/extension.h>

#ifndef NO_SYMBOL

static const muster_host* host;

static muster_status initialise(const muster_host* given, const muster_arguments* arguments, void** self, muster_text* why) {
  (void)arguments;
  host = given;
  *self = NULL;
#ifdef DOES_NOT_START
  *why = muster_text_of("out of licences");
  return MUSTER_REFUSED;
#else
  (void)why;
  return MUSTER_OK;
#endif
}
static void close(void* self) { (void)self; }

/* Asks about things that do not exist, and does what it must not. */
static muster_status execute(void* self, muster_session* session, muster_text* why) {
  const muster_pod no_pod = {MUSTER_NOTHING};
  const muster_pod wrong_pod = {12345};
  const muster_group no_group = {MUSTER_NOTHING};
  const muster_node wrong_node = {12345};
  const muster_queue wrong_queue = {12345};
  muster_group group = {0};
  muster_pod pods[64];
  muster_node node;
  bool later;
  muster_statement* statement = host->statement(session);
  muster_statement* done = host->statement(session);
  size_t wrong = 0;
  (void)self;
  wrong += host->pod_name(session, no_pod).length != 0;
  wrong += host->pod_state(session, wrong_pod) != MUSTER_UNKNOWN;
  wrong += host->node_name(session, wrong_node).length != 0;
  wrong += host->queue_weight(session, wrong_queue) != 0;
  wrong += host->group_pods(session, no_group, pods, 64) != 0;
  wrong += host->allocate(statement, wrong_pod, wrong_node) != MUSTER_INVALID;
  wrong += host->evict(statement, no_pod, no_group) != MUSTER_INVALID;
  wrong += host->best_node(session, no_pod, &node, &later, NULL) != MUSTER_INVALID;
  wrong += host->allocate(NULL, wrong_pod, wrong_node) != MUSTER_INVALID;
  wrong += host->commit(done) != MUSTER_OK;
  wrong += host->commit(done) != MUSTER_INVALID;
  wrong += host->pod_request(session, wrong_pod, muster_text_of("cpu")) != 0;
  /* Places a pod, and leaves the statement open. */
  if (host->groups(session, &group, 1) != 0 && host->group_pods(session, group, pods, 64) != 0 &&
      host->best_node(session, pods[0], &node, &later, NULL) == MUSTER_OK) {
    wrong += host->allocate(statement, pods[0], node) != MUSTER_OK;
    wrong += host->allocate(statement, pods[0], node) != MUSTER_INVALID;
  }
  *why = muster_text_of(wrong == 0 ? "as planned" : "the host answered wrongly");
  return MUSTER_REFUSED;
}

static muster_fit predicate(void* self, muster_session* session, muster_pod pod, muster_node node, muster_text* why) {
  (void)self;
  /* Plugins only answer: they may not act, and asking themselves would never end. */
  return host->statement(session) == NULL && host->check(session, pod, node, why) == MUSTER_NEVER ? MUSTER_FITS : MUSTER_NEVER;
}
static void score(void* self, muster_session* session, muster_pod pod, const muster_node* nodes, size_t count, double* scores) {
  size_t i;
  (void)self, (void)session, (void)pod, (void)nodes;
  for (i = 0; i < count; ++i) scores[i] = i % 2 == 0 ? 0.0 / 0.0 : 1e308 * 10;
}
static double group_rank(void* self, muster_session* session, muster_group group) {
  (void)self, (void)session, (void)group;
  return 0.0 / 0.0;
}
static muster_status on_allocate(void* self, muster_session* session, muster_pod pod) {
  (void)self, (void)session, (void)pod;
  return MUSTER_OK;
}

const muster_extension_table* muster_extension(void) {
  static muster_plugin plugin;
  static muster_action action;
  static muster_extension_table table;
  plugin.size = sizeof plugin;
  plugin.predicate = predicate;
  plugin.score = score;
  plugin.group_rank = group_rank;
  action.size = sizeof action;
  action.execute = execute;
  table.size = sizeof table;
  table.version = MUSTER_EXTENSION_VERSION;
  table.name = muster_text_of("broken");
  table.meaning = muster_text_of("for tests");
  table.plugin = &plugin;
  table.action = &action;
  table.initialise = initialise;
  table.close = close;
  (void)on_allocate;
#if defined(NO_TABLE)
  return NULL;
#elif defined(WRONG_VERSION)
  table.version = MUSTER_EXTENSION_VERSION + 1;
#elif defined(SMALL_TABLE)
  plugin.size = 16;
#elif defined(NO_NAME)
  table.name.length = 0;
#elif defined(ODD_NAME)
  table.name = muster_text_of("Not A Name");
#elif defined(BUILT_IN_NAME)
  table.name = muster_text_of("gang");
#elif defined(TAKEN_NAME)
  table.name = muster_text_of("maintenance");
#elif defined(NO_KIND)
  table.plugin = NULL;
  table.action = NULL;
#elif defined(NO_EXECUTE)
  action.execute = NULL;
#elif defined(NO_INITIALISE)
  table.initialise = NULL;
#elif defined(NO_FUNCTIONS)
  memset(&plugin, 0, sizeof plugin);
  plugin.size = sizeof plugin;
#elif defined(HALF_EVENTS)
  plugin.on_allocate = on_allocate;
#endif
  return &table;
}

#else
int muster_nothing(void) { return 0; }
#endif
