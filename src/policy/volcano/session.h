#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/node_search.h"
#include "engine/outbox.h"
#include "engine/work_counters.h"
#include "policy/volcano/behaviour.h"
#include "policy/volcano/cluster.h"
#include "policy/volcano/config.h"
#include "policy/volcano/devices/node_annotation.h"
#include "policy/volcano/plugin.h"
#include "policy/volcano/statement.h"

namespace muster::volcano {

// A PodGroup event: "Warning Unschedulable: 3/3 tasks in gang unschedulable: …".
struct GroupEvent {
  GroupId job;
  std::string_view type;    // a literal
  std::string_view reason;  // a literal
  Text message;
};

// PodScheduled=False written on a pod.
struct PodCondition {
  PodId pod;
  std::string_view reason;  // a literal
  Text message;
};

// What a cycle wants written besides binds and evictions.
struct StatusWrites {
  std::vector<GroupEvent> events;
  std::vector<PodCondition> pod_conditions;
  std::vector<std::pair<PodId, NodeId>> nominated;
  std::vector<GroupId> groups;                   // PodGroups whose status changed
  std::vector<QueueId> queues;                   // queues whose status.allocated changed
  std::vector<NodeAnnotation> node_annotations;  // locks of nodes whose devices were handed out
};

// What survives from one cycle to the next besides the cluster itself.
struct Memory {
  SearchKind search = SearchKind::kIndex;
  Behaviour behaviour;
  std::shared_ptr<IndexMemory> index = make_index_memory();
  std::shared_ptr<class ClassTable> classes;
  const Config* classes_for = nullptr;
  std::uint64_t rules_version = 0;
};

// One scheduling cycle: opened on the cluster, acted on, closed. Works on the cluster's books directly; close() takes back what was
// placed and not decided.
class Session {
 public:
  Session(Cluster& cluster, const Config& config, Timestamp now, Memory& memory);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void open();
  void close();

  Cluster& cluster() { return cluster_; }
  const Cluster& cluster() const { return cluster_; }
  Books& books() { return cluster_.books(); }
  const Books& books() const { return cluster_.books(); }
  const Config& config() const { return config_; }
  Timestamp now() const { return now_; }
  const Behaviour& behaviour() const { return memory_.behaviour; }
  NodeSearch& search() { return *search_; }
  WorkCounters& work() { return work_; }
  const WorkCounters& work() const { return work_; }
  JobCounts counts(const Job& job) const { return JobCounts(books(), job); }

  // ---- orders. Strict: the first plugin that tells two apart decides, then age, then name.
  bool job_before(GroupId left, GroupId right);
  bool older(GroupId left, GroupId right) const;  // what decides between jobs of equal rank
  bool queue_before(QueueId left, QueueId right);
  bool task_before(PodId left, PodId right);

  // ---- questions to the plugins
  bool job_valid(const Job& job);
  bool job_ready(const Job& job);
  bool job_pipelined(const Job& job);
  bool job_enqueueable(const Job& job);
  void job_enqueued(const Job& job);
  bool overused(QueueId queue);
  bool allocatable(QueueId queue, PodId pod);
  std::optional<std::string> pre_predicate(PodId pod);

  // ---- effects
  bool notify_allocate(PodId pod);
  void notify_deallocate(PodId pod);
  // Decides to bind an allocated pod; false when the node cannot take it after all.
  bool bind(PodId pod, std::string_view rule);
  // Places a pod and, if its job is ready, decides every allocation that the job has.
  void allocate_and_dispatch(PodId pod, NodeId node, std::string_view rule);
  // Leaves a pod where it is placed until the end of the cycle.
  void plan(PodId pod) { planned_.push_back(pod); }
  // Keeps a statement's effects until the end of the cycle, undecided.
  void keep(Statement statement) { kept_.push_back(std::move(statement)); }
  void set_phase(Job& job, Phase phase);
  // Errors that many tasks share, by the stamp of the refusals that they tell of.
  std::shared_ptr<FitErrors>& errors_for(std::uint64_t stamp) { return shared_errors_[stamp]; }
  // Whether the order of tasks rests on the tasks alone and not on what happens in the cycle.
  bool task_order_is_fixed() const;

  // ---- what goes out
  const Outbox& outbox() const { return outbox_; }
  StatusWrites& writes() { return writes_; }
  const StatusWrites& writes() const { return writes_; }
  void record_event(const Job& job, std::string_view type, std::string_view reason, Text message);
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
  bool still_fits_cluster(PodId pod) const;
  void undo_kept();

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
  std::vector<PodId> planned_;  // placed by no statement that is still open
  std::vector<GroupId> attention_;
  IdVector<GroupId, char> attended_;
  Outbox outbox_;
  StatusWrites writes_;
};

}  // namespace muster::volcano
