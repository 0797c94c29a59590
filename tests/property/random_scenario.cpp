#include "property/random_scenario.h"

#include <rapidcheck.h>

#include "support/volcano_builders.h"

namespace muster {

int pick(int count) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, count)); }
bool chance(int of) { return pick(of) == of - 1; }
std::string one_of(std::initializer_list<const char*> texts) { return texts.begin()[pick(static_cast<int>(texts.size()))]; }

namespace {

using namespace volcano;

constexpr std::int64_t kEpoch = 1'700'000'000;
constexpr int kQueues = 3;

std::string queue_name(int index) { return index == 0 ? "default" : "q" + std::to_string(index); }

// ------------------------------------------------------------------------------------------------ configurations

std::string plugin_lines(std::initializer_list<std::string_view> plugins) {
  std::string text;
  for (const auto plugin : plugins) text.append("  - name: ").append(plugin).append("\n");
  return text;
}

// Each varies one thing that the search has to respect: what scores depend on, what is remembered, who may refuse.
std::string placing_config() {
  const std::string actions = "actions: \"enqueue, allocate, backfill\"\ntiers:\n- plugins:\n";
  const std::string gang = plugin_lines({"priority", "gang"}) + "- plugins:\n";
  switch (pick(11)) {
    case 0: return "";
    case 1: return actions + gang + plugin_lines({"drf", "predicates", "proportion", "binpack"});
    case 2: return actions + gang + plugin_lines({"predicates", "proportion", "nodeorder", "binpack"});
    case 3:
      return actions + gang + plugin_lines({"predicates", "nodeorder"}) +
             "    arguments:\n      leastrequested.weight: 0\n      mostrequested.weight: 2\n      podaffinity.weight: 0\n";
    case 4:
      return actions + gang + plugin_lines({"proportion", "nodeorder", "predicates"}) +
             "    arguments:\n      predicate.CacheEnable: true\n";
    case 5:
      return actions + gang + plugin_lines({"predicates", "proportion", "nodeorder"}) +
             "configurations:\n- name: allocate\n  arguments:\n    predicateErrorCacheEnable: false\n";
    case 6:
      return "actions: \"allocate, backfill\"\ntiers:\n- plugins:\n" + gang + plugin_lines({"predicates", "resource-strategy-fit"});
    case 7: return actions + plugin_lines({"predicates", "nodegroup", "nodeorder"});
    case 8: return actions + gang + plugin_lines({"predicates", "network-topology-aware", "binpack"});
    case 9: return actions + gang + plugin_lines({"predicates", "proportion", "nodeorder", "network-topology-aware", "binpack"});
    default: return actions + gang + plugin_lines({"overcommit", "predicates", "proportion", "binpack", "nodeorder", "drf"});
  }
}

// Each varies who makes room for whom, and who has a say in it. The last evicts for nobody, in the order in which jobs came, and is
// not for those who only perhaps want evictions.
std::string evicting_config(Evictions evictions) {
  const auto actions = [](std::string_view list) { return "actions: \"" + std::string(list) + "\"\ntiers:\n- plugins:\n"; };
  const std::string protection = plugin_lines({"priority", "gang", "conformance"}) + "- plugins:\n";
  switch (pick(evictions == Evictions::kAlways ? 8 : 7)) {
    case 0: return actions("enqueue, allocate, preempt, backfill") + protection + plugin_lines({"drf", "predicates", "proportion"});
    case 1:
      return actions("enqueue, allocate, preempt, reclaim, backfill") + protection +
             plugin_lines({"predicates", "proportion", "nodeorder", "binpack"});
    case 2:
      return actions("enqueue, allocate, reclaim, backfill") + protection + plugin_lines({"predicates", "capacity", "binpack"});
    case 3:
      return actions("enqueue, gangpreempt, gangreclaim, allocate, backfill") + protection +
             plugin_lines({"predicates", "capacity", "nodeorder"});
    case 4:
      return actions("enqueue, allocate, preempt, backfill") + protection + plugin_lines({"predicates", "nodeorder"}) +
             "configurations:\n- name: preempt\n  arguments:\n    enableTopologyAwarePreemption: true\n";
    case 5:
      return actions("enqueue, allocate, gangreclaim, reclaim, preempt, backfill") + protection +
             plugin_lines({"cdp", "pdb", "predicates", "proportion", "nodeorder"});
    case 6:
      return actions("enqueue, preempt, gangpreempt, reclaim, gangreclaim, allocate, backfill") + protection +
             plugin_lines({"pdb", "predicates", "proportion", "binpack"});
    default:
      return actions("enqueue, allocate, shuffle, preempt, backfill") + protection + plugin_lines({"pdb", "predicates", "tdm"}) +
             "    arguments:\n      tdm.revocable-zone.night: 20:00-23:00\n";
  }
}

// --------------------------------------------------------------------------------------------------------- nodes

Node random_node(const std::string& name) {
  auto builder = a_volcano_node(name).cpu(one_of({"2", "4", "8"})).memory(one_of({"4Gi", "8Gi", "16Gi"}));
  if (chance(3)) builder.gpu(one_of({"1", "2"}));
  if (chance(4)) builder.has("pods", one_of({"1", "2", "3"}));
  if (!chance(5)) builder.label("zone", one_of({"a", "b", "c"}));
  if (!chance(5)) builder.label("kubernetes.io/hostname", name);
  if (chance(2)) builder.label("disk", one_of({"ssd", "hdd"}));
  if (chance(3)) builder.label("volcano.sh/nodegroup-name", one_of({"g1", "g2"}));
  if (chance(6)) builder.label("volcano.sh/revocable-zone", "night");
  auto node = builder.object();
  if (chance(4)) node.taints.push_back({"team", one_of({"x", "y"}), TaintEffect::kNoSchedule});
  if (chance(5)) node.taints.push_back({"old", "", TaintEffect::kPreferNoSchedule});
  if (chance(8)) node.unschedulable = true;
  if (chance(3)) node.images.push_back({{one_of({"img:1", "img:2"})}, 300'000'000});
  return node;
}

// ---------------------------------------------------------------------------------------------------------- pods

LabelSelector apps(std::string app) { return {{{"app", SelectorOp::kIn, {std::move(app)}}}}; }

PodAffinityTerm random_term() {
  PodAffinityTerm term;
  term.topology_key = one_of({"zone", "kubernetes.io/hostname", "disk"});
  term.selector = apps(one_of({"x", "y"}));
  return term;
}

SpreadConstraint random_spread() {
  SpreadConstraint spread;
  spread.topology_key = one_of({"zone", "kubernetes.io/hostname"});
  spread.max_skew = 1 + pick(2);
  spread.selector = apps(one_of({"x", "y"}));
  if (chance(2)) spread.action = SpreadAction::kScheduleAnyway;
  return spread;
}

void constrain_nodes(PodSpec& spec) {
  switch (pick(8)) {
    case 4: spec.node_selector.set("disk", one_of({"ssd", "hdd"})); break;
    case 5: spec.affinity.node_required = NodeSelector{{{{{"zone", SelectorOp::kIn, {"a", one_of({"b", "c"})}}}, {}}}}; break;
    case 6: spec.affinity.node_preferred.push_back({1 + pick(50), {{{"disk", SelectorOp::kIn, {"ssd"}}}, {}}}); break;
    case 7: spec.tolerations.push_back({"team", TolerationOp::kEqual, one_of({"x", "y"}), std::nullopt}); break;
    default: break;
  }
}

void relate_to_pods(PodSpec& spec) {
  switch (pick(12)) {
    case 6: spec.affinity.pod_required.push_back(random_term()); break;
    case 7: spec.affinity.anti_required.push_back(random_term()); break;
    case 8: spec.affinity.pod_preferred.push_back({1 + pick(50), random_term()}); break;
    case 9: spec.affinity.anti_preferred.push_back({1 + pick(50), random_term()}); break;
    case 10: spec.spread.push_back(random_spread()); break;
    case 11: spec.containers.front().ports.push_back({8080 + pick(2), "", "TCP"}); break;
    default: break;
  }
}

// What the pods of one role of a job have in common.
struct RoleRecipe {
  std::string name;  // empty: none
  Pod pod;
  int count = 1;
  bool by_label = false;  // not by an annotation
};

RoleRecipe random_role() {
  auto builder = a_volcano_pod("");
  if (!chance(6)) builder.cpu(one_of({"500m", "1", "2", "4"}));
  if (!chance(4)) builder.memory(one_of({"512Mi", "1Gi", "4Gi"}));
  if (chance(5)) builder.gpu("1");
  if (chance(2)) builder.label("app", one_of({"x", "y"}));
  RoleRecipe role{one_of({"", "worker", "ps"}), builder.object(), 1 + pick(4)};
  auto& spec = role.pod.spec;
  spec.containers.front().image = one_of({"", "img:1", "img:2"});
  constrain_nodes(spec);
  relate_to_pods(spec);
  if (chance(5)) spec.priority = pick(3);
  if (chance(12)) spec.scheduling_gates.push_back(one_of({"scheduling.volcano.sh/queue-allocation-gate", "other"}));
  if (chance(3)) role.pod.meta.annotations.set("volcano.sh/template-uid", one_of({"t1", "t2"}));
  role.by_label = chance(4);
  return role;
}

// ----------------------------------------------------------------------------------------------------- scenarios

class ScenarioMaker {
 public:
  explicit ScenarioMaker(const ScenarioSize& size) : size_(size) {}

