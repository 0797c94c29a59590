#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/heap.h"
#include "engine/node_search.h"
#include "engine/outbox.h"
#include "engine/work_counters.h"
#include "policy/volcano/behaviour.h"
#include "policy/volcano/cluster.h"
#include "policy/volcano/config.h"
#include "policy/volcano/cycle_tally.h"
#include "policy/volcano/devices/node_annotation.h"
#include "policy/volcano/plugin.h"
#include "policy/volcano/statement.h"
#include "policy/volcano/twins.h"

namespace muster::volcano {

// A PodGroup event: "Warning Unschedulable: 3/3 tasks in gang unschedulable: …".
struct GroupEvent {
  GroupId job;
  std::string_view type;    // a literal
  std::string_view reason;  // a literal
  Text message;
  PodId evicted = {};  // the pod whose eviction it tells of
};

// PodScheduled=False written on a pod.
struct PodCondition {
  PodId pod;
  std::string_view reason;  // a literal
  Text message;
};

// What a cycle wants written besides binds and evictions.
struct StatusWrites {
  std::deque<GroupEvent> events;
  std::vector<PodCondition> pod_conditions;
  std::vector<std::pair<PodId, NodeId>> nominated;
  std::vector<GroupId> groups;                   // PodGroups whose status changed
  std::vector<QueueId> queues;                   // queues whose status.allocated changed
  std::vector<NodeAnnotation> node_annotations;  // locks of nodes whose devices were handed out
  std::vector<std::string> warnings;             // sentences for whoever runs the scheduler, each once
};

class CycleObserver;
class ExtenderClient;

// The room that others left for a job and that it has not got yet: the node that each of its pods waits for, and those that pods
// waited for that are gone.
struct Promise {
  boost::unordered_flat_map<PodId, NodeId> places;
  std::vector<NodeId> left_over;

  // Calls visit(NodeId) once for each place.
  template <class F>
  void for_each_node(F&& visit) const {
    for (const auto& [pod, node] : places) visit(node);
    for (const auto node : left_over) visit(node);
  }
};
using Promises = std::map<GroupId, Promise>;

// What survives from one cycle to the next besides the cluster itself.
struct Memory {
  SearchKind search = SearchKind::kIndex;
  Behaviour behaviour;
  std::shared_ptr<IndexMemory> index = make_index_memory();
  std::shared_ptr<class ClassTable> classes;
  const Config* classes_for = nullptr;
  std::uint64_t rules_version = 0;
  std::optional<Timestamp> zones_emptied;    // when tdm last looked for pods whose zone's time is over
  std::optional<Timestamp> rescheduled;      // when rescheduling last ran, or was first asked
  std::shared_ptr<ExtenderClient> extender;  // the way to the service that the plugin extender asks; none: it cannot be asked
  Promises promised;
};

// What opening a session begins with: ids of what is gone are given out again, and what is remembered keeps up with that.
void forget_gone(Cluster& cluster, Memory& memory);

// One scheduling cycle: opened on the cluster, acted on, closed. Works on the cluster's books directly; close() takes back what was
// placed and not decided.
class Session {
 public:
  Session(Cluster& cluster, const Config& config, Timestamp now, Memory& memory);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void open(CycleObserver* observer = nullptr);  // which must live as long
  void close(CycleObserver* observer = nullptr);

  Cluster& cluster() { return cluster_; }
  const Cluster& cluster() const { return cluster_; }
  Books& books() { return cluster_.books(); }
  const Books& books() const { return cluster_.books(); }
  const Config& config() const { return config_; }
  Timestamp now() const { return now_; }
  const Behaviour& behaviour() const { return memory_.behaviour; }
  Memory& memory() { return memory_; }
  NodeSearch& search() { return *search_; }
  PlacementRules& rules() { return *rules_; }
  // Whether necessary conditions are looked at first. The reference path does without, so that the two can be compared.
  bool looks_ahead() const { return memory_.search == SearchKind::kIndex; }
  WorkCounters& work() { return work_; }
  const WorkCounters& work() const { return work_; }
  JobCounts counts(const Job& job) const { return JobCounts(books(), job); }
  const HyperTree& hyper_tree() const { return cluster_.hyper_tree(); }

