#include "engine/extension/host.h"

#include <algorithm>
#include <span>

#include "engine/extension/extension.h"

// Every function checks the handles that it is given and passes on what is right. The default of an answer is zero or nothing.

namespace muster {
namespace {

// MUSTER_NOTHING becomes the id that names nothing.
template <class Id, class Handle>
Id id_of(Handle handle) {
  return Id(handle.id);
}
static_assert(!static_cast<bool>(PodId(std::size_t{MUSTER_NOTHING})));

bool is(const muster_session& s, PodId pod) { return pod && pod.index() < s.books().pod_count() && !s.books().removed(pod); }
bool is(const muster_session& s, NodeId node) {
  return node && node.index() < s.books().node_count() && s.books().node(node).known;
}
bool is(const muster_session& s, GroupId group) { return group && group.index() < s.books().group_count() && s.is_group(group); }
bool is(const muster_session& s, QueueId queue) { return queue && queue.index() < s.queue_count() && s.is_queue(queue); }

// What f says of something that exists; otherwise the default.
template <class Id, class Handle, class F>
auto of(muster_session* s, Handle handle, F f) -> decltype(f(Id())) {
  const auto id = id_of<Id>(handle);
  using Answer = decltype(f(Id()));
  return s != nullptr && is(*s, id) ? f(id) : Answer();
}
template <class F>
auto of_pod(muster_session* s, muster_pod pod, F f) {
  return of<PodId>(s, pod, f);
}
template <class F>
auto of_group(muster_session* s, muster_group group, F f) {
  return of<GroupId>(s, group, f);
}
template <class F>
auto of_queue(muster_session* s, muster_queue queue, F f) {
  return of<QueueId>(s, queue, f);
}
template <class F>
auto of_node(muster_session* s, muster_node node, F f) {
  return of<NodeId>(s, node, f);
}

std::string_view view_of(muster_text text) { return text.data == nullptr ? "" : std::string_view(text.data, text.length); }
muster_text text_of(std::string_view text) { return {text.data(), text.size()}; }
muster_text value_of(const StringMap& map, muster_text key) {
  const auto* value = map.find(view_of(key));
  return value == nullptr ? muster_text{nullptr, 0} : text_of(*value);
}
muster_text kept(muster_session& s, std::string text) {
  s.scratch() = std::move(text);
  return text_of(s.scratch());
}

// ---- lists

template <class Handle>
class Filler {
 public:
  Filler(Handle* out, std::size_t room) : out_(out), room_(out == nullptr ? 0 : room) {}
  template <class Id>
  void add(Id id) {
    if (count_ < room_) out_[count_] = handle_of(id);
    ++count_;
  }
  std::size_t count() const { return count_; }