  Scenario make() {
    evicts_ = size_.evictions == Evictions::kAlways || chance(3);
    scenario_.config = evicts_ ? evicting_config(size_.evictions) : placing_config();
    for (int i = 0; i < kQueues; ++i) add(random_queue(i));
    add_priority_class("high", 100);
    add_priority_class("low", 1);
    const int kinds = 1 + pick(size_.node_kinds);
    for (int i = 0; i < kinds; ++i) add_nodes(chance(6) ? 30 : 1 + pick(3));
    add_shards();
    if (chance(2)) add_hyper_nodes();
    if (evicts_)
      for (int i = pick(3); i > 0; --i) add(random_budget(i));
    const int strangers = pick(4);
    for (int i = 0; i < strangers; ++i) add_placed_pod("stranger-" + std::to_string(i), a_volcano_pod("").cpu("1").object());
    const int jobs = 1 + pick(size_.jobs);
    for (int i = 0; i < jobs; ++i) add_job(scenario_.objects);
    const int more_cycles = pick(size_.cycles);
    for (int i = 0; i < more_cycles; ++i) scenario_.between.push_back(random_changes());
    return std::move(scenario_);
  }

 private:
  template <class T>
  T stamped(T object) {
    object.meta.created = {kEpoch + serial_, 0};
    object.meta.uid = "uid-" + std::to_string(1000 + serial_++);
    return object;
  }
  template <class T>
  void add(T object) {
    scenario_.objects.emplace_back(stamped(std::move(object)));
  }

