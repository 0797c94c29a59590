/*
 * A plugin of one's own, in C: keeps pods off nodes that are in maintenance, prefers nodes that are not about to be, serves urgent
 * groups first, and protects pods that must not be interrupted.
 *
 *   - name: maintenance
 *     arguments:
 *       label: example.com/maintenance   # of nodes: "now" or "soon"
 *       weight: 10                       # what a node scores that has no maintenance ahead
 */
#include <muster/extension.h>
#include <stdlib.h>

static const muster_host* host;

typedef struct settings {
  char* label;
  double weight;
} settings;

static muster_text label_of(const settings* self, muster_session* session, muster_node node) {
  return host->node_label(session, node, muster_text_of(self->label));
}

static muster_fit predicate(void* self, muster_session* session, muster_pod pod, muster_node node, muster_text* why) {
  (void)pod;
  if (!muster_text_is(label_of(self, session, node), "now")) return MUSTER_FITS;
  *why = muster_text_of("node(s) are in maintenance");
  return MUSTER_NEVER;
}

static void score(void* self, muster_session* session, muster_pod pod, const muster_node* nodes, size_t count, double* scores) {
  const settings* mine = self;
  size_t i;
  (void)pod;
  for (i = 0; i < count; ++i) scores[i] = muster_text_is(label_of(mine, session, nodes[i]), "soon") ? 0 : mine->weight;
}

/* Both answers rest on a label of the node alone, so muster may remember them until the node changes. */
static muster_dependence dependence(void* self, muster_session* session, muster_pod pod) {
  (void)self, (void)session, (void)pod;
  return MUSTER_DEPENDS_ON_NODE;
}

static double group_rank(void* self, muster_session* session, muster_group group) {
  (void)self;
  return muster_text_is(host->group_label(session, group, muster_text_of("example.com/urgent")), "true") ? 0 : 1;
}

static muster_vote victims(void* self, muster_session* session, muster_pod pod, const muster_pod* candidates, size_t count,
                           bool* gives_up) {
  size_t i;
  (void)self, (void)pod;
  for (i = 0; i < count; ++i)
    gives_up[i] = !muster_text_is(host->pod_label(session, candidates[i], muster_text_of("example.com/keep")), "true");
  return MUSTER_PERMIT;
}

static muster_status initialise(const muster_host* given, const muster_arguments* arguments, void** self, muster_text* why) {
  static const char kLabel[] = "example.com/maintenance";
  const muster_argument* label = muster_argument_of(arguments, "label");
  const muster_argument* weight = muster_argument_of(arguments, "weight");
  muster_text name = {kLabel, sizeof kLabel - 1};
  settings* mine;
  if (label != NULL) {
    if (label->kind != MUSTER_ARGUMENT_TEXT || label->text.length == 0) {
      *why = muster_text_of("\"label\" must be the name of a label");
      return MUSTER_REFUSED;
    }
    name = label->text;
  }
  if (weight != NULL && weight->kind != MUSTER_ARGUMENT_INTEGER && weight->kind != MUSTER_ARGUMENT_NUMBER) {
    *why = muster_text_of("\"weight\" must be a number");
    return MUSTER_REFUSED;
  }
  mine = malloc(sizeof *mine);
  if (mine == NULL) return MUSTER_REFUSED;
  mine->label = malloc(name.length + 1);
  if (mine->label == NULL) {
    free(mine);
    return MUSTER_REFUSED;
  }
  memcpy(mine->label, name.data, name.length);
  mine->label[name.length] = '\0';
  mine->weight = weight == NULL ? 10 : weight->number;
  host = given;
  *self = mine;
  return MUSTER_OK;
}

static void close(void* self) {
  free(((settings*)self)->label);
  free(self);
}

static const muster_plugin kPlugin = {
    .size = sizeof(muster_plugin),
    .flags = MUSTER_PROTECTS_PODS,
    .group_rank = group_rank,
    .predicate = predicate,
    .predicate_dependence = dependence,
    .score = score,
    .score_dependence = dependence,
    .preemptable = victims,
    .reclaimable = victims,
};

const muster_extension_table* muster_extension(void) {
  static muster_extension_table table;
  table.size = sizeof table;
  table.version = MUSTER_EXTENSION_VERSION;
  table.name = muster_text_of("maintenance");
  table.meaning = muster_text_of("no pods to nodes in maintenance");
  table.plugin = &kPlugin;
  table.initialise = initialise;
  table.close = close;
  return &table;
}
