#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/name_table.h"
#include "engine/books.h"
#include "engine/devices/device_catalog.h"
#include "engine/filters/namespace_labels.h"
#include "engine/filters/volume_catalog.h"
#include "engine/fit.h"
#include "model/gone_object.h"
#include "model/objects.h"
#include "policy/kai/claim_book.h"
#include "policy/kai/claim_owners.h"
#include "policy/kai/device_refs.h"
#include "policy/kai/gpu_sharing.h"
#include "policy/kai/job.h"
#include "policy/kai/job_watch.h"
#include "policy/kai/node_info.h"
#include "policy/kai/node_offers.h"
#include "policy/kai/numa/numa_node.h"
#include "policy/kai/options.h"
#include "policy/kai/queue.h"
#include "policy/kai/storage_book.h"
#include "policy/kai/task.h"
#include "policy/kai/usage.h"

namespace muster::kai {

class DomainRooms;
struct KubeRules;

// Everything the scheduler knows between cycles: the books, and the dialect's jobs, queues and nodes. Objects come in by apply()
// and take effect with the next refresh(), when a cycle opens. A cycle works on it directly; reset_pods() takes back what was only
// planned.
class Cluster {
 public:
  explicit Cluster(ClusterOptions options = {});
  ~Cluster();

  // Takes in a new or changed object. An object of the same kind and name replaces the earlier one.
  void apply(const Object& object);
  // Forgets an object: what is decided from the next refresh() on is as if it had never been there. One that is not known is passed
  // over.
  void remove(const GoneObject& object);
  void set_usage(QueueUsage usage) { usage_ = std::move(usage); }
  // Brings everything up to date with the objects and the clock. Ids of what is gone are given out again from then on: until then
  // they tell that it is gone, afterwards nobody may use them.
  void refresh(Timestamp now);
  // Jobs whose PodGroups are gone since this was last asked: what was remembered of them is void.
  std::vector<GroupId> take_gone_jobs() { return std::exchange(gone_jobs_, {}); }

  Books& books() { return books_; }
  const Books& books() const { return books_; }
  FitTable& fits() { return fits_; }
  const ClusterOptions& options() const { return options_; }
  KubeRules& kube_rules() { return *kube_rules_; }
  ResourceId gpu() const { return gpu_; }
  const QueueUsage& usage() const { return usage_; }

  // ---- jobs, by the books' group id
  Job& job(GroupId id) { return jobs_[id]; }
  const Job& job(GroupId id) const { return jobs_[id]; }
  Job& job_of(PodId pod) { return jobs_[books_.pod(pod).group]; }
  const Job& job_of(PodId pod) const { return jobs_[books_.pod(pod).group]; }
  // Jobs of this shard that take part, by age.
  const std::vector<GroupId>& listed_jobs() const { return listed_; }
  // Those of them whose queue does not exist.
  const std::vector<GroupId>& jobs_without_queue() const { return without_queue_; }
  // All of which the PodGroup is there, also of other shards.
  const std::vector<GroupId>& all_jobs() const { return in_order_; }
  // Who has to be looked at.
  JobWatch& watch() { return watch_; }
  const JobWatch& watch() const { return watch_; }
  // What a job holds and asks for as of the last refresh().
  struct JobAmounts {
    QueueId queue;
    bool preemptible = false;
    Quantities held;
    Quantities waiting;
    std::int64_t waiting_mib = 0;  // of shared devices, on top
  };
  const JobAmounts& amounts(GroupId id) const { return amounts_[id]; }
  Task& task(PodId id) { return tasks_[id]; }
  const Task& task(PodId id) const { return tasks_[id]; }
  PodId find_pod(std::string_view key) const;
  // Where the pod is, or was ordered to go, whatever the cycle plans for it; none: nowhere.
  NodeId outside_node(PodId pod) const;
  // What objects and orders say of it by now, as the next refresh() will have it. Until then a pod with news is in no count of its
  // job.
  Status outside_status(PodId pod) const { return derived_status(tasks_[pod]); }
  // What a task asks for, in the units of a job's sums.
  JobSums request_sums(PodId pod) const;

