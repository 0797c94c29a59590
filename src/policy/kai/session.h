#pragma once

#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/node_search.h"
#include "engine/outbox.h"
#include "engine/promised_room.h"
#include "engine/work_counters.h"
#include "policy/kai/action_tally.h"
#include "policy/kai/cluster.h"
#include "policy/kai/config.h"
#include "policy/kai/gpu_group_names.h"
#include "policy/kai/plugin.h"
#include "policy/kai/statement.h"

namespace muster::kai {

class CycleObserver;
class JobLists;
class NodeClasses;
class GpuRooms;

// What survives from one cycle to the next besides the cluster itself.
struct Memory {
  SearchKind search = SearchKind::kIndex;
  GpuGroupNames gpu_groups;
  PromisedRoom promised;  // to jobs for which others had to leave, and to those that were moved
};

// What opening a session begins with: the cluster is brought up to date, and what is remembered keeps up with ids that are given
// out again.
void refresh(Cluster& cluster, Memory& memory, Timestamp now);

// What a bind says besides its node.
struct BindDetails {
  PodId pod;
  GpuRequest gpu;
  GpuGroups groups;
  double portion = 0;  // of each device, on its node
  std::vector<NumaZoneShare> numa;
  ClaimedDevicesPtr devices;
  std::shared_ptr<const ExtendedDevices> extended;

  // As a BindRequest says what its pod receives.
  std::string_view type() const;
  std::int64_t gpu_count() const;
  std::string gpu_portion() const;
};

// One scheduling cycle: opened on the cluster, acted on, closed. Works on the cluster's books directly; close() takes back what was
// placed and not decided.
class Session {
 public:
  Session(Cluster& cluster, const Config& config, Timestamp now, Memory& memory);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void open(CycleObserver* observer = nullptr);
  // Writes conditions and stamps of jobs; statuses of tasks are still those at the end of the cycle.
  void close(CycleObserver* observer = nullptr);
  // Takes back what was only planned: the cluster is then as the outside will see it.
  void release();

  Cluster& cluster() { return cluster_; }
  const Cluster& cluster() const { return cluster_; }
  Books& books() { return cluster_.books(); }
  const Books& books() const { return cluster_.books(); }
  const Config& config() const { return config_; }
  Timestamp now() const { return now_; }
  Memory& memory() { return memory_; }
  bool keeps(Quirk quirk) const { return cluster_.options().behaviour.keeps(quirk); }
  WorkCounters& work() { return work_; }
  const WorkCounters& work() const { return work_; }

  // ---- orders, strict
  bool queue_before(const QueueSide& left, const QueueSide& right);
  bool job_before(const Job& left, const Job& right);
  // By the plugins that order jobs.
  const JobRanks& ranks_of(const Job& job) const;
  bool sub_group_before(const Job& job, SubGroupId left, SubGroupId right);
  bool task_before(PodId left, PodId right);
  // The members of a set in their order.
  std::vector<SubGroupId> ordered_members(const Job& job, SubGroupId set);

  // ---- questions to the plugins
  void add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals);
  double gpu_score(PodId pod, NodeId node, const GpuGroup* group);
  std::optional<CapacityRefusal> job_over_capacity(const Job& job, std::span<const PodId> tasks);
  std::optional<CapacityRefusal> non_preemptible_over_quota(const Job& job, std::span<const PodId> tasks);
  std::optional<CapacityRefusal> task_over_capacity(const Job& job, PodId pod, NodeId node);
  CapacityNote tell_capacity(const Job& job, const CapacityRefusal& refusal) const;
  // Nothing: the nodes as they are.
  Result<std::optional<std::vector<NodeSet>>> subset_nodes(Job& job, SubGroupId part, std::span<const PodId> tasks,
                                                           const NodeSet& nodes);
  void pre_job_allocation(Job& job);
  std::optional<std::string> pre_predicate(PodId pod);
  std::optional<std::string> victim_invariant(PodId pod);
  FitStatus predicate(PodId pod, NodeId node);
  // What the latest of these three refused, as KAI's scheduler tells it.
  std::string tell_pre_predicate(PodId pod, const std::string& refusal) { return refuser_->tell_pre_predicate(pod, refusal); }
  std::string tell_victim_invariant(PodId pod, const std::string& refusal) { return refuser_->tell_victim_invariant(pod, refusal); }
  void tell_predicate(PodId pod, NodeId node, FitStatus status, FitTally& out) { refuser_->tell_predicate(pod, node, status, out); }
  NumaPlacement numa_placement(PodId pod, NodeId node);
  bool can_reclaim(Job& job);
  bool reclaim_victim(Job& reclaimer, const Job& victim);
  bool could_reclaim(Job& reclaimer, const Job& victim, const Quantities& less);
  bool preempt_victim(Job& preemptor, const Job& victim);
  bool reclaim_scenario(const Scenario& scenario);
  bool preempt_scenario(const Scenario& scenario);
  void job_solution_start();
  std::string tell_shares(QueueId queue) const;