  // ---- orders. Strict: the first plugin that tells two apart decides, then age, then name.
  bool job_before(GroupId left, GroupId right);
  bool older(GroupId left, GroupId right) const;  // what decides between jobs of equal rank
  bool queue_before(QueueId left, QueueId right);
  bool task_before(PodId left, PodId right);
  bool sub_job_before(const SubJob& left, const SubJob& right);
  // What the plugins alone say about two jobs: less than, equal to or greater than 0.
  int compare_jobs(GroupId left, GroupId right);
  // Whether a pod of the taker's queue would take room from the left queue before the right one, two different queues.
  bool loses_before(QueueId left, QueueId right, QueueId taker);
  // Whether the left pod would go before the right one if a pod of the taker's queue needed room.
  bool goes_before(PodId left, PodId right, QueueId taker);
  // The order in which candidates would have to go for a pod of the taker's job, first to go first.
  std::vector<PodId> victims_in_order(GroupId taker, std::vector<PodId> candidates);

  // ---- questions to the plugins
  bool job_valid(const Job& job);
  bool job_ready(const Job& job);
  bool job_pipelined(const Job& job);
  bool job_enqueueable(const Job& job);
  void job_enqueued(const Job& job);
  bool overused(QueueId queue);
  bool allocatable(QueueId queue, PodId pod);
  bool simulate_allocatable(QueueId queue, PodId pod);
  std::optional<std::string> pre_predicate(PodId pod);
  // False: predicates are not ready to judge the pod, because nobody has asked pre_predicate() about it in this cycle.
  bool is_prepared(PodId pod) const;
  // What the plugins' predicates say against one node, resources aside.
  Verdict predicate(PodId pod, NodeId node);
  bool simulate_predicate(PodId pod, NodeId node);

  // ---- questions about sub-jobs and domains. No sub-job stands for a job that has none: it is one gang.
  bool sub_job_ready(const Job& job, const SubJob* sub_job);
  bool sub_job_pipelined(const Job& job, const SubJob* sub_job);
  // Which domains within the given one to try, for the job or for one of its sub-jobs. The first plugin that answers is right, even
  // if it names none; nobody asked, the given one is the only one.
  Gradients gradients(const Job& job, HyperNodeId within, Purpose purpose);
  Gradients gradients(const Job& job, const SubJob* sub_job, HyperNodeId within, Purpose purpose);
  // How good each domain is for the sub-job, higher is better.
  std::vector<double> hyper_node_scores(const SubJob* sub_job, std::span<const HyperNodeId> domains);
  // Where an eviction made room for a sub-job; gone with the cycle.
  void nominate(Job& job, SubJob* sub_job, HyperNodeId domain);

  // ---- questions about eviction
  bool job_starving(const Job& job);
  bool preemptive(QueueId queue, std::span<const PodId> pods);
  // Whom of the candidates the plugins give up, in the order of the candidates.
  std::vector<PodId> preemptable(PodId preemptor, std::span<const PodId> candidates);
  std::vector<PodId> reclaimable(PodId reclaimer, std::span<const PodId> candidates);
  std::vector<PodId> gang_evictable(const GangDemand& demand, std::span<const PodId> candidates);
  std::vector<PodId> victim_tasks(std::span<const PodId> running);
  // Whom of the candidates no plugin protects that speaks for single pods, whoever they are evicted for. The taker's own job may
  // have been served in this cycle; none: it is for nobody in particular.
  std::vector<PodId> unprotected(std::span<const PodId> candidates, GroupId taker = GroupId()) const;

  // ---- effects
  bool notify_allocate(PodId pod);
  void notify_deallocate(PodId pod);
  void notify_eviction_undone(PodId pod);
  // Decides to evict a pod that a statement marked as leaving.
  void evict(PodId pod, std::string_view rule, const Beneficiary& for_whom);
  // Keeps for the next cycles where the job's pods wait now, because others leave for it.
  void promise(GroupId job);
  // The node that others left, or are to leave, for the pod; none: nobody had to.
  NodeId promised_node(PodId pod) const;
  // What a pod is before its eviction is tried for the first time; what is not decided ends as it was.
  void remember_victim(PodId pod);
  // Decides to bind an allocated pod; false when the node cannot take it after all.
  bool bind(PodId pod, std::string_view rule);
  // Places a pod and, if its job is ready, decides every allocation that the job has. Nothing happens when a plugin refuses.
  void allocate_and_dispatch(PodId pod, NodeId node, std::string_view rule);
  // Undoes a placement that is not decided.
  void take_back(PodId pod);
  Twins& twins() { return twins_; }
  const Twins& twins() const { return twins_; }
  // Leaves a pod where it is placed until the end of the cycle.
  void plan(PodId pod);
  // Keeps a statement's effects until the end of the cycle, undecided.
  void keep(Statement statement);
  void set_phase(Job& job, Phase phase);
  // Errors that many tasks share, by the stamp of the refusals that they tell of.
  std::shared_ptr<FitErrors>& errors_for(std::uint64_t stamp) { return shared_errors_[stamp]; }
  // Whether what is tried and undone leaves no trace in any plugin.
  bool undoes_cleanly() const;
  // On what filters of a pod rest at most.
  Dependence filter_dependence(PodId pod) const;
  // Whether the order of tasks rests on the tasks alone and not on what happens in the cycle.
  bool task_order_is_fixed() const;

