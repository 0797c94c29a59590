/*
 * Plugins and actions from outside: what a shared library and muster say to each other.
 *
 * A library exports one symbol, muster_extension(), which returns a table that stays valid as long as the library is loaded. A
 * configuration that names the extension makes an instance of it (initialise), every cycle asks the instance (the tables below),
 * and the end of that configuration closes it. docs/extending.md goes through it step by step; examples/plugins/ has one of each
 * kind.
 *
 * Rules for both sides
 * - Everything is called from one thread, one call at a time. Nothing may throw or jump out of a call.
 * - The same cluster must get the same answers: no clock, no randomness, no addresses. The time is host->now().
 * - Handles name things of one session and are good until its end. A handle that names nothing has the id MUSTER_NOTHING; functions
 *   that are given a wrong handle answer with zero, nothing or MUSTER_INVALID and do no harm.
 * - A text is a pointer and a length, in UTF-8, without a zero at its end. Texts from the host are good until the next call of the
 *   host; the host copies what it is given before it returns.
 * - Amounts are whole numbers: cpu in thousandths of a core, memory in bytes, pods as they are counted, everything else in
 *   thousandths.
 * - Every table begins with its size. A table may grow at its end without a new version: whoever reads it must not look beyond the
 *   size. What is missing at the end counts as NULL.
 */
#ifndef MUSTER_EXTENSION_H
#define MUSTER_EXTENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when something above or below changes its meaning or its place. */
#define MUSTER_EXTENSION_VERSION 1u
#define MUSTER_NOTHING UINT32_MAX

#if defined(__GNUC__)
#define MUSTER_EXPORT __attribute__((visibility("default")))
#else
#define MUSTER_EXPORT
#endif

/* ---------------------------------------------------------------------------------------------------------------- values */

typedef struct muster_text {
  const char* data;
  size_t length;
} muster_text;

typedef struct muster_pod {
  uint32_t id;
} muster_pod;
/* Pods that belong together: a job. */
typedef struct muster_group {
  uint32_t id;
} muster_group;
typedef struct muster_queue {
  uint32_t id;
} muster_queue;
typedef struct muster_node {
  uint32_t id;
} muster_node;

typedef enum muster_status {
  MUSTER_OK = 0,
  MUSTER_REFUSED = 1, /* rightly asked, and the answer is no; nothing has changed */
  MUSTER_INVALID = 2, /* wrongly asked: a handle that names nothing, a pod in another state; nothing has changed */
} muster_status;

typedef enum muster_vote {
  MUSTER_REJECT = -1,
  MUSTER_ABSTAIN = 0,
  MUSTER_PERMIT = 1,
} muster_vote;

typedef enum muster_fit {
  MUSTER_FITS = 0,
  MUSTER_NOT_NOW = 1, /* evicting pods from the node might help */
  MUSTER_NEVER = 2,   /* it would not */
} muster_fit;

/* On what an answer about a pod and a node rests, and so how long it may be remembered. */
typedef enum muster_dependence {
  MUSTER_DEPENDS_ON_ANYTHING = 0, /* asked anew for every pod: always right */
  MUSTER_DEPENDS_ON_NODE = 1, /* only on the pod's request, selectors, tolerations and class_key(), and on that one node's labels,
                                 taints, amounts and pods: remembered until the node changes, also over cycles */
  MUSTER_DEPENDS_ON_NOTHING = 2, /* this pod passes everywhere, or adds nothing anywhere: not asked */
} muster_dependence;

typedef enum muster_pod_state {
  MUSTER_PENDING = 0,   /* no node */
  MUSTER_ALLOCATED = 1, /* placed on free resources, not yet decided */
  MUSTER_PIPELINED = 2, /* placed on resources that others are about to free */
  MUSTER_BINDING = 3,   /* bind decided */
  MUSTER_BOUND = 4,     /* has a node, does not run yet */
  MUSTER_RUNNING = 5,
  MUSTER_RELEASING = 6, /* being deleted */
  MUSTER_SUCCEEDED = 7,
  MUSTER_FAILED = 8,
  MUSTER_UNKNOWN = 9,
} muster_pod_state;

typedef enum muster_node_amount {
  MUSTER_NODE_ALLOCATABLE = 0,
  MUSTER_NODE_IDLE = 1,
  MUSTER_NODE_USED = 2,
  MUSTER_NODE_RELEASING = 3, /* the part of what is used that is about to be freed */
  MUSTER_NODE_PROMISED = 4,  /* what pipelined pods wait for */
} muster_node_amount;

