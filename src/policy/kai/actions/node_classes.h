#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "policy/kai/node_lacks.h"
#include "policy/kai/session.h"

namespace muster::kai {

// What is remembered of all nodes for tasks that ask for the same: who has room, now or later, and how good it is. Good for tasks
// whose scores are sums of what single nodes say and of packing; among nodes with room these are in the order of the former, then
// of what they have left, then of their names, whatever set they are related in. A node is looked at again only when it changed.
class NodeClass {
 public:
  // Comparable among nodes with room.
  struct Grade {
    double points = kNone;
    std::int64_t left = 0;
    static constexpr double kNone = -1;  // no room
    bool has_room() const { return points >= 0; }
    bool operator==(const Grade&) const = default;
    bool is_better(const Grade& other) const { return points != other.points ? points > other.points : left < other.left; }
  };

  // Brings everything up to date. False: nodes cannot be told apart this way.
  bool refresh(Session& session, PodId pod);
  const Grade& grade(std::uint32_t rank) const { return grades_[rank]; }
  // By name rank, the best of all nodes.
  std::uint32_t best() const { return winners_[1]; }
  bool any() const { return !grades_.empty() && grades_[best()].has_room(); }
  NodeLacks& lacks() { return lacks_; }

 private:
  void rebuild(Session& session, PodId pod);
  Grade look_at(Session& session, PodId pod, NodeId node);
  std::uint32_t winner(std::uint32_t left, std::uint32_t right) const;
  void replay(std::uint32_t rank);

  bool built_ = false;
  bool suits_ = true;
  std::uint64_t seen_ = 0;        // place in the change log
  std::vector<Plugin*> by_node_;  // plugins that score single nodes
  ResourceId packed_;
  std::vector<Grade> grades_;          // by name rank, filled up to a power of two
  std::vector<std::uint32_t> looked_;  // by name rank, in which refresh it was last looked at
  std::uint32_t refreshes_ = 0;
  std::vector<std::uint32_t> winners_;  // a tournament: the winner of place i plays at place i / 2
  NodeLacks lacks_;
};

// The classes of a cycle.
class NodeClasses {
 public:
  explicit NodeClasses(Session& session) : session_(session) {}
  // Up to date; nullptr: the task is not of any.
  NodeClass* find(PodId pod);

 private:
  struct Entry {
    GpuRequest gpu;
    std::unique_ptr<NodeClass> nodes;
  };
  bool is_plain(PodId pod);
  bool asks_for_more(PodId pod) const;

  Session& session_;
  boost::unordered_flat_map<ShapeId, std::vector<Entry>> entries_;
};

}  // namespace muster::kai
