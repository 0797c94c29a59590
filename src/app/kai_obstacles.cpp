#include "app/kai_obstacles.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>

#include "app/amount_text.h"
#include "app/kai_job_name.h"
#include "app/node_bars.h"
#include "app/node_holders.h"
#include "policy/kai/kube_rules.h"

namespace muster {
namespace {

using kai::Session;

struct Missing {
  ResourceId resource;
  std::int64_t asked = 0;
  std::int64_t available = 0;  // idle or being freed, and promised to nobody
  bool never = false;          // the node has not as much at all
  bool none = false;           // or nothing of it

  // Of what the pod asks for.
  double part() const { return static_cast<double>(asked - available) / static_cast<double>(asked); }
};

// Resources of which the node has too little. Shares of GPUs are asked for device by device, not here.
std::vector<Missing> shortages_on(const Session& session, PodId pod, NodeId node) {
  std::vector<Missing> out;
  const auto& ledgers = session.books().ledgers();
  const auto& cluster = session.cluster();
  const auto n = node.index();
  for (const auto& [resource, amount] : session.books().shape_of(pod).request) {
    const auto r = resource.index();
    const bool shared = resource == cluster.gpu() && cluster.task(pod).gpu.shared();
    if (amount == 0 || shared || r >= ledgers.idle.size()) continue;
    const auto allocatable = ledgers.allocatable[r][n];
    if (allocatable == 0 && cluster.has_devices_for(resource)) continue;
    const auto available = allocatable == 0 ? 0 : ledgers.idle[r][n] + ledgers.releasing[r][n] - ledgers.pipelined[r][n];
    if (amount > available)
      out.push_back({resource, amount, std::max<std::int64_t>(available, 0), amount > allocatable, allocatable == 0});
  }
  return out;
}

std::string_view counted_as(const Session& session, ResourceId resource) {
  return resource == kPodCount ? std::string_view("pods") : std::string_view(session.books().resource_name(resource));
}

// Instances of parted GPUs are counted as such, everything else is in the units that amounts are written from.
double written(const Session& session, ResourceId resource, std::int64_t amount) {
  return static_cast<double>(amount) * (kai::is_mig(session.books().resource_name(resource)) ? 1000 : 1);
}

// How far a node is from taking a pod. Nobody's leaving helps on one that is too small, however little it lacks, so that those come
// last; of them, those that have nothing of something.
struct Distance {
  bool never = true;
  bool none = true;
  double worst = 2;  // the largest part of what the pod asks for that is missing: more than any

  auto operator<=>(const Distance&) const = default;
};

Distance distance(const std::vector<Missing>& shortages) {
  Distance out{std::ranges::any_of(shortages, &Missing::never), std::ranges::any_of(shortages, &Missing::none), 0};
  for (const auto& s : shortages) out.worst = std::max(out.worst, s.part());
  return out;
}

// How far a node is from being opened.
struct Closedness {
  bool unselected = false;
  bool waits = false;
  std::size_t bars = 0;

  auto operator<=>(const Closedness&) const = default;
};

class PodQuestions {
 public:
  PodQuestions(Session& session, PodId pod) : session_(session), pod_(pod) {}

  KaiObstacles ask() {
    out_.refusals.id = pod_;
    out_.refusals.pod = session_.books().pod_key(pod_);
    if (auto refusal = session_.pre_predicate(pod_)) out_.impossible = std::move(*refusal);
    if (const auto& gpu = session_.cluster().task(pod_).gpu; gpu.shared() && gpu.devices <= 0)
      out_.impossible = "its annotation gpu-fraction-num-devices is " + std::to_string(gpu.devices) + ", which no node can give";
    bool any_large_enough = false;
    for (const auto node : session_.cluster().nodes_by_name()) {
      ++out_.refusals.nodes;
      any_large_enough = ask_node(node) || any_large_enough;
    }
    out_.too_large = out_.refusals.nodes != 0 && !any_large_enough;
    if (!out_.impossible.empty() && !out_.too_large) return without_nodes();
    for (auto& [reason, count] : reasons_) out_.refusals.reasons.emplace_back(reason, count);
    std::ranges::stable_sort(out_.refusals.reasons, std::greater<>(), [](const auto& entry) { return entry.second; });
    return std::move(out_);
  }

 private:
  // What no node can give is not missing on one of them.
  KaiObstacles without_nodes() {
    out_.closest.reset();
    out_.takers = 0;
    return std::move(out_);
  }

  // Whether the node, if it were empty, would have enough.
  bool ask_node(NodeId node) {
    const auto shortages = shortages_on(session_, pod_, node);
    for (const auto& s : shortages) ++reasons_["insufficient " + std::string(counted_as(session_, s.resource))];
    if (shortages.empty() && !session_.fits_later(pod_, node)) ++reasons_[what_else_lacks()];
    const auto verdict = session_.predicate(pod_, node);
    if (!verdict.ok()) {
      out_.only_room = false;
      const auto& text = session_.cluster().fits().text(verdict.reason);
      ++reasons_[text.empty() ? "refused" : text];
    } else if (const auto far = distance(shortages); !shortages.empty() && far < closest_) {
      closest_ = far;
      take_closest(node, shortages);
    }
    const bool has_room = shortages.empty() && session_.fits_later(pod_, node);
    if (has_room && verdict.ok()) ++out_.takers;
    const bool is_large_enough = std::ranges::none_of(shortages, &Missing::never);
    if (is_large_enough) judge(node, verdict, has_room);
    return is_large_enough;
  }

