#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/kept_objects.h"
#include "app/object_register.h"
#include "policy/kai/cluster.h"

namespace muster {

// What the objects said beyond what a cluster keeps of them.
struct KaiIntakeFacts {
  struct QueueFacts {
    std::vector<std::string> closed;  // resources of which it may hold nothing, because of a limit that is 0 or not written
    bool in_shard = true;
  };
  struct GroupFacts {
    std::string name;  // with its namespace
    std::string queue;
    bool in_shard = true;
  };
  std::map<std::string, QueuePlace> queues;
  std::map<std::string, QueueFacts> queue_facts;
  std::map<std::string, GroupFacts> groups;                           // by what the scheduler tells them apart by
  std::map<std::string, std::set<std::string>> parts;                 // of groups with sub-groups: those that hold pods
  std::map<std::string, Naming> groups_named;                         // by pods
  std::map<std::pair<std::string, std::string>, Naming> parts_named;  // group and sub-group, by pods
  std::map<std::string, Naming> shared_names;                         // PodGroups whose name another namespace has as well
  std::map<std::string, Naming> topologies_named, priority_classes_named;
  std::set<std::string> topologies, priority_classes;
  std::map<std::string, std::set<std::string>> levels;                 // of topologies
  std::map<std::pair<std::string, std::string>, Naming> levels_named;  // topology and level
  std::set<std::string> broken;                                        // groups whose sub-groups make no tree
  std::map<std::string, std::size_t> other_schedulers;                 // pods that wait for a scheduler of this name
  std::map<std::string, Naming> taken_from_others;                     // pods of PodGroups that name another scheduler
  std::vector<std::string> ungrouped;                                  // pods of this scheduler that name no PodGroup
  std::map<std::string, Naming> oddities;                              // values that make no sense: what is to be said, and of whom
  Naming requests_from_limits;                                         // pods that have limits without requests
  std::size_t pods = 0;
  std::size_t nodes = 0;
  std::size_t nodes_elsewhere = 0;  // of other shards
  Naming of_volcano;                // objects of Volcano's API
  ReadStats stats;
};

struct LoadedKaiCluster {
  std::unique_ptr<kai::Cluster> cluster;
  std::vector<std::string> notes;  // what was assumed, and what is legal but of no use, in sentences
  std::vector<Object> objects;     // as they were taken in, where they were to be kept
};

// Takes in objects one by one and refuses those of a name that was there before.
class KaiIntake {
 public:
  explicit KaiIntake(kai::ClusterOptions options, Objects objects = Objects::kForgotten);

  Result<void> take(Object&& object, const Location& location);
  void count(const ReadStats& stats) { facts_.stats.add(stats); }
  std::uint64_t objects() const { return objects_; }

  // Ends the taking in: checks what only the whole can show, and says what is worth saying.
  Result<LoadedKaiCluster> finish();

 private:
  void look_at(const KaiQueue& queue, const Location& location);
  std::string group_key(const std::string& ns, std::string_view name) const;
  void look_at(const KaiPodGroup& group, const Location& location);
  void look_at(Pod& pod, const Location& location);
  void look_at_sharing(const Pod& pod, const Location& location);
  void look_at(const Node& node, const Location& location);
  void look_at_binds();
  bool in_shard(const StringMap& labels) const;
  void odd(const Location& location, const std::string& object, std::string what);

  const Objects keeping_;
  std::unique_ptr<kai::Cluster> cluster_;
  std::vector<Object> kept_;
  KaiIntakeFacts facts_;
  struct Bind {
    std::string what, pod, node;
    Location location;
  };
  std::vector<Bind> binds_;                    // judged when everything is there
  std::set<std::string> nodes_, failed_pods_;  // which the cluster does not keep if they are none of its own
  ObjectRegister known_;
  std::uint64_t objects_ = 0;
};

// Everything legal but useless in a cluster, one sentence each.
std::vector<std::string> notes_on(const kai::ClusterOptions& options, const KaiIntakeFacts& facts);

}  // namespace muster