typedef enum muster_queue_amount {
  MUSTER_QUEUE_ALLOCATED = 0, /* held by its pods when the cycle opened */
  MUSTER_QUEUE_REQUESTED = 1, /* the same, and asked for by pending pods */
  MUSTER_QUEUE_DESERVED = 2,  /* as its object says, 0 when it says nothing; so are the next two */
  MUSTER_QUEUE_GUARANTEED = 3,
  MUSTER_QUEUE_LIMIT = 4,
} muster_queue_amount;

/* An argument of the configuration. Maps and lists are laid flat: limits.cpu, zones[0]. */
typedef enum muster_argument_kind {
  MUSTER_ARGUMENT_NULL = 0,
  MUSTER_ARGUMENT_BOOL = 1,
  MUSTER_ARGUMENT_INTEGER = 2,
  MUSTER_ARGUMENT_NUMBER = 3,
  MUSTER_ARGUMENT_TEXT = 4,
} muster_argument_kind;

typedef struct muster_argument {
  muster_text key;
  muster_argument_kind kind;
  muster_text text; /* of a text only */
  int64_t integer;  /* of an integer; of a bool 0 or 1 */
  double number;    /* of an integer or a number */
} muster_argument;

typedef struct muster_arguments {
  size_t size;
  size_t count;
  const muster_argument* items; /* in the order of the file */
} muster_arguments;

/* ------------------------------------------------------------------------------------------------------------------ host */

/* An open cycle. The pointer is valid during the call that was given it and no longer, also within one cycle: never keep it. */
typedef struct muster_session muster_session;
/* Placements and evictions that are decided together, or not at all. Valid until the action that opened it returns. */
typedef struct muster_statement muster_statement;

/*
 * What muster offers. Functions that list things fill `out` up to `room` and return how many there are; call them with no room to
 * learn how much is needed. The order is stable.
 */