 private:
  Handle* out_;
  std::size_t room_;
  std::size_t count_ = 0;
};

template <class Id, class Handle>
std::size_t list(muster_session* s, std::size_t ids, Handle* out, std::size_t room) {
  Filler<Handle> filler(out, room);
  for (const auto id : IdRange<Id>(ids))
    if (is(*s, id)) filler.add(id);
  return filler.count();
}

std::size_t list_pods(std::span<const PodId> pods, muster_pod* out, std::size_t room) {
  Filler<muster_pod> filler(out, room);
  for (const auto pod : pods) filler.add(pod);
  return filler.count();
}

// ---- amounts

template <class F>
std::int64_t amount(const Books& books, muster_text resource, F f) {
  const auto id = books.find_resource(view_of(resource));
  return id ? f(id) : 0;
}

std::int64_t node_amount(const Books& books, NodeId node, muster_node_amount which, ResourceId resource) {
  const auto& ledgers = books.ledgers();
  const auto at = [&](const std::vector<Column>& columns) { return columns[resource.index()][node.index()]; };
  switch (which) {
    case MUSTER_NODE_ALLOCATABLE: return at(ledgers.allocatable);
    case MUSTER_NODE_IDLE: return at(ledgers.idle);
    case MUSTER_NODE_USED: return at(ledgers.used);
    case MUSTER_NODE_RELEASING: return at(ledgers.releasing);
    case MUSTER_NODE_PROMISED: return at(ledgers.pipelined);
  }
  return 0;
}

// ---- questions

muster_status best_node(muster_session* s, muster_pod pod, muster_node* best, bool* later, muster_text* why) {
  const auto id = id_of<PodId>(pod);
  if (s == nullptr || best == nullptr || later == nullptr || !is(*s, id)) return MUSTER_INVALID;
  const auto& record = s->books().pod(id);
  if (!is(*s, record.group) || record.state != PodState::kPending) return MUSTER_INVALID;
  NodeId node;
  bool waits = false;
  std::string reason;
  const auto status = s->best_node(id, node, waits, reason);
  *best = handle_of(node);
  *later = waits;
  if (why != nullptr) *why = kept(*s, std::move(reason));
  return status;
}

muster_fit check(muster_session* s, muster_pod pod, muster_node node, muster_text* why) {
  const auto pod_id = id_of<PodId>(pod);
  const auto node_id = id_of<NodeId>(node);
  if (s == nullptr || !is(*s, pod_id) || !is(*s, node_id)) return MUSTER_NEVER;
  std::string reason;
  const auto fit = s->check(pod_id, node_id, reason);
  if (why != nullptr) *why = kept(*s, std::move(reason));
  return fit;
}

std::size_t victims(muster_session* s, muster_session::Eviction kind, muster_pod pod, const muster_pod* candidates,
                    std::size_t count, muster_pod* out) {
  const auto id = id_of<PodId>(pod);
  if (s == nullptr || candidates == nullptr || !is(*s, id) || !is(*s, s->books().pod(id).group)) return 0;
  std::vector<PodId> pods;
  for (std::size_t i = 0; i < count; ++i)
    if (const auto candidate = id_of<PodId>(candidates[i]); is(*s, candidate) && s->pod_evictable(candidate))
      pods.push_back(candidate);
  return pods.empty() ? 0 : list_pods(s->victims(kind, id, pods), out, count);
}

template <class F>
muster_status place(muster_statement* statement, muster_pod pod, muster_node node, F f) {
  if (statement == nullptr) return MUSTER_INVALID;
  const auto& s = statement->session();
  const auto pod_id = id_of<PodId>(pod);
  const auto node_id = id_of<NodeId>(node);
  if (!is(s, pod_id) || !is(s, node_id)) return MUSTER_INVALID;
  const auto& record = s.books().pod(pod_id);
  if (!is(s, record.group) || record.state != PodState::kPending || record.gated) return MUSTER_INVALID;
  return f(pod_id, node_id);
}

muster_status evict(muster_statement* statement, muster_pod pod, muster_group for_whom) {
  if (statement == nullptr) return MUSTER_INVALID;
  const auto& s = statement->session();
  const auto id = id_of<PodId>(pod);
  const auto group = id_of<GroupId>(for_whom);
  if (!is(s, id) || (group && !is(s, group))) return MUSTER_INVALID;
  if (!s.pod_evictable(id)) return MUSTER_REFUSED;
  return statement->evict(id, group);
}

using S = muster_session;

void add_lists(muster_host& host) {
  host.groups = [](S* s, muster_group* out, std::size_t room) {
    return s == nullptr ? 0 : list<GroupId>(s, s->books().group_count(), out, room);
  };
  host.queues = [](S* s, muster_queue* out, std::size_t room) {
    return s == nullptr ? 0 : list<QueueId>(s, s->queue_count(), out, room);
  };
  host.nodes = [](S* s, muster_node* out, std::size_t room) {
    return s == nullptr ? 0 : list<NodeId>(s, s->books().node_count(), out, room);
  };
  host.group_pods = [](S* s, muster_group group, muster_pod* out, std::size_t room) {
    return of_group(s, group, [&](GroupId id) { return list_pods(s->books().group(id).pods, out, room); });
  };
  host.node_pods = [](S* s, muster_node node, muster_pod* out, std::size_t room) {
    return of_node(s, node, [&](NodeId id) { return list_pods(s->books().pods_on(id), out, room); });
  };
  host.resources = [](S* s) { return s == nullptr ? 0 : s->books().resource_count(); };
  host.resource_name = [](S* s, std::size_t at) {
    return s == nullptr || at >= s->books().resource_count() ? muster_text{nullptr, 0}
                                                             : text_of(s->books().resource_name(ResourceId(at)));
  };
}

void add_names(muster_host& host) {
  host.find_group = [](S* s, muster_text name) {
    const auto id = s == nullptr ? GroupId() : s->find_group(view_of(name));
    return handle_of(id && is(*s, id) ? id : GroupId());
  };
  host.find_queue = [](S* s, muster_text name) {
    const auto id = s == nullptr ? QueueId() : s->find_queue(view_of(name));
    return handle_of(id && is(*s, id) ? id : QueueId());
  };
  host.find_node = [](S* s, muster_text name) {
    const auto id = s == nullptr ? NodeId() : s->books().find_node(view_of(name));
    return handle_of(id && is(*s, id) ? id : NodeId());
  };
}

void add_groups(muster_host& host) {
  host.group_name = [](S* s, muster_group group) {
    return of_group(s, group, [&](GroupId id) { return kept(*s, s->group_name(id)); });
  };
  host.group_queue = [](S* s, muster_group group) {
    const auto id = id_of<GroupId>(group);
    return handle_of(s != nullptr && is(*s, id) ? s->group_queue(id) : QueueId());
  };
  host.group_priority = [](S* s, muster_group group) {
    return of_group(s, group, [&](GroupId id) { return s->group_priority(id); });
  };
  host.group_minimum = [](S* s, muster_group group) {
    return of_group(s, group, [&](GroupId id) { return s->group_minimum(id); });
  };
  host.group_created = [](S* s, muster_group group) {
    return of_group(s, group, [&](GroupId id) { return s->group_created(id); });
  };
  host.group_admitted = [](S* s, muster_group group) {
    return of_group(s, group, [&](GroupId id) { return s->group_admitted(id); });
  };
  host.group_count = [](S* s, muster_group group, muster_pod_state state) {
    return of_group(s, group, [&](GroupId id) {
      const auto at = static_cast<std::size_t>(state);
      return at < kPodStates ? std::size_t{s->books().group(id).count[at]} : std::size_t{0};
    });
  };
  host.group_held = [](S* s, muster_group group, muster_text resource) {
    return of_group(s, group, [&](GroupId id) {
      return amount(s->books(), resource, [&](ResourceId r) { return s->books().group(id).held.get(r); });
    });
  };
  host.group_waiting = [](S* s, muster_group group, muster_text resource) {
    return of_group(s, group, [&](GroupId id) {
      return amount(s->books(), resource, [&](ResourceId r) { return s->books().group(id).waiting.get(r); });
    });
  };
  host.group_label = [](S* s, muster_group group, muster_text key) {
    return of_group(s, group, [&](GroupId id) { return value_of(s->group_labels(id), key); });
  };
  host.group_annotation = [](S* s, muster_group group, muster_text key) {
    return of_group(s, group, [&](GroupId id) { return value_of(s->group_annotations(id), key); });
  };
}

void add_queues(muster_host& host) {
  host.queue_name = [](S* s, muster_queue queue) {
    return of_queue(s, queue, [&](QueueId id) { return text_of(s->queue_name(id)); });
  };
  host.queue_parent = [](S* s, muster_queue queue) {
    const auto id = id_of<QueueId>(queue);
    return handle_of(s != nullptr && is(*s, id) ? s->queue_parent(id) : QueueId());
  };
  host.queue_weight = [](S* s, muster_queue queue) { return of_queue(s, queue, [&](QueueId id) { return s->queue_weight(id); }); };
  host.queue_priority = [](S* s, muster_queue queue) {
    return of_queue(s, queue, [&](QueueId id) { return s->queue_priority(id); });
  };
  host.queue_amount = [](S* s, muster_queue queue, muster_queue_amount which, muster_text resource) {
    return of_queue(s, queue, [&](QueueId id) {
      return amount(s->books(), resource, [&](ResourceId r) { return s->queue_amount(id, which, r); });
    });
  };
}

void add_nodes(muster_host& host) {
  host.node_name = [](S* s, muster_node node) {
    return of_node(s, node, [&](NodeId id) { return text_of(s->books().node(id).name); });
  };
  host.node_label = [](S* s, muster_node node, muster_text key) {
    return of_node(s, node, [&](NodeId id) { return value_of(s->books().node(id).labels, key); });
  };
  host.node_schedulable = [](S* s, muster_node node) {
    return of_node(s, node, [&](NodeId id) { return !s->books().node(id).unschedulable; });
  };
  host.node_amount = [](S* s, muster_node node, muster_node_amount which, muster_text resource) {
    return of_node(s, node, [&](NodeId id) {
      return amount(s->books(), resource, [&](ResourceId r) { return node_amount(s->books(), id, which, r); });
    });
  };
}

void add_pods(muster_host& host) {
  host.pod_name = [](S* s, muster_pod pod) { return of_pod(s, pod, [&](PodId id) { return kept(*s, s->books().pod_key(id)); }); };
  host.pod_uid = [](S* s, muster_pod pod) { return of_pod(s, pod, [&](PodId id) { return text_of(s->books().pod(id).uid); }); };
  host.pod_role = [](S* s, muster_pod pod) {
    return of_pod(s, pod, [&](PodId id) {
      const auto role = s->books().pod(id).role;
      return role ? text_of(s->books().symbols().text(role)) : text_of("");
    });
  };
  host.pod_group = [](S* s, muster_pod pod) {
    const auto id = id_of<PodId>(pod);
    const auto group = s != nullptr && is(*s, id) ? s->books().pod(id).group : GroupId();
    return handle_of(group && is(*s, group) ? group : GroupId());
  };
  host.pod_node = [](S* s, muster_pod pod) {
    const auto id = id_of<PodId>(pod);
    return handle_of(s != nullptr && is(*s, id) ? s->books().pod(id).node : NodeId());
  };
  host.pod_state = [](S* s, muster_pod pod) {
    const auto id = id_of<PodId>(pod);
    return s != nullptr && is(*s, id) ? static_cast<muster_pod_state>(s->books().pod(id).state) : MUSTER_UNKNOWN;
  };
  host.pod_priority = [](S* s, muster_pod pod) { return of_pod(s, pod, [&](PodId id) { return s->books().pod(id).priority; }); };
  host.pod_created = [](S* s, muster_pod pod) {
    return of_pod(s, pod, [&](PodId id) { return s->books().pod(id).created.seconds; });
  };
  host.pod_request = [](S* s, muster_pod pod, muster_text resource) {
    return of_pod(s, pod, [&](PodId id) {
      return amount(s->books(), resource, [&](ResourceId r) { return s->books().shape_of(id).request.get(r); });
    });
  };
  host.pod_label = [](S* s, muster_pod pod, muster_text key) {
    return of_pod(s, pod, [&](PodId id) { return value_of(s->books().label_set(s->books().pod(id).labels).labels, key); });
  };
  host.pod_gated = [](S* s, muster_pod pod) { return of_pod(s, pod, [&](PodId id) { return s->books().pod(id).gated; }); };
  host.pod_evictable = [](S* s, muster_pod pod) { return of_pod(s, pod, [&](PodId id) { return s->pod_evictable(id); }); };
}

void add_questions(muster_host& host) {
  host.group_valid = [](S* s, muster_group group) { return of_group(s, group, [&](GroupId id) { return s->group_valid(id); }); };
  host.group_ready = [](S* s, muster_group group) { return of_group(s, group, [&](GroupId id) { return s->group_ready(id); }); };
  host.group_pipelined = [](S* s, muster_group group) {
    return of_group(s, group, [&](GroupId id) { return s->group_pipelined(id); });
  };
  host.queue_overused = [](S* s, muster_queue queue) {
    return of_queue(s, queue, [&](QueueId id) { return s->queue_overused(id); });
  };
  host.queue_allows = [](S* s, muster_queue queue, muster_pod pod) {
    return of_queue(s, queue, [&](QueueId q) { return of_pod(s, pod, [&](PodId p) { return s->queue_allows(q, p); }); });
  };
  host.group_before = [](S* s, muster_group left, muster_group right) {
    return of_group(s, left, [&](GroupId l) { return of_group(s, right, [&](GroupId r) { return s->group_before(l, r); }); });
  };
  host.queue_before = [](S* s, muster_queue left, muster_queue right) {
    return of_queue(s, left, [&](QueueId l) { return of_queue(s, right, [&](QueueId r) { return s->queue_before(l, r); }); });
  };
  host.pod_before = [](S* s, muster_pod left, muster_pod right) {
    return of_pod(s, left, [&](PodId l) { return of_pod(s, right, [&](PodId r) { return s->pod_before(l, r); }); });
  };
  host.check = check;
  host.best_node = best_node;
  host.preemptable = [](S* s, muster_pod pod, const muster_pod* candidates, std::size_t count, muster_pod* out) {
    return victims(s, S::Eviction::kPreempt, pod, candidates, count, out);
  };
  host.reclaimable = [](S* s, muster_pod pod, const muster_pod* candidates, std::size_t count, muster_pod* out) {
    return victims(s, S::Eviction::kReclaim, pod, candidates, count, out);
  };
}

void add_statements(muster_host& host) {
  host.statement = [](S* s) { return s == nullptr ? nullptr : s->open_statement(); };
  host.allocate = [](muster_statement* st, muster_pod pod, muster_node node) {
    return place(st, pod, node, [&](PodId p, NodeId n) { return st->allocate(p, n); });
  };
  host.pipeline = [](muster_statement* st, muster_pod pod, muster_node node) {
    return place(st, pod, node, [&](PodId p, NodeId n) { return st->pipeline(p, n); });
  };
  host.evict = evict;
  host.commit = [](muster_statement* st) { return st == nullptr ? MUSTER_INVALID : st->commit(); };
  host.discard = [](muster_statement* st) { return st == nullptr ? MUSTER_INVALID : st->discard(); };
}

muster_host make_host() {
  muster_host host{};
  host.size = sizeof(muster_host);
  host.now = [](S* s) { return s == nullptr ? std::int64_t{0} : s->now(); };
  host.warn = [](S* s, muster_text text) {
    if (s != nullptr) s->warn(text_from(text));
  };
  add_lists(host);
  add_names(host);
  add_groups(host);
  add_queues(host);
  add_nodes(host);
  add_pods(host);
  add_questions(host);
  add_statements(host);
  return host;
}

}  // namespace

const muster_host& extension_host() {
  static const muster_host kHost = make_host();
  return kHost;
}

}  // namespace muster
