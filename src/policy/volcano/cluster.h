#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/bitset.h"
#include "base/id_pages.h"
#include "base/interner.h"
#include "base/name_table.h"
#include "base/result.h"
#include "engine/books.h"
#include "engine/devices/device_catalog.h"
#include "engine/filters/namespace_labels.h"
#include "engine/filters/volume_catalog.h"
#include "engine/fit.h"
#include "model/gone_object.h"
#include "model/objects.h"
#include "policy/volcano/devices/device_settings.h"
#include "policy/volcano/hyper_sums.h"
#include "policy/volcano/hyper_tree.h"
#include "policy/volcano/job.h"
#include "policy/volcano/node_usage.h"
#include "policy/volcano/queue.h"

namespace muster::volcano {

class DeviceBooks;
class NumaBooks;
struct DeviceConfig;
struct KubeRules;

// What the dialect knows of a pod beyond the engine's record.
struct Task {
  std::optional<std::int64_t> name_index;  // the number at the end of the pod's name, which orders tasks
  std::string nominated_node;              // as its object says
  bool nomination_dropped = false;         // a plan failed that rested on it: not heeded until it is written anew
  bool preemptable = true;
  bool may_preempt = true;        // its preemptionPolicy is not Never
  bool system_critical = false;   // of one of the two priority classes of Kubernetes itself
  std::int32_t pod_priority = 0;  // as its object says; PodRecord.priority is the task's
  bool names_priority = false;    // its object says one at all
  bool pushed_out = false;        // terminating, because a scheduler made room
  bool only_own_gate = false;     // its one scheduling gate is the queue admission gate
  std::string template_uid;       // pods made from one template; empty when not annotated
  StringMap annotations;          // those under volcano.sh/
  std::optional<Timestamp> started;
  std::optional<Timestamp> scheduled;  // since when its PodScheduled condition has been True
  bool phase_running = false;          // as its object says: an eviction that is taken back leaves even a bound pod running
  bool unwritten = false;              // what a cycle wrote below, and the nomination, have not reached the object
  // The PodScheduled=False condition as last written, empty reason when there is none.
  std::string condition_reason;
  Text condition_message;

  std::string_view nomination() const { return nomination_dropped ? std::string_view() : std::string_view(nominated_node); }
};

struct ClusterOptions {
  std::vector<std::string> scheduler_names = {"volcano"};
  std::string default_queue = "default";
  std::vector<std::string> node_selector;  // "key:value" items; a node needs any of them
  std::vector<std::string> ignored_provisioners;
  bool priority_classes = true;
  std::string shard_mode = "none";
  std::string shard_name = "volcano";
  // What is to be remembered of objects besides, because plugins of the configuration ask for it.
  DeviceSettings devices;
  bool numa = false;
};

// Has everything remembered that a configuration needs. True: that is more than the default.
bool remember_for(const Config& config, ClusterOptions& options);

enum class ShardMode { kNone, kHard, kSoft };

// Everything the scheduler knows between cycles: the books, and the dialect's jobs, queues and classes. Objects come in by apply();
// a cycle (Session) works on it directly and takes back what it did not decide.
class Cluster {
 public:
  explicit Cluster(ClusterOptions options = {});
  ~Cluster();

  // Takes in a new or changed object. An object of the same kind and name replaces the earlier one.
  void apply(const Object& object);
  // Ends the first batch of apply(): pods that depend on objects that came after them are taken in.
  void settle();
  // Forgets an object: what is decided from now on is as if it had never been there. One that is not known is passed over.
  void remove(const GoneObject& object);

  Books& books() { return books_; }
  const Books& books() const { return books_; }
  FitTable& fits() { return fits_; }
  const FitTable& fits() const { return fits_; }
  const ClusterOptions& options() const { return options_; }
  const VolumeCatalog& volumes() const { return volumes_; }
  const DeviceCatalog& devices() const { return devices_; }
  // Pods that name a resource claim that does not exist, by key. They are not taken in until it does: the original never sees them.
  const std::map<std::string, Pod>& pods_without_claim() const { return without_claim_; }
  // The first claim of such a pod that does not exist, as "namespace/name"; empty for an entry that names none. Claims that are
  // still to be made from a template keep no pod out.
  std::optional<std::string> missing_claim(const Pod& pod) const;
  const NamespaceLabels& namespaces() const { return namespaces_; }
  KubeRules& kube_rules() { return *kube_rules_; }
  // Shared devices, and CPUs by NUMA node; nullptr when the options do not ask for them.
  DeviceBooks* shared_devices() { return shared_devices_.get(); }
  const DeviceBooks* shared_devices() const { return shared_devices_.get(); }
  void set_device_config(DeviceConfig config);
  NumaBooks* numa() { return numa_.get(); }

