#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/cluster_files.h"
#include "app/object_register.h"
#include "codec/object_reader.h"

namespace muster {

// What the objects said beyond what a cluster keeps of them.
struct IntakeFacts {
  std::map<std::string, QueuePlace> queues;
  std::map<std::string, Naming> priority_classes_named;
  std::map<std::string, std::size_t> priority_classes;  // those that exist
  std::map<std::string, std::size_t> other_schedulers;  // pods that wait for a scheduler of this name
  std::vector<std::string> ungrouped;                   // pods of this scheduler that name no PodGroup
  std::vector<std::string> queues_without_state;
  std::vector<std::string> queues_without_weight;
  std::vector<std::string> queues_of_weight_zero;
  std::vector<std::string> queues_made;
  // Values that the API server lets pass and that make no sense: what is to be said of the objects that have them.
  std::map<std::string, Naming> oddities;
  std::vector<HyperNode> hyper_nodes;
  Naming with_topology;                          // PodGroups whose network topology is soft or names no number of a tier
  std::map<std::int64_t, Naming> tiers_allowed;  // those that have a hard one, by the lowest tier up to which one allows nodes
  std::map<std::string, Naming> tiers_named;     // by PodGroups, for their network topology
  Naming closed_budgets;                         // which concern only the plugin pdb
  Naming requests_from_limits;                   // pods that have limits without requests
  std::size_t pods = 0;
  std::size_t nodes = 0;
  Naming of_kai;  // objects of KAI's API
  ReadStats stats;
};

// Takes in objects one by one and refuses those of a name that was there before.
class ClusterIntake {
 public:
  explicit ClusterIntake(volcano::ClusterOptions options, Objects objects = Objects::kForgotten);

  Result<void> take(Object&& object, const Location& location);
  void count(const ReadStats& stats) { facts_.stats.add(stats); }
  std::uint64_t objects() const { return objects_; }

  // Ends the taking in: checks what only the whole can show, and says what is worth saying.
  Result<LoadedCluster> finish();

 private:
  void look_at(Queue& queue, const Location& location);
  void look_at(Pod& pod, const Location& location);
  void look_at(const PodGroup& group, const Location& location);
  void look_at(const Node& node, const Location& location);
  void look_at(const PodDisruptionBudget& budget, const Location& location);
  void look_at(const Numatopology& topology, const Location& location);
  void name_priority_class(const std::string& name, std::string_view kind, const ObjectMeta& by);
  void make_queue(const std::string& name, bool reclaimable);
  void take_in(const Object& object);

  const Objects keeping_;
  std::unique_ptr<volcano::Cluster> cluster_;
  std::vector<Object> kept_;
  IntakeFacts facts_;
  std::uint64_t objects_ = 0;
  ObjectRegister known_;
};

// Everything legal but useless in a cluster, and everything assumed, one sentence each.
std::vector<std::string> notes_on(const volcano::Cluster& cluster, const IntakeFacts& facts);

}  // namespace muster