typedef struct muster_host {
  size_t size;

  /* Seconds since 1970, the same during the whole cycle. */
  int64_t (*now)(muster_session*);
  /* A sentence for whoever runs muster; said once per cycle however often it is called. */
  void (*warn)(muster_session*, muster_text);

  size_t (*groups)(muster_session*, muster_group* out, size_t room);
  size_t (*queues)(muster_session*, muster_queue* out, size_t room);
  size_t (*nodes)(muster_session*, muster_node* out, size_t room);
  size_t (*group_pods)(muster_session*, muster_group, muster_pod* out, size_t room);
  size_t (*node_pods)(muster_session*, muster_node, muster_pod* out, size_t room);
  size_t (*resources)(muster_session*);                     /* how many resources anybody names */
  muster_text (*resource_name)(muster_session*, size_t at); /* "cpu", "nvidia.com/gpu" */

  muster_group (*find_group)(muster_session*, muster_text name); /* "namespace/name" */
  muster_queue (*find_queue)(muster_session*, muster_text name);
  muster_node (*find_node)(muster_session*, muster_text name);

  muster_text (*group_name)(muster_session*, muster_group); /* "namespace/name" */
  muster_queue (*group_queue)(muster_session*, muster_group);
  int32_t (*group_priority)(muster_session*, muster_group);
  int64_t (*group_minimum)(muster_session*, muster_group); /* pods that have to start together */
  int64_t (*group_created)(muster_session*, muster_group);
  bool (*group_admitted)(muster_session*, muster_group); /* let in, so that its pods may be placed */
  size_t (*group_count)(muster_session*, muster_group, muster_pod_state);
  int64_t (*group_held)(muster_session*, muster_group, muster_text resource);    /* by pods with a node */
  int64_t (*group_waiting)(muster_session*, muster_group, muster_text resource); /* for pending pods */
  muster_text (*group_label)(muster_session*, muster_group, muster_text key);    /* data is NULL when there is none */
  muster_text (*group_annotation)(muster_session*, muster_group, muster_text key);

  muster_text (*queue_name)(muster_session*, muster_queue);
  muster_queue (*queue_parent)(muster_session*, muster_queue);
  int32_t (*queue_weight)(muster_session*, muster_queue);
  int32_t (*queue_priority)(muster_session*, muster_queue);
  int64_t (*queue_amount)(muster_session*, muster_queue, muster_queue_amount, muster_text resource);

  muster_text (*node_name)(muster_session*, muster_node);
  muster_text (*node_label)(muster_session*, muster_node, muster_text key);
  bool (*node_schedulable)(muster_session*, muster_node);
  int64_t (*node_amount)(muster_session*, muster_node, muster_node_amount, muster_text resource);

  muster_text (*pod_name)(muster_session*, muster_pod); /* "namespace/name" */
  muster_text (*pod_uid)(muster_session*, muster_pod);
  muster_text (*pod_role)(muster_session*, muster_pod); /* its part in the group, empty when it has none */
  muster_group (*pod_group)(muster_session*, muster_pod);
  muster_node (*pod_node)(muster_session*, muster_pod); /* where it is, also only planned */
  muster_pod_state (*pod_state)(muster_session*, muster_pod);
  int32_t (*pod_priority)(muster_session*, muster_pod);
  int64_t (*pod_created)(muster_session*, muster_pod);
  int64_t (*pod_request)(muster_session*, muster_pod, muster_text resource);
  muster_text (*pod_label)(muster_session*, muster_pod, muster_text key);
  bool (*pod_gated)(muster_session*, muster_pod);     /* has scheduling gates: not to be placed */
  bool (*pod_evictable)(muster_session*, muster_pod); /* holds a node, and nothing on it forbids its eviction */

  /* ---- questions to all plugins of the configuration; for actions only: a plugin gets the answer no */
  bool (*group_valid)(muster_session*, muster_group);     /* enough pods exist */
  bool (*group_ready)(muster_session*, muster_group);     /* with what is placed now, the group may start */
  bool (*group_pipelined)(muster_session*, muster_group); /* the same with what is promised */
  bool (*queue_overused)(muster_session*, muster_queue);  /* the queue gets nothing more */
  bool (*queue_allows)(muster_session*, muster_queue, muster_pod);
  bool (*group_before)(muster_session*, muster_group, muster_group); /* strict orders: who is served first */
  bool (*queue_before)(muster_session*, muster_queue, muster_queue);
  bool (*pod_before)(muster_session*, muster_pod, muster_pod);
  /* Whether the pod may go to the node now; `why`, if given, gets the first reason against it. */
  muster_fit (*check)(muster_session*, muster_pod, muster_node, muster_text* why);
  /* The best node by all filters and scores. *later: it has room only when others have gone, so pipeline, do not allocate. */
  muster_status (*best_node)(muster_session*, muster_pod, muster_node* best, bool* later, muster_text* why);
  /* Whom of the candidates the plugins give up for the pod, within its queue, or out of other queues. `out` needs room for all. */
  size_t (*preemptable)(muster_session*, muster_pod, const muster_pod* candidates, size_t count, muster_pod* out);
  size_t (*reclaimable)(muster_session*, muster_pod, const muster_pod* candidates, size_t count, muster_pod* out);

  /* ---- statements; for actions. NULL outside of an action. What is left open when the action returns is discarded. */
  muster_statement* (*statement)(muster_session*);
  /* Each takes effect at once for whoever looks, and is refused when the node lacks the room or a plugin objects. */
  muster_status (*allocate)(muster_statement*, muster_pod, muster_node);
  muster_status (*pipeline)(muster_statement*, muster_pod, muster_node);
  /* `for_whom` may be nothing. Refused for pods that are not evictable and, in the behaviour `safe`, for those that a plugin
   * protects, whoever asks, and those of groups that this cycle has served. */
  muster_status (*evict)(muster_statement*, muster_pod, muster_group for_whom);
  /* Decides everything, or takes it back, last first. The statement is closed then. */
  muster_status (*commit)(muster_statement*);
  muster_status (*discard)(muster_statement*);
} muster_host;

/* ---------------------------------------------------------------------------------------------------------------- plugin */

#define MUSTER_PROTECTS_PODS 1u  /* whom preemptable/reclaimable do not give up, nobody may evict, whatever other plugins say */
#define MUSTER_UNDOES_CLEANLY 2u /* on_deallocate brings the plugin back to exactly where it was before on_allocate */

/*
 * What a plugin answers. NULL: it has nothing to say there. `self` is the instance.
 */
