#include "policy/volcano/plugins/rescheduling.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <set>
#include <tuple>

#include "engine/pod_order.h"
#include "policy/volcano/session.h"
#include "policy/volcano/time_span.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kLowNodeUtilization = "lowNodeUtilization";
constexpr std::int64_t kDefaultInterval = 300'000'000'000;
// Metrics sources of clusters deliver the average over 10m and no other, so that the argument has to be written there.
constexpr std::string_view kDefaultPeriod = "5m";

enum class Quality { kBestEffort, kBurstable, kGuaranteed };

// The quality of service that a pod is promised: none, some, or exactly what it may use at most.
Quality quality_of(const PodShape& shape) {
  const auto& request = shape.request;
  const auto& limits = shape.limits;
  const auto none = [](const Amounts& amounts) { return amounts.get(kCpu) == 0 && amounts.get(kMemory) == 0; };
  if (none(request) && none(limits)) return Quality::kBestEffort;
  const auto fixed = [&](ResourceId id) { return limits.get(id) != 0 && limits.get(id) == request.get(id); };
  return fixed(kCpu) && fixed(kMemory) ? Quality::kGuaranteed : Quality::kBurstable;
}

std::int64_t part_of(double percent, std::int64_t amount) {
  return static_cast<std::int64_t>(percent * static_cast<double>(amount) * 0.01);
}

double percent_of(std::int64_t amount, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(amount) * 100 / static_cast<double>(whole);
}

}  // namespace

// ------------------------------------------------------------------------------------------------------ settings

Rescheduling::Rescheduling(Session& session, const PluginOption& option)
    : Plugin(session),
      interval_nanos_(parse_go_duration(option.arguments.get_string("interval", "")).value_or(kDefaultInterval)),
      period_(option.arguments.get_string("metricsPeriod", std::string(kDefaultPeriod))) {
  read_strategies(option.arguments);
}

void Rescheduling::read_strategies(const Arguments& arguments) {
  const auto* list = arguments.find("strategies");
  const auto* strategies = list == nullptr ? nullptr : list->as_list();
  if (strategies == nullptr || strategies->empty()) return;
  enabled_ = false;
  for (const auto& strategy : *strategies) {
    const auto* name = decoded_field(strategy, "name");
    if (name == nullptr || loose_string(*name) != kLowNodeUtilization) continue;
    enabled_ = true;
    threshold_ = target_ = {100, 100};  // of two the later one counts
    const auto* parameters = decoded_field(strategy, "params");
    if (parameters == nullptr) continue;
    read_thresholds(*parameters, "thresholds", threshold_);
    read_thresholds(*parameters, "targetThresholds", target_);
  }
}

void Rescheduling::read_thresholds(const Value& parameters, std::string_view name, Load& thresholds) {
  const auto* given = parameters.find(name);
  if (given == nullptr) return;
  const auto read = [&](std::string_view resource, double& threshold) {
    const auto* percent = given->find(resource);
    if (const auto number = percent == nullptr ? std::nullopt : loose_int(*percent)) threshold = static_cast<double>(*number);
  };
  read("cpu", thresholds.cpu);
  read("memory", thresholds.memory);
}

// The first interval begins with the first cycle.
void Rescheduling::open() {
  auto& last = session().memory().rescheduled;
  if (!last) last = session().now();
  due_ = interval_nanos_ <= 0 || later_by(interval_nanos_, *last) < session().now();
  if (due_) last = session().now();
}

// --------------------------------------------------------------------------------------------------------- nodes

std::optional<Rescheduling::Load> Rescheduling::load_of(NodeId node) const {
  const auto* usage = session().cluster().usage(node);
  if (usage == nullptr && !session().behaviour().keeps(Quirk::kUnansweredIsIdle)) return std::nullopt;
  const auto measured = usage == nullptr ? NodeUsage::Average() : usage->over(period_);
  return Load{measured.cpu_percent, measured.memory_percent};
}

bool Rescheduling::is_idle(NodeId node, const Load& load) const {
  return !session().books().node(node).unschedulable && load.cpu < threshold_.cpu && load.memory < threshold_.memory;
}

// What pods may come to a node until it has its target load.
Rescheduling::Room Rescheduling::room_on(NodeId node, const Load& load) const {
  const auto& ledger = session().books().ledgers().allocatable;
  auto cpu = ledger[kCpu.index()][node.index()];
  auto memory = ledger[kMemory.index()][node.index()];
  if (cpu == 0 && memory == 0) {
    cpu = session().cluster().capacity(node).get(kCpu);
    memory = session().cluster().capacity(node).get(kMemory);
  }
  return {part_of(target_.cpu, cpu) - part_of(load.cpu, cpu), part_of(target_.memory, memory) - part_of(load.memory, memory)};
}

// Low priority first, those without one before all, then those who are promised least.
std::vector<PodId> Rescheduling::movable_pods(NodeId node) const {
  auto pods = session().books().pods_on(node);
  const auto key = [&](PodId pod) {
    const auto& task = session().cluster().task(pod);
    return std::tuple(task.names_priority, task.pod_priority, quality_of(session().books().shape_of(pod)));
  };
  std::sort(pods.begin(), pods.end(), [&](PodId l, PodId r) {
    const auto left = key(l), right = key(r);
    return left != right ? left < right : is_older(session().books(), l, r);
  });
  return pods;
}

