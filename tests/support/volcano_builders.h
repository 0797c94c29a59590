#pragma once

// Small clusters for the tests of the Volcano dialect, made from API objects and written as one reads them:
//
//   VolcanoWorld world;
//   world.add(a_volcano_queue("research"));
//   world.add(a_volcano_node("n1").cpu("8").memory("16Gi").label("zone", "a"));
//   world.add(a_pod_group("train").queue("research").minimum(2));
//   world.add(a_volcano_pod("train-0").group("train").cpu("2"));
//   world.add(a_volcano_pod("old").group("train").cpu("1").on("n1"));
//   world.open();
//   Binpack plugin(world.session(), PluginOption("binpack"));
//   EXPECT_EQ(world.scores(plugin, "train-0"), …);

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/objects.h"
#include "policy/volcano/session.h"

namespace muster::volcano {

// What every object can have. `Builder` is the class that derives from this one, so that calls chain.
template <class Builder, class T>
class ObjectBuilder {
 public:
  Builder& label(std::string key, std::string value) {
    object_.meta.labels.set(std::move(key), std::move(value));
    return self();
  }
  Builder& annotation(std::string key, std::string value) {
    object_.meta.annotations.set(std::move(key), std::move(value));
    return self();
  }
  Builder& created(std::int64_t seconds) {
    object_.meta.created.seconds = seconds;
    return self();
  }
  const T& object() const { return object_; }

 protected:
  ObjectBuilder(std::string name, std::string ns) {
    object_.meta.uid = "uid-" + name;
    object_.meta.name = std::move(name);
    object_.meta.ns = std::move(ns);
  }
  Builder& self() { return static_cast<Builder&>(*this); }

  T object_;
};

class VolcanoNodeBuilder : public ObjectBuilder<VolcanoNodeBuilder, Node> {
 public:
  explicit VolcanoNodeBuilder(std::string name);  // with room for 110 pods and nothing else
  // Both capacity and allocatable.
  VolcanoNodeBuilder& has(const std::string& resource, std::string_view quantity);
  VolcanoNodeBuilder& cpu(std::string_view quantity) { return has("cpu", quantity); }
  VolcanoNodeBuilder& memory(std::string_view quantity) { return has("memory", quantity); }
  VolcanoNodeBuilder& gpu(std::string_view quantity) { return has("nvidia.com/gpu", quantity); }
};

// A node's CPUs: NUMA nodes of so many CPUs each, every CPU a core of its own.
class NumatopologyBuilder : public ObjectBuilder<NumatopologyBuilder, Numatopology> {
 public:
  explicit NumatopologyBuilder(std::string node);  // static CPU manager, no CPUs
  NumatopologyBuilder& policy(std::string name);   // of the topology manager
  NumatopologyBuilder& cpu_policy(std::string name);
  NumatopologyBuilder& numa_nodes(int count, int cpus);  // all of them free
  NumatopologyBuilder& free(std::string cpus);
  NumatopologyBuilder& reserved(std::string resource, std::string quantity);
  NumatopologyBuilder& lists(const std::string& pod);  // as having its CPUs
};

class VolcanoQueueBuilder : public ObjectBuilder<VolcanoQueueBuilder, Queue> {
 public:
  explicit VolcanoQueueBuilder(std::string name);  // open, weight 1
  VolcanoQueueBuilder& parent(std::string name);
  VolcanoQueueBuilder& weight(std::int32_t weight);
  VolcanoQueueBuilder& priority(std::int32_t priority);
  VolcanoQueueBuilder& at_most(const std::string& resource, std::string_view quantity);
  VolcanoQueueBuilder& guaranteed(const std::string& resource, std::string_view quantity);
  VolcanoQueueBuilder& deserves(const std::string& resource, std::string_view quantity);
  VolcanoQueueBuilder& closed();
  VolcanoQueueBuilder& affinity(NodeGroupAffinity affinity);
  VolcanoQueueBuilder& anti_affinity(NodeGroupAffinity affinity);
};

class PodGroupBuilder : public ObjectBuilder<PodGroupBuilder, PodGroup> {
 public:
  explicit PodGroupBuilder(std::string name);  // let in, minimum 1, queue "default"
  PodGroupBuilder& queue(std::string name);
  PodGroupBuilder& minimum(std::int32_t members);
  PodGroupBuilder& role_minimum(const std::string& role, std::int32_t members);
  PodGroupBuilder& needs(const std::string& resource, std::string_view quantity);  // of minResources
  PodGroupBuilder& priority_class(std::string name);
  PodGroupBuilder& phase(std::string phase);
  // Its pods have to be within one domain of at most this tier, given by number or name; or close, if possible.
  PodGroupBuilder& within(std::int64_t tier);
  PodGroupBuilder& within(std::string tier_name);
  PodGroupBuilder& close();
  // Pods with equal values of the label `key` form a gang of `size`; `minimum` of these have to be complete.
  PodGroupBuilder& sub_groups(std::string name, std::string key, std::int32_t size, std::int32_t minimum = 0,
                              std::optional<std::int64_t> tier = std::nullopt);
};

class HyperNodeBuilder : public ObjectBuilder<HyperNodeBuilder, HyperNode> {
 public:
  HyperNodeBuilder(std::string name, std::int64_t tier);
  HyperNodeBuilder& tier_name(std::string name);
  HyperNodeBuilder& node(std::string name);
  HyperNodeBuilder& nodes_matching(std::string pattern);
  HyperNodeBuilder& nodes_labelled(std::string key, std::string value);
  HyperNodeBuilder& child(std::string name);
};

class VolcanoPodBuilder : public ObjectBuilder<VolcanoPodBuilder, Pod> {
 public:
  explicit VolcanoPodBuilder(std::string name);  // waits for a node, asks for nothing
  VolcanoPodBuilder& group(std::string name);
  VolcanoPodBuilder& role(std::string name);
  VolcanoPodBuilder& asks(const std::string& resource, std::string_view quantity);
  VolcanoPodBuilder& cpu(std::string_view quantity) { return asks("cpu", quantity); }
  VolcanoPodBuilder& memory(std::string_view quantity) { return asks("memory", quantity); }
  VolcanoPodBuilder& gpu(std::string_view quantity) { return asks("nvidia.com/gpu", quantity); }
  VolcanoPodBuilder& limit(const std::string& resource, std::string_view quantity);
  // Both request and limit, of the last container.
  VolcanoPodBuilder& uses(const std::string& resource, std::string_view quantity);
  VolcanoPodBuilder& container(std::string name);  // one more
  VolcanoPodBuilder& on(std::string node);         // runs there
  VolcanoPodBuilder& phase(std::string phase);
  VolcanoPodBuilder& started(Timestamp time);
  VolcanoPodBuilder& scheduled(Timestamp time);
  VolcanoPodBuilder& terminating();
  VolcanoPodBuilder& priority(std::int32_t priority);
  VolcanoPodBuilder& gate(std::string name);
  VolcanoPodBuilder& select(std::string key, std::string value);
  VolcanoPodBuilder& nominated(std::string node);
};

class BudgetBuilder : public ObjectBuilder<BudgetBuilder, PodDisruptionBudget> {
 public:
  explicit BudgetBuilder(std::string name) : ObjectBuilder(std::move(name), "default") {}  // selects nobody, allows nothing
  BudgetBuilder& selects(std::string key, std::string value);
  BudgetBuilder& selects_all();
  BudgetBuilder& allows(std::int32_t disruptions);
  BudgetBuilder& disrupted(std::string pod);
};

inline VolcanoNodeBuilder a_volcano_node(std::string name) { return VolcanoNodeBuilder(std::move(name)); }
inline NumatopologyBuilder a_numatopology(std::string node) { return NumatopologyBuilder(std::move(node)); }
inline VolcanoQueueBuilder a_volcano_queue(std::string name) { return VolcanoQueueBuilder(std::move(name)); }
inline PodGroupBuilder a_pod_group(std::string name) { return PodGroupBuilder(std::move(name)); }
inline VolcanoPodBuilder a_volcano_pod(std::string name) { return VolcanoPodBuilder(std::move(name)); }
inline BudgetBuilder a_budget(std::string name) { return BudgetBuilder(std::move(name)); }

inline HyperNodeBuilder a_hyper_node(std::string name, std::int64_t tier) { return HyperNodeBuilder(std::move(name), tier); }

// Arguments as a configuration file would give them: an_option("usage", {{"thresholds", map_value({{"cpu", value_of(80)}})}}).
Value value_of(std::int64_t number);
inline Value value_of(int number) { return value_of(std::int64_t{number}); }
Value value_of(double number);
Value value_of(bool flag);
Value value_of(const char* text);
Value map_value(std::vector<std::pair<std::string, Value>> members);
Value list_value(std::vector<Value> elements);
PluginOption an_option(std::string plugin, std::vector<std::pair<std::string, Value>> arguments = {});
// A configuration with these plugins in one tier, or in several.
Config a_config(std::vector<PluginOption> tier, std::vector<std::string> actions = {"enqueue", "allocate", "backfill"});
Config tiered_config(std::vector<std::vector<PluginOption>> tiers,
                     std::vector<std::string> actions = {"enqueue", "allocate", "backfill"});

// A cluster with a session open on it, and what a statement does to one plugin. Nodes keep the order in which they were added.
class VolcanoWorld {
 public:
  explicit VolcanoWorld(Config config = {}, ClusterOptions options = {})
      : config_(std::move(config)), cluster_(std::move(options)) {}
  ~VolcanoWorld();

