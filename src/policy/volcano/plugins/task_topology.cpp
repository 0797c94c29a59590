#include "policy/volcano/plugins/task_topology.h"

#include <algorithm>
#include <vector>

#include "engine/scores/allocation.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

// What a node has free or will have once those that leave have left, whoever else waits for it.
class FreeRoom {
 public:
  explicit FreeRoom(const Cluster& cluster) : cluster_(cluster), ledgers_(cluster.books().ledgers()) {}

  std::int64_t of(std::size_t resource, NodeId node) const {
    return ledgers_.idle[resource][node.index()] + ledgers_.releasing[resource][node.index()];
  }
  // Whether a request fits in every resource of the node: one that is overdrawn counts against pods that do not ask for it, and one
  // that the node does not name counts against pods that ask for none of it by name.
  bool holds_task(const Amounts& request, NodeId node) const {
    for (std::size_t r = 0; r < ledgers_.idle.size(); ++r)
      if (of(r, node) < 0) return false;
    return std::all_of(request.begin(), request.end(), [&](const Amounts::Entry& asked) {
      return asked.amount <= of(asked.resource.index(), node) && (asked.amount != 0 || is_named(node, asked.resource));
    });
  }
  bool holds(const Amounts& request, NodeId node) const {
    return std::all_of(request.begin(), request.end(),
                       [&](const Amounts::Entry& asked) { return asked.amount <= of(asked.resource.index(), node); });
  }

 private:
  bool is_named(NodeId node, ResourceId resource) const {
    return resource == kCpu || resource == kMemory || cluster_.node_names(node, resource);
  }

  const Cluster& cluster_;
  const NodeLedgers& ledgers_;
};

// What is left of a bucket's request when its first, second, … task other than `kept` is left out.
std::vector<Amounts> remains_of(const TaskBucket& bucket, PodId kept, const Books& books) {
  std::vector<Amounts> remains = {bucket.request};
  for (const auto pod : bucket.waiting) {
    if (pod == kept) continue;
    auto rest = remains.back();
    rest -= books.shape_of(pod).request;
    remains.push_back(std::move(rest));
  }
  return remains;
}

// How many tasks have to be left out until the rest fits; all of them if it never does. Remains only shrink, so halving finds it.
std::int64_t left_out(const std::vector<Amounts>& remains, const FreeRoom& room, NodeId node) {
  const auto first =
      std::partition_point(remains.begin(), remains.end(), [&](const Amounts& rest) { return !room.holds(rest, node); });
  return std::min(first - remains.begin(), static_cast<std::ptrdiff_t>(remains.size()) - 1);
}

}  // namespace

TaskTopology::TaskTopology(Session& session, const PluginOption& option)
    : Plugin(session), weight_(static_cast<double>(option.arguments.get_int("task-topology.weight", 1))) {}

void TaskTopology::open() {
  const auto& cluster = session().cluster();
  cluster.open_jobs().for_each([&](std::size_t index) {
    const auto& job = cluster.job(GroupId(index));
    if (!job.schedulable() || session().counts(job).of(PodState::kPending) == 0) return;
    if (auto relations = RoleRelations::read(cluster, job))
      jobs_.emplace(job.id, std::make_unique<TaskBuckets>(cluster, job, std::move(*relations)));
  });
}

const TaskBuckets* TaskTopology::buckets_of(PodId pod) const {
  const auto found = jobs_.find(session().books().pod(pod).group);
  return found == jobs_.end() ? nullptr : found->second.get();
}

const TaskBucket* TaskTopology::bucket_of(PodId pod) const {
  const auto* buckets = buckets_of(pod);
  return buckets == nullptr ? nullptr : buckets->bucket_of(pod);
}

// Tasks in buckets first; the bucket with most tasks waiting first; within a bucket as the job orders its roles.
int TaskTopology::compare_tasks(PodId left, PodId right) {
  const auto* buckets = buckets_of(left);
  if (buckets == nullptr || buckets_of(right) == nullptr) return 0;
  const auto* l = bucket_of(left);
  const auto* r = bucket_of(right);
  if ((l == nullptr) != (r == nullptr)) return l != nullptr ? -1 : 1;
  const auto& books = session().books();
  if (l == nullptr || books.pod(left).group != books.pod(right).group) return 0;
  if (l->waiting.size() != r->waiting.size()) return l->waiting.size() > r->waiting.size() ? -1 : 1;
  if (l != r) return l->index < r->index ? -1 : 1;
  return buckets->relations().compare(books.pod(left).role, books.pod(right).role);
}

Dependence TaskTopology::order_dependence(PodId pod) const {
  return bucket_of(pod) == nullptr ? Dependence::kNothing : Dependence::kOthers;
}

void TaskTopology::add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  const auto* bucket = bucket_of(pod);
  if (bucket == nullptr) return;
  const auto& buckets = *buckets_of(pod);
  const auto& books = session().books();
  const auto& record = books.pod(pod);
  const auto remains = remains_of(*bucket, pod, books);
  const FreeRoom room(session().cluster());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto node = nodes[i];
    if (!room.holds_task(books.shape(record.shape).request, node)) continue;
    auto score = static_cast<std::int64_t>(bucket->waiting.size()) - left_out(remains, room, node);
    if (const auto bound = bucket->bound_on.find(node); bound != bucket->bound_on.end()) score += bound->second;
    if (const auto* placed = buckets.placed_on(node)) score += buckets.relations().aversion(record.role, *placed);
    totals[i] += static_cast<double>(score) * weight_ * kMaxScore / static_cast<double>(buckets.largest());
  }
}

bool TaskTopology::on_allocate(PodId pod) {
  if (const auto found = jobs_.find(session().books().pod(pod).group); found != jobs_.end())
    found->second->place(session().cluster(), pod);
  return true;
}

}  // namespace muster::volcano
