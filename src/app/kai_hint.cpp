#include "app/kai_hint.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tuple>
#include <vector>

#include "app/amount_text.h"
#include "app/near_names.h"
#include "app/node_holders.h"
#include "app/printable_text.h"
#include "base/nearest_name.h"

namespace muster {
namespace {

using kai::FitReason;
using kai::Job;
using kai::Session;
using kai::Share;
using kai::Status;

constexpr std::string_view field_of(Share share) {
  switch (share) {
    case Share::kCpu: return "cpu";
    case Share::kMemory: return "memory";
    case Share::kGpu: return "gpu";
  }
  return "";
}

class Advice {
 public:
  Advice(const Session& session, const Job& job, const KaiOutlook& out) : session_(session), job_(job), out_(out) {}

  KaiHint hint() const {
    switch (out_.reason) {
      case KaiReason::kNoQueue: return {near_queue()};
      case KaiReason::kInnerQueue: return {leaves()};
      case KaiReason::kTooFewPods: return {more_pods("create the missing pods, or lower minMember")};
      case KaiReason::kStale: return {more_pods("create the missing pods before it is evicted, or lower minMember")};
      case KaiReason::kQueueLimit: return {higher_bound(FitReason::kOverLimit)};
      case KaiReason::kQueueQuota: return {higher_bound(FitReason::kNonPreemptibleOverQuota)};
      case KaiReason::kTooLarge: return {smaller_pods()};
      case KaiReason::kNoNodeFits:
      case KaiReason::kGangIncomplete: return room();
      default: return {in_general()};
    }
  }

 private:
  std::string in_general() const { return std::string(text_of(out_.reason).hint); }

  // ---- queues

  std::string near_queue() const {
    const auto& queues = session_.cluster().queues();
    std::vector<std::string_view> leaves;
    for (const auto id : IdRange<QueueId>(queues.size()))
      if (queues[id].is_leaf()) leaves.push_back(queues[id].name);
    const auto near = nearest_name(out_.job.queue, leaves);
    return near.empty() ? in_general() : "did you mean queue " + near + "?";
  }

  std::string leaves() const {
    const auto& queues = session_.cluster().queues();
    std::vector<std::string> below;
    std::vector<QueueId> inner = {job_.queue};
    for (std::size_t at = 0; at < inner.size(); ++at)
      for (const auto child : queues[inner[at]].children) {
        if (queues[child].is_leaf())
          below.push_back(queues[child].name);
        else
          inner.push_back(child);
      }
    std::ranges::sort(below);
    return fmt::format("name a leaf in spec.queue; below {} {} {}", job_.queue_name, below.size() == 1 ? "is" : "are",
                       listed(below, kMostNamed));
  }

  // Others of the queue may end, which is not enough for a job that asks for more than all of it.
  std::string higher_bound(FitReason reason) const {
    const auto error = std::ranges::find(job_.errors, reason, &kai::JobFitError::reason);
    if (error == job_.errors.end() || error->queue == nullptr) return in_general();
    const auto& shortage = *error->queue;
    const bool is_limit = reason == FitReason::kOverLimit;
    const auto most = (is_limit ? shortage.limit : shortage.deserved)[shortage.share];
    const auto own = job_.held.quantities()[shortage.share];
    if (own + shortage.asked[shortage.share] <= most) return in_general();
    const auto& queue = session_.cluster().queues()[shortage.queue].name;
    if (is_limit)
      return fmt::format("raise spec.resources.{}.limit of queue {}, or ask for less; -1 is no limit, 0 is nothing",
                         field_of(shortage.share), queue);
    return fmt::format("raise spec.resources.{}.quota of queue {}, ask for less, or make the job preemptible",
                       field_of(shortage.share), queue);
  }

  // ---- pods

  std::string more_pods(std::string text) const {
    if (out_.job.succeeded + out_.job.failed == 0) return text;
    return "lower minMember to what is left, or create pods in place of those that have ended, which do not count any more";
  }

  std::string smaller_pods() const {
    const auto much = too_much(session_, out_.obstacles.refusals.id);
    if (!much) return in_general();
    const auto& [name, asked, largest] = *much;
    if (largest > 0)
      return fmt::format("ask for at most {} of {} per pod, or add a node with at least {}", amount_text(name, largest), name,
                         amount_text(name, asked));
    const auto near = near_resource(session_.books(), name);
    return fmt::format("add a node that has {} in status.allocatable, or see that the device plugin for it runs{}", name,
                       near.empty() ? "" : "; did you mean " + near + "?");
  }

  // ---- nodes

  KaiHint room() const {
    if (const auto most = most_ever(); most && *most < out_.job.minimum)
      return {
          fmt::format("lower minMember, ask for less per pod, or add nodes: even when they are empty, all nodes together take {}",
                      *most == 0 ? "none of its pods" : fmt::format("{} of the {}", *most, out_.job.minimum)),
          false};
    if (out_.reason != KaiReason::kNoNodeFits || out_.obstacles.refusals.reasons.empty()) return {in_general()};
    if (out_.obstacles.may_come) return {room_to_come()};
    const auto ways = ways_in();
    return ways.empty() ? KaiHint{in_general()} : KaiHint{ways, false};
  }