  template <class Builder>
  VolcanoWorld& add(const Builder& builder) {
    cluster_.apply(Object(builder.object()));
    return *this;
  }
  Cluster& cluster() { return cluster_; }
  Config& config() { return config_; }
  Timestamp now() const { return now_; }
  void wait(std::int64_t seconds) { now_.seconds += seconds; }  // counts from the next open()
  Memory& memory() { return memory_; }

  Session& open();
  Session& session() { return *session_; }

  PodId pod(const std::string& name) const;
  std::vector<PodId> pods(const std::vector<std::string>& names) const;
  std::vector<std::string> names(const std::vector<PodId>& pods) const;
  std::vector<std::string> evicted() const;  // decided in the open session, in order
  NodeId node(const std::string& name) const;
  Job& job(const std::string& name);
  QueueId queue(const std::string& name) const;

  // What the plugin has against the node: the reason's text, empty when it has nothing; every refusal must be for good.
  std::string refusal(const Plugin& plugin, const std::string& pod, const std::string& node,
                      Dependence up_to = Dependence::kOthers) const;
  // What the plugin adds to each known node, in node order.
  std::vector<double> scores(Plugin& plugin, const std::string& pod) const;
  // Nodes that restrict_by_others() leaves of all.
  std::vector<std::string> left_by_others(const Plugin& plugin, const std::string& pod) const;

  void allocate(Plugin& plugin, const std::string& pod, const std::string& node, PodState as = PodState::kAllocated);
  void take_back(Plugin& plugin, const std::string& pod);

 private:
  Config config_;
  Cluster cluster_;
  Memory memory_;
  Timestamp now_{1'767'225'600, 0};
  std::optional<Session> session_;
};

}  // namespace muster::volcano