  // ---- what goes out
  const Outbox& outbox() const { return outbox_; }
  StatusWrites& writes() { return writes_; }
  const StatusWrites& writes() const { return writes_; }
  CycleTally& tally() { return tally_; }
  const CycleTally& tally() const { return tally_; }
  void record_event(const Job& job, std::string_view type, std::string_view reason, Text message);
  // Something went wrong outside of any job; of many sentences the first ones are kept.
  void warn(std::string sentence);
  // Jobs whose status has to be looked at when the cycle closes.
  const std::vector<GroupId>& jobs_to_close() const { return attention_; }
  void attend(GroupId job);

  template <class T>
  T* plugin(std::string_view name) {
    for (auto& [known, instance] : plugins_)
      if (known == name) return dynamic_cast<T*>(instance.get());
    return nullptr;
  }
  const std::vector<Plugin*>& chain(Point point) const { return chains_[static_cast<std::size_t>(point)].flat; }

 private:
  struct Chain {
    std::vector<std::vector<Plugin*>> tiers;
    std::vector<Plugin*> flat;
  };
  const Chain& of(Point point) const { return chains_[static_cast<std::size_t>(point)]; }
  void build_plugins();
  bool vote(Point point, const std::function<Vote(Plugin&)>& ask) const;
  std::string eviction_text(PodId pod, std::string_view rule, const Beneficiary& for_whom) const;
  bool still_fits_cluster(PodId pod) const;
  using Ask = std::function<Ballot(Plugin&, std::span<const PodId>)>;
  std::vector<PodId> elect(Point point, std::span<const PodId> candidates, const Ask& ask) const;
  std::vector<PodId> unprotected(Point point, std::vector<PodId> left, const Ask& ask) const;
  std::vector<PodId> unserved(std::span<const PodId> candidates, GroupId taker) const;
  void undo_kept();
  void restore_victims();
  void forget_nominations();

  Cluster& cluster_;
  const Config& config_;
  Timestamp now_;
  Memory& memory_;
  WorkCounters work_;

  std::vector<std::pair<std::string, std::unique_ptr<Plugin>>> plugins_;
  std::array<Chain, kPointCount> chains_;
  std::unique_ptr<PlacementRules> rules_;
  std::unique_ptr<NodeSearch> search_;

  boost::unordered_flat_map<std::uint64_t, std::shared_ptr<FitErrors>> shared_errors_;
  std::vector<Statement> kept_;
  struct Victim {
    PodId pod;
    PodState state = PodState::kPending;
    bool present = false;  // filters and scores saw it
  };
  std::vector<Victim> victims_;
  boost::unordered_flat_set<PodId> remembered_victims_;
  std::vector<GroupId> nominated_;  // jobs
  Twins twins_;
  std::vector<PodId> planned_;  // placed by no statement that is still open
  std::vector<GroupId> attention_;
  IdVector<GroupId, char> attended_;
  IdVector<GroupId, char> served_;  // jobs that were placed or promised room in this cycle
  Outbox outbox_;
  StatusWrites writes_;
  CycleTally tally_;
};

// Victims in the order in which they go. It is asked anew at each step, because evictions change how jobs compare.
class VictimLine {
 public:
  VictimLine(Session& session, GroupId taker, std::span<const PodId> victims);
  bool empty() const { return heap_.empty(); }
  PodId pop() { return heap_.pop(); }

 private:
  struct Before {
    Session* session;
    QueueId taker;
    bool operator()(PodId left, PodId right) const;
  };
  Heap<PodId, Before> heap_;
};

}  // namespace muster::volcano