  // Where others may leave: what they would have to free, and what would open others of the nodes at once.
  std::string room_to_come() const {
    const auto& [closest, closed] = std::tie(out_.obstacles.closest, out_.obstacles.closed);
    const bool opens_at_once = closed.together == 1 && closed.at_once;
    if (!closest || !others_hold_enough(*closest))
      return out_.obstacles.only_room ? "wait for room, or ask for less per pod" : in_general();
    const auto freeing = freeing_text(*closest, out_.job.name) + for_the_others();
    return opens_at_once ? freeing + ", or " + one_way_each() : freeing;
  }

  // Whether the node takes the pod when those have left who are not of its job.
  bool others_hold_enough(const ClosestNode& closest) const {
    const auto& books = session_.books();
    const auto pod = out_.obstacles.refusals.id;
    const auto node = books.find_node(closest.name);
    return std::ranges::all_of(books.shape_of(pod).request, [&](const auto& entry) {
      const auto& [resource, amount] = entry;
      const auto& allocatable = books.ledgers().allocatable;
      if (amount == 0 || resource.index() >= allocatable.size() || session_.cluster().has_devices_for(resource)) return true;
      auto left = allocatable[resource.index()][node.index()];
      for (const auto other : books.pods_on(node))
        if (books.pod(other).group == books.pod(pod).group) left -= kai_held_by(session_, other, resource);
      return amount <= left;
    });
  }

  // Of those that have to start together one alone would find room.
  std::string for_the_others() const {
    const auto others = out_.job.state == JobState::kPartial ? 0 : out_.job.minimum - out_.job.holding - 1;
    return others <= 0 ? "" : fmt::format(", and room for {} as well", count_of(static_cast<std::size_t>(others), "more pod"));
  }

  // Where its pods are alike: how many of those that have to start together all nodes take when nobody else is there.
  std::optional<std::int64_t> most_ever() const {
    const auto& books = session_.books();
    PodId first;
    bool alike = true;
    job_.for_each_pod([&](PodId pod) {
      const auto& task = session_.cluster().task(pod);
      if (!kai::kAlive.contains(task.status)) return;
      if (!first) first = pod;
      alike = alike && !task.gpu.shared() && books.pod(pod).shape == books.pod(first).shape;
    });
    if (!first || !alike || counts_devices(books.shape_of(first))) return std::nullopt;
    std::int64_t takes = 0;
    for (const auto node : session_.cluster().nodes_by_name())
      takes = std::min(out_.job.minimum, takes + most_on_empty(session_, books.shape_of(first), node));
    return takes;
  }

  // Devices of claims are on no node's account.
  bool counts_devices(const PodShape& shape) const {
    return std::ranges::any_of(shape.request,
                               [&](const auto& entry) { return session_.cluster().has_devices_for(entry.resource); });
  }

  // Where waiting is in vain: each of these alone opens nodes, or all of them one.
  std::string ways_in() const {
    const auto& closed = out_.obstacles.closed;
    if (closed.together == 0) return "";
    const auto text = closed.together == 1 ? one_way_each() : ways_together();
    return closed.at_once ? text : text + ", and wait until such a node can take it";
  }

  // Nodes with one bar each; those that are not selected come where there are no others.
  std::string one_way_each() const {
    const auto& closed = out_.obstacles.closed;
    if (closed.unselected) {
      const auto labels = labels_it_wants();
      return labels.empty() ? "relax the pod's node affinity, or label nodes as it asks"
                            : "change spec.nodeSelector, or label nodes as it asks: " + text_of(labels);
    }
    std::vector<std::string> taints, ways;
    for (const auto& [taint, nodes] : closed.taints) taints.push_back(fmt::format("{} (on {})", taint, count_of(nodes, "node")));
    if (!taints.empty())
      ways.push_back((taints.size() == 1 ? "tolerate the taint " : "tolerate one of the taints ") + listed(taints, kMostNamed));
    if (!closed.cordoned.empty()) ways.push_back("uncordon " + listed(closed.cordoned, kMostNamed));
    return fmt::format("{}", fmt::join(ways, ", or "));
  }

  std::string ways_together() const {
    const auto& closed = out_.obstacles.closed;
    std::vector<std::string> ways;
    for (const auto& [taint, nodes] : closed.taints) ways.push_back("tolerate the taint " + taint);
    if (!closed.cordoned.empty()) ways.emplace_back("uncordon it");
    if (closed.unselected) {
      const auto labels = labels_it_wants();
      ways.push_back(labels.empty() ? "make its labels and the pod's node affinity agree"
                                    : "make its labels and spec.nodeSelector agree: " + text_of(labels));
    }
    return fmt::format("for {}, the closest node: {}", closed.node, fmt::join(ways, " and "));
  }

  std::vector<WantedLabel> labels_it_wants() const {
    return wanted_labels(session_.books(), session_.books().shape_of(out_.obstacles.refusals.id));
  }

  const Session& session_;
  const Job& job_;
  const KaiOutlook& out_;
};

}  // namespace

KaiHint kai_hint(const Session& session, const Job& job, const KaiOutlook& outlook) { return Advice(session, job, outlook).hint(); }

}  // namespace muster
