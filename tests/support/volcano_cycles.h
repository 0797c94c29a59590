#pragma once

// Whole cycles of the Volcano dialect in tests, and what came out of them in names:
//
//   VolcanoCycles cycles(a_config({an_option("gang"), an_option("predicates")}));
//   cycles.add(a_volcano_node("n1").cpu("8"));
//   …
//   EXPECT_EQ(cycles.run().binds, (Names{{"train-0", "n1"}}));

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policy/volcano/scheduler.h"
#include "support/volcano_builders.h"

namespace muster::volcano {

using Names = std::map<std::string, std::string>;

// What a cycle decided and wrote. Everything is in the namespace "default", which names leave out.
struct CycleOutcome {
  Names binds;                         // pod → node
  std::map<std::string, Names> notes;  // annotations that binds carry
  Names planned;                       // placed when the actions were over, and not decided
  Names phases;                        // of PodGroups
  Names conditions;                    // of PodGroups as this cycle wrote them: "Unschedulable: <message>", "Scheduled: <reason>"
  std::map<std::string, std::vector<std::string>> events;  // of PodGroups: "Warning Unschedulable: <message>"
  Names pod_conditions;                                    // "Unschedulable: <message>"
  std::map<std::string, ResourceList> queues;              // status.allocated, where it changed
  std::vector<std::string> order;                          // pods in the order in which binds were decided
};

class VolcanoCycles {
 public:
  // The cluster remembers what the configuration needs.
  explicit VolcanoCycles(Config config = default_config(), Behaviour behaviour = Behaviour::exact(), ClusterOptions options = {},
                         SearchKind search = SearchKind::kIndex);

  template <class Builder>
  VolcanoCycles& add(const Builder& builder) {
    scheduler_.cluster().apply(Object(builder.object()));
    return *this;
  }
  VolcanoCycles& add_object(const Object& object) {
    scheduler_.cluster().apply(object);
    return *this;
  }
  Cluster& cluster() { return scheduler_.cluster(); }

  CycleOutcome run();
  void skip() { scheduler_.skip_cycle(); }
  // Pods that the last cycle bound start to run.
  void bound_pods_run();

  Timestamp now{1'767'225'600, 0};

 private:
  Scheduler scheduler_;
  Outbox last_;
};

}  // namespace muster::volcano