  // ---- jobs, by the books' group id
  Job& job(GroupId id) { return jobs_[id]; }
  const Job& job(GroupId id) const { return jobs_[id]; }
  Job& job_of(PodId pod) { return jobs_[books_.pod(pod).group]; }
  std::size_t job_count() const { return jobs_.size(); }
  GroupId find_job(std::string_view key) const { return job_names_.find(key); }
  Task& task(PodId id) { return tasks_[id]; }
  const Task& task(PodId id) const { return tasks_[id]; }
  PodId find_pod(std::string_view key) const;
  // What the last cycle wrote on the object has not reached it: the next one writes it again.
  void forget_written(GroupId job);
  void forget_written(PodId pod);
  void forget_written(QueueId queue) { queues_[queue].allocated.reset(); }

  // ---- queues
  QueueInfo& queue(QueueId id) { return queues_[id]; }
  const QueueInfo& queue(QueueId id) const { return queues_[id]; }
  std::size_t queue_count() const { return queues_.size(); }
  QueueId find_queue(std::string_view name) const;

  // By namespace and name.
  const std::map<std::string, std::map<std::string, ResourceQuota>>& quotas() const { return quotas_; }
  const std::map<std::string, std::map<std::string, PodDisruptionBudget>>& budgets() const { return budgets_; }

  // ---- nodes, beyond the books' record
  // Whether a node's amounts name a resource at all, if only at zero: because its object does, or a pod on it.
  bool node_names(NodeId node, ResourceId resource) const;
  // What the machine has, of which allocatable is what pods may use.
  const Amounts& capacity(NodeId node) const;
  // Takes in what a metrics source measured. Nodes that have not arrived are passed over: the next measurement comes soon.
  void set_usage(std::string_view node, const NodeUsage& usage);
  // nullptr: never measured.
  const NodeUsage* usage(NodeId node) const;

  // ---- topology domains, as of the last refresh()
  const HyperTree& hyper_tree() const { return hyper_tree_; }
  // Their sums, as of the last HyperSums::update().
  HyperSums& hyper_sums() { return hyper_sums_; }
  // Jobs that have sub-jobs.
  const std::vector<GroupId>& divided_jobs() const { return divided_jobs_; }

  // ---- shards
  ShardMode shard_mode() const { return shard_mode_; }
  bool in_shard(NodeId node) const;
  const Bitset& shard() const { return shard_; }

  // ---- what schedulers and clusters do to pods. Every change of a pod's state goes through here.
  void move(PodId pod, PodState state, NodeId node);
  // Another state of a pod that stays on its node.
  void restate(PodId pod, PodState state);
  // Facts that arrive later: the pod runs on its node; it is being deleted; it is gone.
  void pod_runs(PodId pod);
  void pod_terminates(PodId pod);
  void remove_pod(PodId pod);
  // Another pod like it that belongs to nobody, to stand for it somewhere else. Whoever asks removes it from the books.
  PodId add_shade(PodId of);
  // The pod's bind goes out, and with it the devices that its claims were promised.
  void confirm_devices(PodId pod);

  // When a cycle opens: refresh(), and ids of what is gone are given out again. Until then they tell that it is gone; afterwards
  // nobody may use ids from before, but for those of what still exists. Gives the jobs whose PodGroups are gone since the last
  // call: what was remembered of them is void.
  std::vector<GroupId> begin_cycle();
  // Brings the queues' sums up to date with the jobs that changed, and the shard with its nodes.
  void refresh();
  // Jobs that refresh() found changed since they were last taken.
  std::vector<GroupId> take_changed_jobs() { return std::exchange(changed_jobs_, {}); }
  // Jobs, among those refreshed, that wait for something: let in or not, or with pods to place. All others concern no action.
  const Bitset& open_jobs() const { return open_jobs_; }
  // What jobs that were let in may still take, over all queues, as the overcommit plugin counts it.
  const Amounts& overcommitted() const { return overcommitted_; }
  // Counts changes of objects other than pods, groups and nodes: what filters and scores rest on besides those.
  std::uint64_t rules_version() const { return rules_version_; }