  Queue random_queue(int index) {
    auto builder = a_volcano_queue(queue_name(index));
    if (chance(4)) builder.affinity({{one_of({"g1", "g2"})}, {}});
    auto queue = builder.object();
    queue.weight = 1 + pick(3);
    if (chance(4)) queue.capability["cpu"] = Quantity::from_units(2 + pick(8));
    if (chance(4)) queue.guarantee["cpu"] = Quantity::from_units(1 + pick(2));
    if (chance(4)) queue.deserved["cpu"] = Quantity::from_units(2 + pick(6));
    if (chance(10)) queue.state = "Closed";
    return queue;
  }

  static PodDisruptionBudget random_budget(int index) {
    auto builder = a_budget("budget" + std::to_string(index)).allows(pick(3));
    return (chance(4) ? builder.selects_all() : builder.selects("app", one_of({"x", "y"}))).object();
  }

  void add_priority_class(const std::string& name, std::int32_t value) {
    PriorityClass priority;
    priority.meta.name = name;
    priority.value = value;
    add(priority);
  }

  void add_nodes(int count) {
    auto node = random_node("n" + std::to_string(nodes_.size()));
    for (int i = 0; i < count; ++i) {
      node.meta.name = "n" + std::to_string(nodes_.size());
      if (node.meta.labels.contains("kubernetes.io/hostname")) node.meta.labels.set("kubernetes.io/hostname", node.meta.name);
      nodes_.push_back(node.meta.name);
      add(node);
    }
  }

  void add_shards() {
    if (!chance(6)) return;
    scenario_.options.shard_mode = one_of({"hard", "soft"});
    NodeShard shard;
    shard.meta.name = "volcano";
    for (const auto& node : nodes_)
      if (chance(2)) shard.nodes_desired.push_back(node);
    add(shard);
  }

  // Racks of a few nodes each, not always all of them, below one or two spines; now and then a tree that contradicts itself.
  void add_hyper_nodes() {
    const int racks = 1 + pick(4);
    const int spines = pick(3);
    std::vector<HyperNodeBuilder> below;
    for (int i = 0; i < racks; ++i) below.push_back(a_hyper_node("rack" + std::to_string(i), 1).tier_name("rack"));
    for (const auto& node : nodes_)
      if (!chance(6)) below[static_cast<std::size_t>(pick(racks))].node(node);
    if (chance(4)) below.front().nodes_matching("^n[0-3]$");
    if (chance(4)) below.back().nodes_labelled("zone", "a");
    for (const auto& rack : below) add(rack.object());
    for (int i = 0; i < spines; ++i) {
      auto spine = a_hyper_node("spine" + std::to_string(i), 2).tier_name("spine");
      for (int rack = 0; rack < racks; ++rack)
        if (rack % spines == i || chance(20)) spine.child("rack" + std::to_string(rack));
      add(spine.object());
    }
  }