  // ---- devices that pods claim
  DeviceCatalog& devices() { return devices_; }
  const DeviceCatalog& devices() const { return devices_; }
  ClaimBook& claims() { return *claims_; }
  const ExtendedResources& extended_resources() const { return extended_; }
  // Whether a class of devices stands for the resource.
  bool has_devices_for(ResourceId id) const {
    return !extended_.empty() && extended_.class_of(books_.resource_name(id)) != nullptr;
  }

  // ---- storage
  const VolumeCatalog& volumes() const { return volumes_; }
  StorageBook& storage() { return storage_; }
  const StorageBook& storage() const { return storage_; }

  const QueueTree& queues() const { return queue_tree_; }
  // The domains of a topology, made when they are first asked for; nullptr: there is no such topology.
  DomainRooms* domain_rooms(const std::string& topology);
  bool has_topologies() const { return !topologies_.empty(); }

  // ---- nodes of this shard
  // Nodes of which the NUMA zones are known.
  const std::map<NodeId, NumaNode>& numa_nodes() const { return numa_nodes_; }
  // The zones that a task was placed in, by name.
  std::vector<NumaZoneShare> numa_zones(PodId pod) const;
  NodeInfo& node_info(NodeId id) { return node_infos_[id]; }
  const NodeInfo& node_info(NodeId id) const { return node_infos_[id]; }
  // What the objects ask for that is not built yet, in words; empty: nothing.
  const std::string& unsupported() const { return unsupported_; }
  bool known(NodeId id) const { return id && books_.node(id).known; }
  const std::vector<NodeId>& nodes_by_name() const { return nodes_by_name_; }
  // What the nodes have for queues to share.
  Quantities offered() { return offers_.total(); }
  // A node's place among the names.
  std::uint32_t name_rank(NodeId id) const { return name_ranks_[id]; }
  // The least and the most memory of a GPU over the nodes; 0: no node says.
  std::int64_t least_gpu_memory() const { return least_gpu_memory_; }
  std::int64_t most_gpu_memory() const { return most_gpu_memory_; }

  // ---- what cycles do. Every change of a task's status and of who is accounted where goes through here.
  void set_status(PodId pod, Status status);
  // Accounts the task on a node in a status, with the GPU groups that it has now, and takes back the latest such place.
  void place(PodId pod, NodeId node, Status status);
  void unplace(PodId pod, NodeId node);

  // Jobs of which a task changed since this was last asked, each once.
  std::vector<GroupId> take_changed_jobs();

  // ---- what the outside does
  void bind_ordered(PodId pod, BindOrder order);  // a BindRequest was made
  void pod_deleted(PodId pod, Timestamp when);
  void pod_runs(PodId pod);      // where its BindRequest says
  void pod_respawns(PodId pod);  // a new one of the same name waits
  void remove_pod(PodId pod);    // and what it claimed is free
  // Derives the statuses of these pods again from what the outside says, as far as is known by now.
  void reset_pods(const std::vector<PodId>& pods);
  // Conditions were written, on which it depends whether a job is listed: of one job, or of any.
  void conditions_changed(const Job& job);
  void conditions_changed() { groups_changed_ = true; }

 private:
  void apply_pod(const Pod& pod);
  void apply_node(const Node& node);
  void apply_group(const KaiPodGroup& group);
  void apply_queue(const KaiQueue& queue);
  void apply_bind_request(const BindRequest& request);
  void apply_zones(const NodeResourceTopology& topology);
  // Of what is gone.
  void drop_pod(PodId pod);
  void remove_node(NodeId id);
  void remove_group(GroupId id);
  void remove_queue(const std::string& name);
  void remove_bind_request(const std::string& key);
  void recycle();
  void retire_jobs();
  void sweep_nodes();
  void sweep_rules();
  bool in_shard(const StringMap& labels) const;
  GroupId intern_job(const std::string& ns, const std::string& name);
  void link_jobs();
  void link_job(Job& job);
  void list_jobs();
  void reset_jobs();
  void order_nodes();
  void join_job(PodId pod);
  void leave_job(PodId pod);
  Status derived_status(const Task& task) const;
  bool bind_lives(const Task& task) const;
  void give_up(PodId pod, Task::Place& held);
  void withdraw(PodId pod);
  void settle_pod(PodId pod);
  void settle_on_new_nodes();
  void rebuild_shared_nodes();
  void note_shared(const Task& task);
  void count_sums(Job& job, PodId pod, Status status, std::int64_t sign);
  void accept(PodId pod, NodeId node);
  // Devices and claims, up to date with their objects.
  void refresh_devices();
  void count_slice_gpus();
  void find_claimants();
  void count_claimed_gpus(PodId pod);
  ClaimedDevicesPtr claimed_devices(PodId pod);
  void bind_claims(PodId pod);
  void release_claims(PodId pod);
  std::int64_t gpus_charged(const Task& task) const;

