#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <optional>
#include <span>
#include <vector>

#include "policy/volcano/actions/victim_bundles.h"

namespace muster::volcano {

// The victims of a plan in the units in which they go or stay: single pods that their job can do without, whole sub-jobs, whole
// gangs. A gang or sub-job that goes takes along what its job could have done without.
class VictimUnits {
 public:
  VictimUnits(const Session& session, std::span<const VictimBundle> bundles);

  std::size_t size() const { return units_.size(); }
  // All of them, in the order in which they were taken.
  std::vector<PodId> pods() const;
  std::span<const PodId> pods_of(std::size_t unit) const { return units_[unit].pods; }

  // Without those for whom there is enough room on their node all the same, last taken first; `left` is what will be free on the
  // nodes where it matters. Pods on other nodes are in nobody's way. A gang is not broken if it can do without those who have to
  // go.
  VictimUnits needed(boost::unordered_flat_map<NodeId, Amounts> left) const;
  // Without one of them; none when it has to go along with another.
  std::optional<VictimUnits> without(std::size_t unit) const;

 private:
  using Left = boost::unordered_flat_map<NodeId, Amounts>;
  using SubJobKey = std::pair<GroupId, SubJobId>;
  struct Unit {
    VictimBundle::Kind kind;
    SubJobKey sub_job;  // without an id where jobs are not divided
    std::vector<PodId> pods;
  };
  // Gangs and sub-jobs that go as a whole.
  struct Broken {
    boost::unordered_flat_set<GroupId> jobs;
    boost::unordered_flat_set<SubJobKey> sub_jobs;
    void add(const Unit& unit);
    bool takes_along(const Unit& unit) const;
  };
  explicit VictimUnits(const Session& session) : session_(&session) {}
  SubJobKey key_of(PodId pod) const;
  std::optional<std::vector<PodId>> spared_gang(GroupId job, std::span<const std::size_t> units, Left& left) const;

  const Session* session_;
  std::vector<Unit> units_;  // single pods, then sub-jobs, then gangs
};

}  // namespace muster::volcano