  // Whether somebody's leaving may open the node, or else what would.
  void judge(NodeId node, FitStatus verdict, bool has_room) {
    const auto bars = verdict.ok() ? NodeBars() : bars_on(session_.books().node(node), session_.books().shape_of(pod_));
    if (bars.count() == 0)
      out_.may_come = true;
    else if (!is_of_another_kind(node, verdict))
      take_closed(node, bars, !has_room || is_curable(verdict.code) || is_in_trouble(node));
  }

  // Whether the node, once it is open, would refuse the pod for what it is: as that is told before its bars, it is the verdict.
  bool is_of_another_kind(NodeId node, FitStatus verdict) {
    auto& cluster = session_.cluster();
    const auto& info = cluster.node_info(node);
    const bool is_worker = cluster.task(pod_).gpu.any() ? info.gpu_worker : info.cpu_worker;
    if (cluster.options().restrict_nodes && !is_worker) return true;
    if (!info.ready || is_curable(verdict.code)) return false;
    const auto& rules = cluster.kube_rules();
    return verdict != rules.taint_toleration.check(pod_, node) && verdict != rules.node_affinity.check(pod_, node);
  }

  bool is_in_trouble(NodeId node) const {
    return std::ranges::any_of(session_.cluster().node_info(node).faults,
                               [](kai::NodeFault fault) { return fault != kai::NodeFault::kUnschedulable; });
  }

  void take_closed(NodeId node, const NodeBars& bars, bool waits) {
    const Closedness closedness{bars.unselected, waits, bars.count()};
    auto& closed = out_.closed;
    if (closed.together != 0 && closedness > closedness_) return;
    const auto& name = session_.books().node(node).name;
    if (closed.together == 0 || closedness < closedness_) {
      closedness_ = closedness;
      closed = {bars.count(), name, !waits, bars.unselected, {}, {}};
    } else if (closed.together > 1) {
      return;
    }
    for (const auto& taint : bars.taints) ++closed.taints[taint];
    if (bars.cordoned) closed.cordoned.push_back(name);
  }

  void take_closest(NodeId node, const std::vector<Missing>& shortages) {
    auto worst_first = shortages;
    std::ranges::stable_sort(worst_first, std::greater(), &Missing::part);
    ClosestNode closest;
    closest.name = session_.books().node(node).name;
    if (std::ranges::any_of(shortages, &Missing::never)) closest.freeing = Freeing::kTooSmall;
    for (const auto& s : worst_first)
      closest.shortages.push_back({std::string(counted_as(session_, s.resource)), written(session_, s.resource, s.asked),
                                   written(session_, s.resource, s.available)});
    const auto scarcest = worst_first.front().resource;
    closest.held_by = holders_on(
        session_.books(), node, [&](PodId pod) { return written(session_, scarcest, kai_held_by(session_, pod, scarcest)); },
        [&](GroupId group) { return full_name(session_, session_.cluster().job(group)); });
    out_.closest = std::move(closest);
  }

  std::string what_else_lacks() const {
    return session_.cluster().task(pod_).gpu.shared() ? "no GPU has the share that it asks for" : "insufficient storage or devices";
  }

  Session& session_;
  PodId pod_;
  KaiObstacles out_;
  std::map<std::string, std::size_t> reasons_;
  Distance closest_;
  Closedness closedness_;  // of the closed nodes that are nearest so far
};

}  // namespace

std::int64_t kai_held_by(const Session& session, PodId pod, ResourceId resource) {
  const auto& task = session.cluster().task(pod);
  if (task.status == kai::Status::kReleasing) return 0;
  if (resource == session.cluster().gpu() && task.gpu.shared()) return std::llround(task.accepted[kai::Share::kGpu] * 1000);
  return session.books().shape_of(pod).request.get(resource);
}

KaiObstacles kai_obstacles_to(Session& session, PodId pod) { return PodQuestions(session, pod).ask(); }

std::int64_t most_on_empty(const Session& session, const PodShape& shape, NodeId node) {
  const auto& ledgers = session.books().ledgers();
  auto most = std::numeric_limits<std::int64_t>::max();
  for (const auto& [resource, amount] : shape.request)
    if (amount > 0)
      most =
          std::min(most, resource.index() < ledgers.idle.size() ? ledgers.allocatable[resource.index()][node.index()] / amount : 0);
  return most;
}

std::optional<TooMuch> too_much(const Session& session, PodId pod) {
  const auto& allocatable = session.books().ledgers().allocatable;
  const auto& cluster = session.cluster();
  for (const auto& [resource, amount] : session.books().shape_of(pod).request) {
    const bool shared = resource == cluster.gpu() && cluster.task(pod).gpu.shared();
    if (shared || resource.index() >= allocatable.size()) continue;
    std::int64_t largest = 0;
    for (const auto node : cluster.nodes_by_name()) largest = std::max(largest, allocatable[resource.index()][node.index()]);
    if (amount <= largest || (largest == 0 && cluster.has_devices_for(resource))) continue;
    return TooMuch{std::string(counted_as(session, resource)), written(session, resource, amount),
                   written(session, resource, largest)};
  }
  return std::nullopt;
}

std::string too_much_text(const Session& session, PodId pod) {
  const auto much = too_much(session, pod);
  if (!much) return "asks for more than any node has";
  const auto& [name, asked, largest] = *much;
  return fmt::format("asks for {} of {} and the largest node has {}", amount_text(name, asked), name, amount_text(name, largest));
}

}  // namespace muster