  // ---- what a node has for a task
  // Enough of everything right now, or once those that leave have left.
  bool fits_now(PodId pod, NodeId node) const;
  bool fits_later(PodId pod, NodeId node) const;

  // ---- what was found out
  FitErrors& fit_errors() { return fit_errors_; }
  const FitErrors& fit_errors() const { return fit_errors_; }

  // ---- what is kept up to date while the cycle goes on
  NodeClasses& node_classes() { return *node_classes_; }
  JobLists& job_lists() { return *job_lists_; }
  const GpuRooms& gpu_rooms();

  // ---- effects
  void touch(PodId pod);
  void notify_allocate(PodId pod);
  void notify_deallocate(PodId pod);
  void decide_bind(PodId pod, std::string_view rule);
  void decide_eviction(PodId pod, std::string_view rule, const Beneficiary& for_whom);
  // The cycle has bound, moved or promised something to this job.
  void note_served(GroupId job) { served_.insert(job); }
  bool is_served(GroupId job) const { return served_.contains(job); }
  // Evicts at once, without a statement.
  void evict_now(PodId pod, std::string_view rule);
  SymbolId new_gpu_group();
  // Somebody's placement in these groups was taken back: those that were opened for it are forgotten.
  void close_gpu_groups(NodeId node, const GpuGroups& groups);

  // A sentence for whoever runs the scheduler; each is kept once.
  void warn(std::string text);
  const std::vector<std::string>& warnings() const { return warnings_; }

  const Outbox& outbox() const { return outbox_; }
  ActionTally& tally(std::string_view action) { return tallies_[action]; }  // a literal
  const std::map<std::string_view, ActionTally>& tallies() const { return tallies_; }
  const std::vector<BindDetails>& bind_details() const { return bind_details_; }
  // Of each eviction in the outbox, in their order: why, as its PodGroup is told.
  const std::vector<std::string>& eviction_texts() const { return eviction_texts_; }
  // The shares of queues when the cycle opened, by queue; empty when no plugin computes them.
  const std::vector<Quantities>& fair_shares() const { return fair_shares_; }
  void publish_fair_shares(std::vector<Quantities> shares) { fair_shares_ = std::move(shares); }

  // Something that is not built would be needed to go on as the original does; the first such reason stays.
  void refuse(std::string reason) {
    if (refusal_.empty()) refusal_ = std::move(reason);
  }
  const std::string& refusal() const { return refusal_; }

  const std::vector<Plugin*>& chain(Point point) const { return chains_[static_cast<std::size_t>(point)]; }

 private:
  void close_job(Job& job);
  void write_condition(Job& job);

  enum class When : std::uint8_t { kNow, kLater };
  bool fits(PodId pod, NodeId node, When when) const;

  Cluster& cluster_;
  const Config& config_;
  Timestamp now_;
  Memory& memory_;
  WorkCounters work_;
  std::vector<std::pair<std::string, std::unique_ptr<Plugin>>> plugins_;  // by name
  std::array<std::vector<Plugin*>, kPointCount> chains_;
  Plugin* refuser_ = nullptr;  // who said no last
  FitErrors fit_errors_;
  std::unique_ptr<NodeClasses> node_classes_;
  std::unique_ptr<JobLists> job_lists_;
  std::unique_ptr<GpuRooms> gpu_rooms_;
  std::vector<PodId> touched_;
  IdVector<PodId, char> is_touched_;
  boost::unordered_flat_set<GroupId> served_;
  Outbox outbox_;
  std::vector<BindDetails> bind_details_;
  std::vector<std::string> eviction_texts_;
  std::vector<Quantities> fair_shares_;
  std::map<std::string_view, ActionTally> tallies_;  // by action
  std::string refusal_;
  std::vector<std::string> warnings_;
};

}  // namespace muster::kai
