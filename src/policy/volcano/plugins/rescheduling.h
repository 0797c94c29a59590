#pragma once

#include <optional>
#include <vector>

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Moves pods off overloaded nodes, as far as nodes with little load have room for them: names victims to shuffle, once per
// interval, by the strategy lowNodeUtilization. Loads are measured; a node that is not measured is left out.
class Rescheduling final : public Plugin {
 public:
  Rescheduling(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kVictimTasks); }

  void open() override;
  std::vector<PodId> victim_tasks(std::span<const PodId> running) override;

 private:
  // Of cpu and memory: percentages, or amounts in thousandths and bytes.
  struct Load {
    double cpu = 0;
    double memory = 0;
  };
  struct Room {
    std::int64_t cpu = 0;
    std::int64_t memory = 0;
  };
  struct BusyNode {
    NodeId node;
    Load load;
  };
  class Choice;
  class Destinations;

  void read_strategies(const Arguments& arguments);
  static void read_thresholds(const Value& parameters, std::string_view name, Load& thresholds);
  // None: nobody has measured it, and that does not count as idle.
  std::optional<Load> load_of(NodeId node) const;
  bool is_idle(NodeId node, const Load& load) const;
  bool is_busy(const Load& load) const { return load.cpu > target_.cpu || load.memory > target_.memory; }
  bool stays_busy(const Load& load) const { return load.cpu >= target_.cpu || load.memory >= target_.memory; }
  Room room_on(NodeId node, const Load& load) const;
  std::vector<PodId> movable_pods(NodeId node) const;

  std::int64_t interval_nanos_;
  std::string period_;  // of the averages that are looked at
  bool enabled_ = true;
  Load threshold_{100, 100};  // a node below both can take more
  Load target_{100, 100};     // a node above either has too much
  bool due_ = false;
};

}  // namespace muster::volcano