  ClusterOptions options_;
  Books books_;
  FitTable fits_;
  VolumeCatalog volumes_;
  DeviceCatalog devices_;
  NamespaceLabels namespaces_;
  ResourceId gpu_;
  std::unique_ptr<KubeRules> kube_rules_;
  GpuSharing sharing_;
  DeviceRefs device_refs_;
  StorageBook storage_;
  std::unique_ptr<ClaimBook> claims_;
  ClaimOwners claim_owners_;
  ExtendedResources extended_;
  std::vector<PodId> claimants_;  // pods to which claims matter
  bool slices_changed_ = false;
  bool claims_changed_ = false;

  Timestamp now_;
  NameTable<GroupId> job_names_;
  IdVector<GroupId, Job> jobs_;
  std::vector<GroupId> in_order_;  // those with a PodGroup; by age when they are listed
  std::vector<GroupId> listed_;
  std::vector<GroupId> without_queue_;
  enum class Listing : std::uint8_t { kNot, kListed, kWithoutQueue };
  IdVector<GroupId, Listing> listings_;
  std::vector<GroupId> unlinked_;  // whose PodGroup or conditions changed
  JobWatch watch_;
  IdVector<GroupId, JobAmounts> amounts_;
  std::vector<GroupId> changed_;  // jobs
  boost::unordered_flat_map<std::string, PodId> pod_names_;
  IdVector<PodId, Task> tasks_;
  boost::unordered_flat_map<std::string, BindRequest> bind_requests_;  // by pod, which may not be there yet
  boost::unordered_flat_map<std::string, std::string> bound_pods_;     // BindRequest to pod
  std::vector<GroupId> emptied_;                                       // jobs that may have nothing left
  std::vector<GroupId> gone_jobs_;                                     // whose PodGroup is gone
  std::vector<PodId> unsettled_;                                       // to be derived with the next refresh
  std::vector<PodId> terminating_;                                     // which the clock may find stuck
  std::vector<NodeId> shared_nodes_;                                   // whose shared GPUs are to be counted anew

  IdVector<NodeId, NodeInfo> node_infos_;
  std::map<NodeId, NumaNode> numa_nodes_;
  std::vector<NodeId> nodes_by_name_;
  NodeOffers offers_;
  IdVector<NodeId, std::uint32_t> name_ranks_;
  std::int64_t least_gpu_memory_ = 0;
  std::int64_t most_gpu_memory_ = 0;
  bool nodes_changed_ = true;
  std::vector<NodeId> new_nodes_;  // whose objects came, and were not there before

  std::list<KaiQueue> queues_;  // latest applied last
  boost::unordered_flat_map<std::string, std::list<KaiQueue>::iterator> queue_places_;
  QueueTree queue_tree_;
  QueueUsage usage_;
  bool queues_changed_ = true;
  bool groups_changed_ = true;
  std::map<std::string, std::int32_t, std::less<>> priority_classes_;
  std::map<std::string, std::int32_t> global_defaults_;
  std::map<std::string, KaiTopology> topologies_;
  std::map<std::string, std::unique_ptr<DomainRooms>> domain_rooms_;  // of topologies that jobs asked for
  std::string unsupported_;
};

// How KAI accounts pods on nodes: who waits for others to leave takes nothing of what is idle.
Accounting kai_accounting();

}  // namespace muster::kai