 private:
  void apply_pod(const Pod& pod);
  PodRecord record_of(const Pod& pod, const Amounts& attachments);
  void note_claims(PodId id, const Pod& pod, Amounts attachments);
  void apply_node(const Node& node);
  void set_node(NodeId id, NodeRecord record);
  void set_node_amounts(NodeId id, const Node& node);
  void drop_managed_resources();
  Amounts counted(const ResourceList& list);
  bool must_wait(const Pod& pod) const;
  void apply_claim(const ResourceClaim& claim);
  void apply_group(const PodGroup& group);
  void apply_queue(const Queue& queue);
  void apply_shards();
  // Of what is gone.
  void remove_node(const std::string& name);
  void remove_group(const std::string& key);
  void remove_queue(const std::string& name);
  void remove_claim(const std::string& key);
  void forget_waiting(const std::string& pod);
  void retire_jobs();
  void sweep_nodes();
  void sweep_rules();
  // A node whose object comes: behind all others, if it was not there.
  NodeId enter_node(const std::string& name);
  void move_extras(NodeId from, NodeId to);
  // The attachments of pods with volumes, up to date with the objects that say what they are.
  void recount_attachments();
  void reshape(PodId pod, const Amounts& before, const Amounts& now);
  void divide(Job& job, const PodGroup& group);
  GroupId intern_job(const std::string& key);
  template <class Visit>
  void for_each_job(Visit visit) {
    for (const auto id : IdRange<GroupId>(jobs_.size())) visit(jobs_[id]);
  }
  void count_role(PodId pod, int sign);
  void retire_pod(PodId pod);
  void link_queue(Job& job);
  void update_priority(Job& job);
  void mark_open(const Job& job);
  JobSums sums_of(const Job& job) const;

  ClusterOptions options_;
  Books books_;
  FitTable fits_;
  VolumeCatalog volumes_;
  DeviceCatalog devices_;
  NamespaceLabels namespaces_;
  std::unique_ptr<KubeRules> kube_rules_;
  std::unique_ptr<DeviceBooks> shared_devices_;
  std::unique_ptr<NumaBooks> numa_;

  NameTable<GroupId> job_names_;
  IdPages<GroupId, Job> jobs_;
  IdPages<GroupId, JobSums> counted_;  // what is in the queues' sums
  boost::unordered_flat_map<std::string, PodId> pod_names_;
  IdPages<PodId, Task> tasks_;
  std::vector<Pod> deferred_;
  std::map<std::string, Pod> without_claim_;
  std::map<std::string, std::set<std::string>> waiting_for_claim_;  // claim to pods that are in without_claim_
  std::map<PodId, Pod> claimants_;                                  // pods that name resource claims, which may go before them
  struct Attached {
    Pod pod;  // its names and volumes
    Amounts attachments;
  };
  std::map<PodId, Attached> attached_;  // pods whose volumes count for storage drivers, or will
  bool attachments_stale_ = false;
  std::vector<GroupId> emptied_;    // jobs that may have nothing left
  std::vector<GroupId> gone_jobs_;  // whose PodGroup is gone
  bool settled_ = false;

  struct NodeExtra {
    Amounts own;          // what the Node object says
    Amounts allocatable;  // with the limits of storage drivers
    Amounts capacity;
    std::optional<NodeUsage> usage;
  };
  const NodeExtra* extra(NodeId node) const { return node_extras_.contains(node) ? &node_extras_[node] : nullptr; }
  IdVector<NodeId, NodeExtra> node_extras_;  // may be shorter than the books' table

  HyperTree hyper_tree_;
  HyperSums hyper_sums_;
  std::vector<GroupId> divided_jobs_;

  Interner<QueueId> queue_names_;
  IdVector<QueueId, QueueInfo> queues_;
  std::vector<GroupId> changed_jobs_;
  Amounts overcommitted_;
  Bitset open_jobs_;
  std::map<std::string, std::int32_t, std::less<>> priority_classes_;
  std::map<std::string, std::int32_t> global_defaults_;
  std::map<std::string, std::map<std::string, ResourceQuota>> quotas_;
  std::map<std::string, std::map<std::string, PodDisruptionBudget>> budgets_;
  std::map<std::string, NodeShard> shards_;
  ShardMode shard_mode_ = ShardMode::kNone;
  Bitset shard_;  // as of the last refresh()
  bool shards_stale_ = true;
  std::uint64_t rules_version_ = 0;
};

// Amounts promised to a job, less what its gated pods ask for.
Amounts without_gated(const Cluster& cluster, const Job& job, Amounts amounts);

// How Volcano accounts pods on nodes.
Accounting volcano_accounting();

}  // namespace muster::volcano