typedef struct muster_plugin {
  size_t size;
  uint32_t flags;

  void (*session_open)(void* self, muster_session*);
  void (*session_close)(void* self, muster_session*);

  /* Groups of smaller rank go first; equal ranks leave it to the next plugin. A rank may rest on that group alone. */
  double (*group_rank)(void* self, muster_session*, muster_group);
  /* Negative: the left one goes first; 0 leaves it to the next plugin. */
  int (*compare_pods)(void* self, muster_session*, muster_pod left, muster_pod right);
  int (*compare_queues)(void* self, muster_session*, muster_queue left, muster_queue right);

  bool (*group_valid)(void* self, muster_session*, muster_group);
  muster_vote (*group_admissible)(void* self, muster_session*, muster_group);

  /* Whether the pod may go to the node. A refusal sets *why, one of few texts: they are counted over nodes. */
  muster_fit (*predicate)(void* self, muster_session*, muster_pod, muster_node, muster_text* why);
  muster_dependence (*predicate_dependence)(void* self, muster_session*, muster_pod);
  /* Writes a score for each node, higher is better; what is not finite counts as 0. */
  void (*score)(void* self, muster_session*, muster_pod, const muster_node* nodes, size_t count, double* scores);
  muster_dependence (*score_dependence)(void* self, muster_session*, muster_pod);
  /* What MUSTER_DEPENDS_ON_NODE may rest on besides: pods that differ in it are told apart. */
  uint64_t (*class_key)(void* self, muster_session*, muster_pod);

  /* Sets gives_up[i] for every candidate that may go for the pod, which may be nothing when room is made for a whole group.
   * Abstaining counts as if the plugin were not there. */
  muster_vote (*preemptable)(void* self, muster_session*, muster_pod, const muster_pod* candidates, size_t count, bool* gives_up);
  muster_vote (*reclaimable)(void* self, muster_session*, muster_pod, const muster_pod* candidates, size_t count, bool* gives_up);

  /* A pod was placed or taken away, also while a statement is undone. Both or none. Anything but MUSTER_OK takes the placement
   * back; only backfill passes over it in the behaviour `exact`, as the original's does. */
  muster_status (*on_allocate)(void* self, muster_session*, muster_pod);
  void (*on_deallocate)(void* self, muster_session*, muster_pod);
} muster_plugin;

/* ---------------------------------------------------------------------------------------------------------------- action */

typedef struct muster_action {
  size_t size;
  /* Anything but MUSTER_OK is reported with *why; what was committed before stays. */
  muster_status (*execute)(void* self, muster_session*, muster_text* why);
} muster_action;

/* ------------------------------------------------------------------------------------------------------------- extension */

typedef struct muster_extension_table {
  size_t size;
  uint32_t version;            /* MUSTER_EXTENSION_VERSION */
  muster_text name;            /* what a configuration calls it: small letters, digits and hyphens */
  muster_text meaning;         /* what it does, in a line */
  const muster_plugin* plugin; /* either or both */
  const muster_action* action;

  /* Called once for each place where a configuration names it. *self is handed to every other call. Anything but MUSTER_OK refuses
   * the configuration with *why. The host's table and functions stay valid until close() returns; the arguments only during the
   * call. */
  muster_status (*initialise)(const muster_host*, const muster_arguments*, void** self, muster_text* why);
  void (*close)(void* self);
} muster_extension_table;

/* The one symbol that a library exports. */
MUSTER_EXPORT const muster_extension_table* muster_extension(void);
typedef const muster_extension_table* (*muster_extension_function)(void);

/* --------------------------------------------------------------------------------------------------------- conveniences */

static inline muster_text muster_text_of(const char* zero_terminated) {
  muster_text text;
  text.data = zero_terminated;
  text.length = strlen(zero_terminated);
  return text;
}

static inline bool muster_text_is(muster_text text, const char* zero_terminated) {
  return text.data != NULL && text.length == strlen(zero_terminated) && memcmp(text.data, zero_terminated, text.length) == 0;
}

/* The last argument with this key, or NULL. */
static inline const muster_argument* muster_argument_of(const muster_arguments* arguments, const char* key) {
  size_t i;
  for (i = arguments->count; i > 0; --i)
    if (muster_text_is(arguments->items[i - 1].key, key)) return &arguments->items[i - 1];
  return NULL;
}

#ifdef __cplusplus
}
#endif

#endif