// ------------------------------------------------------------------------------------------------------- victims

// Which of the running pods is meant by a pod on a node: itself, if it is one of them. The original goes by name alone, whatever
// the namespace.
class Rescheduling::Choice {
 public:
  Choice(const Session& session, std::span<const PodId> running) : session_(session) {
    const bool by_name = session.behaviour().keeps(Quirk::kVictimByName);
    for (const auto pod : running) {
      running_.emplace(pod);
      if (by_name) names_.emplace(session.books().pod(pod).name, pod);
    }
  }
  PodId find(PodId pod) const {
    if (running_.contains(pod)) return pod;
    const auto namesake = names_.find(session_.books().pod(pod).name);
    return namesake == names_.end() ? PodId() : namesake->second;
  }

 private:
  const Session& session_;
  boost::unordered_flat_set<PodId> running_;
  boost::unordered_flat_map<std::string_view, PodId> names_;
};

// The idle nodes, with what those would take there who have been chosen to move.
class Rescheduling::Destinations {
 public:
  explicit Destinations(Session& session) : session_(session) {}
  void add(NodeId node, Room room) { nodes_.push_back({node, room, {}}); }
  std::size_t size() const { return nodes_.size(); }

  // Whether one of them would take the pod once it has left its node. It then counts there.
  bool take(PodId pod) {
    if (session_.behaviour().keeps(Quirk::kMovesNowhere)) return true;
    // They only get fuller, so what none of them takes once, none takes later. Where others count, it matters who left.
    const auto& record = session_.books().pod(pod);
    const bool others_count = session_.rules().filter_dependence(pod) > Dependence::kNode;
    const std::tuple kind(record.shape, record.labels, others_count ? record.node : NodeId());
    if (refused_.contains(kind)) return false;
    const auto from = record.present_on;
    if (from) session_.books().depart(pod);
    const bool taken = !session_.pre_predicate(pod) &&
                       std::any_of(nodes_.begin(), nodes_.end(), [&](Destination& there) { return take(pod, there); });
    if (from) session_.books().arrive(pod, from);
    if (!taken) refused_.insert(kind);
    return taken;
  }

 private:
  struct Destination {
    NodeId node;
    Room room;      // until it has its target load
    Amounts taken;  // by those that move there
  };

  bool take(PodId pod, Destination& there) {
    const auto& request = session_.books().shape_of(pod).request;
    auto taken = there.taken;
    taken += request;
    const Room left{there.room.cpu - request.get(kCpu), there.room.memory - request.get(kMemory)};
    if (left.cpu < 0 || left.memory < 0 || !has_free(there.node, taken) || !session_.predicate(pod, there.node).empty())
      return false;
    there.taken = std::move(taken);
    there.room = left;
    return true;
  }

  bool has_free(NodeId node, const Amounts& amounts) const {
    const auto& idle = session_.books().ledgers().idle;
    return std::all_of(amounts.begin(), amounts.end(), [&](const Amounts::Entry& entry) {
      return entry.amount <= 0 || entry.amount <= idle[entry.resource.index()][node.index()];
    });
  }

  Session& session_;
  std::vector<Destination> nodes_;
  std::set<std::tuple<ShapeId, LabelSetId, NodeId>> refused_;
};

std::vector<PodId> Rescheduling::victim_tasks(std::span<const PodId> running) {
  if (!due_ || !enabled_) return {};
  std::vector<BusyNode> busy;
  Destinations idle(session());
  std::size_t nodes = 0;
  Room room;
  for (const auto node : IdRange<NodeId>(session().books().node_count())) {
    if (!session().books().node(node).known) continue;
    ++nodes;
    const auto load = load_of(node);
    if (!load) continue;
    if (is_idle(node, *load)) {
      const auto more = room_on(node, *load);
      idle.add(node, more);
      room.cpu += more.cpu;
      room.memory += more.memory;
    } else if (is_busy(*load)) {
      busy.push_back({node, *load});
    }
  }
  if (idle.size() == 0 || idle.size() == nodes) return {};

  std::stable_sort(busy.begin(), busy.end(),
                   [](const BusyNode& l, const BusyNode& r) { return l.load.cpu + l.load.memory > r.load.cpu + r.load.memory; });
  std::vector<PodId> victims;
  const Choice choice(session(), running);
  for (auto& [node, load] : busy) {
    const auto& capacity = session().cluster().capacity(node);
    for (const auto pod : movable_pods(node)) {
      if (!stays_busy(load) || room.cpu == 0 || room.memory == 0) break;
      const auto victim = choice.find(pod);
      if (!victim || !idle.take(victim)) continue;
      const auto& request = session().books().shape_of(victim).request;
      room.cpu -= request.get(kCpu);
      room.memory -= request.get(kMemory);
      load.cpu -= percent_of(request.get(kCpu), capacity.get(kCpu));
      load.memory -= percent_of(request.get(kMemory), capacity.get(kMemory));
      victims.push_back(victim);
    }
  }
  return victims;
}

}  // namespace muster::volcano