  void demand_closeness(PodGroupBuilder& group) {
    switch (pick(8)) {
      case 4: group.within(1 + pick(3)); break;
      case 5: group.within(one_of({"rack", "spine", "room"})); break;
      case 6: group.close(); break;
      case 7:
        group.sub_groups("slices", "slice", 1 + pick(2), pick(3),
                         chance(2) ? std::optional<std::int64_t>(1 + pick(2)) : std::nullopt);
        break;
      default: break;
    }
  }

  const std::string& random_node_name() { return nodes_[static_cast<std::size_t>(pick(static_cast<int>(nodes_.size())))]; }

  // A pod that is already there: runs, has finished, or leaves.
  Pod placed(Pod pod) {
    pod.spec.node_name = random_node_name();
    pod.spec.scheduling_gates.clear();
    pod.status.phase = chance(8) ? "Succeeded" : "Running";
    if (chance(3)) pod.meta.deleted = Timestamp{kEpoch, 0};
    return pod;
  }
  void add_placed_pod(const std::string& name, Pod pod) {
    pod.meta.name = name;
    pods_.push_back(pod.meta.ns + "/" + name);
    add(placed(std::move(pod)));
  }

  template <class Sink>
  void add_job(Sink& sink) {
    const auto name = "job" + std::to_string(jobs_++);
    std::vector<RoleRecipe> roles(static_cast<std::size_t>(1 + pick(2)));
    int tasks = 0;
    for (auto& role : roles) role = random_role(), tasks += role.count;
    auto builder = a_pod_group(name).queue(queue_name(pick(kQueues))).minimum(1 + pick(tasks));
    demand_closeness(builder);
    auto group = builder.object();
    group.phase = one_of({"Inqueue", "Pending", ""});
    group.priority_class = one_of({"", "high", "low", "unknown"});
    if (chance(2)) group.min_resources = ResourceList{{"cpu", Quantity::from_units(1 + pick(4))}};
    if (chance(4) && !roles.front().name.empty()) group.min_task_member[roles.front().name] = 1 + pick(roles.front().count);
    sink.emplace_back(Object(stamped(std::move(group))));
    int index = 0;
    for (const auto& role : roles)
      for (int i = 0; i < role.count; ++i, ++index) sink.emplace_back(Object(stamped(task_pod(name, role, index))));
  }

  Pod task_pod(const std::string& job, const RoleRecipe& role, int index) {
    Pod pod = role.pod;
    pod.meta.name = job + (role.name.empty() ? "" : "-" + role.name) + "-" + std::to_string(index);
    pod.meta.annotations.set("scheduling.k8s.io/group-name", job);
    if (!role.name.empty()) (role.by_label ? pod.meta.labels : pod.meta.annotations).set("volcano.sh/task-spec", role.name);
    if (chance(2)) pod.meta.labels.set("slice", std::to_string(index / 2));
    pods_.push_back(pod.meta.ns + "/" + pod.meta.name);
    return chance(evicts_ ? 2 : 6) ? placed(std::move(pod)) : pod;
  }

  std::vector<Change> random_changes() {
    std::vector<Change> changes;
    if (!chance(4)) changes.emplace_back(BoundPodsRun{});
    const int count = pick(4);
    for (int i = 0; i < count; ++i) switch (pick(5)) {
        case 0: changes.emplace_back(PodGoes{pods_[static_cast<std::size_t>(pick(static_cast<int>(pods_.size())))]}); break;
        case 1: changes.emplace_back(Object(stamped(random_node(random_node_name())))); break;
        case 2: changes.emplace_back(Object(stamped(random_queue(pick(kQueues))))); break;
        case 3: {
          nodes_.push_back("n" + std::to_string(nodes_.size()));
          changes.emplace_back(Object(stamped(random_node(nodes_.back()))));
          break;
        }
        default: add_job(changes); break;
      }
    return changes;
  }

  ScenarioSize size_;
  bool evicts_ = false;
  Scenario scenario_;
  std::vector<std::string> nodes_;
  std::vector<std::string> pods_;
  int jobs_ = 0;
  int serial_ = 0;
};

}  // namespace

Scenario random_scenario(const ScenarioSize& size) { return ScenarioMaker(size).make(); }

}  // namespace muster
