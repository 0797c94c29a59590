#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/books.h"
#include "model/objects.h"
#include "policy/volcano/hyper_tree.h"

namespace muster::volcano {

using SubJobId = StrongId<struct SubJobTag>;  // within its job

using StateCounts = std::array<std::uint32_t, kPodStates>;  // how many pods are in each state
std::int64_t count_holding(const StateCounts& counts);

// How close together pods have to be. In a cycle soft demands are hard ones that the root of the tree meets, so that there is only
// one kind.
struct Closeness {
  bool wanted = false;                    // there is a demand, be it one that no tier can be given to
  std::optional<std::int64_t> hard_tier;  // within one domain of at most this tier
};

// Pods of a job that form a gang of their own, or all that belong to no such gang.
struct SubJob {
  SubJobId id;
  std::string name;         // "<job>/<policy>-<label values>", or the job's for those without a gang of their own
  std::uint32_t group = 0;  // sub-jobs of one policy, among which a minimum has to be complete; see SubJobs::groups()
  std::int32_t min_available = 1;
  std::int32_t priority = 0;     // the highest of its pods', at least 0
  std::int64_t match_index = 0;  // the first label value, if it is a number
  std::optional<NetworkTopology> topology;
  Closeness closeness;  // the same as this cycle sees it

  std::vector<PodId> pods;
  Amounts request;  // of all its pods
  Amounts waiting;  // of those that are pending
  StateCounts count{};
  std::uint32_t waiting_best_effort = 0;

  HyperNodeId allocated;   // the lowest domain that holds all its placed pods; kept across cycles
  HyperNodeId nominated;   // where an eviction of this cycle made room for it
  HyperNodeId placing_at;  // while its pods are being placed: the same with those placed in this attempt

  std::int64_t of(PodState state) const { return count[static_cast<std::size_t>(state)]; }
  std::int64_t holding() const { return count_holding(count); }
  std::int64_t ready() const { return holding() + of(PodState::kSucceeded); }
  bool is_ready() const { return ready() + waiting_best_effort >= min_available; }
  // How many of its waiting pods have to be placed before it is ready.
  std::int64_t missing() const { return std::max<std::int64_t>(min_available - ready() - waiting_best_effort, 0); }
  bool is_pipelined() const { return of(PodState::kPipelined) + ready() + waiting_best_effort >= min_available; }
};

// The sub-jobs of one policy, or those of none.
struct SubJobGroup {
  std::string name;          // "<job>/<policy>", or the job's
  std::int32_t minimum = 0;  // so many have to be complete
  std::int32_t existing = 0;
  std::int32_t ready = 0;
  std::int32_t pipelined = 0;
};

// How a job is divided. Only jobs with sub-group policies or a topology have one; all others are one gang and need none. Without
// policies there is one sub-job, the job itself.
class SubJobs {
 public:
  // What the PodGroup says. Other policies than before make what is known of the sub-jobs void.
  void set(std::int32_t min_available, std::optional<NetworkTopology> topology, std::vector<SubGroupPolicy> policies);
  // Divides the job anew if pods or its object came or went.
  void divide(const Books& books, GroupId job);

  bool has_policies() const { return !policies_.empty(); }
  // Whether the job or a sub-job wants closeness, and whether any demand of those is hard.
  bool wants_closeness() const;
  bool has_hard_tier() const;
  // Works out what the demands amount to with the tiers of the tree.
  void resolve(const HyperTree& tree);
  const Closeness& closeness() const { return closeness_; }  // the job's own

  std::vector<SubJob>& all() { return all_; }
  const std::vector<SubJob>& all() const { return all_; }
  SubJob& operator[](SubJobId id) { return all_[id.index()]; }
  const SubJob& operator[](SubJobId id) const { return all_[id.index()]; }
  // The sub-job of a pod; none for a pod that came after the last divide().
  SubJobId of(PodId pod) const;
  SubJob* find(PodId pod);

  // A pod in this state came (+1) or went (-1).
  void note(const Books& books, PodId pod, PodState state, int sign);

  // Whether enough sub-jobs of every policy exist, are ready, or are as soon as others have gone.
  bool valid() const;
  bool ready() const;
  bool pipelined() const;
  const std::vector<SubJobGroup>& groups() const { return groups_; }

  HyperNodeId allocated;  // the lowest domain that holds all placed pods of the job; kept across cycles

 private:
  using Names = boost::unordered_flat_map<std::string, SubJobId>;
  SubJob& place_for(const StringMap& labels, Names& names);
  SubJob& get(const std::string& name, std::uint32_t group, Names& names);
  std::uint32_t group_named(const std::string& name);
  void count_in_group(const SubJob& sub_job, int sign);
  bool enough(std::int32_t SubJobGroup::* counted) const;

  std::int32_t min_available_ = 0;
  std::optional<NetworkTopology> topology_;
  std::vector<SubGroupPolicy> policies_;
  Closeness closeness_;
  std::vector<SubJobGroup> groups_;  // the first is of those that match no policy
  std::vector<SubJob> all_;
  boost::unordered_flat_map<PodId, SubJobId> places_;
  std::uint64_t divided_for_ = 0;  // version of the group
  bool divided_ = false;
};

}  // namespace muster::volcano
