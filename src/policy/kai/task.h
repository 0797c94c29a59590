#pragma once

#include <boost/container/small_vector.hpp>
#include <memory>
#include <optional>
#include <string>

#include "engine/ids.h"
#include "model/time.h"
#include "policy/kai/claimed_devices.h"
#include "policy/kai/extended_resources.h"
#include "policy/kai/gpu_sharing.h"
#include "policy/kai/job.h"
#include "policy/kai/numa/numa_request.h"
#include "policy/kai/request.h"

namespace muster::kai {

// What the API server says of a pod, and what the scheduler has asked for: from these its status is derived when a cycle opens.
struct PodFacts {
  enum class Phase : std::uint8_t { kPending, kRunning, kSucceeded, kFailed, kUnknown };
  Phase phase = Phase::kPending;
  NodeId node;  // spec.nodeName
  std::optional<Timestamp> deleted;
  bool gated = false;         // by the gates of its object, or because it is unreservable
  bool unreservable = false;  // it asks for a part of a GPU, and nobody is there to reserve it
  GpuGroups groups;           // by its labels
};

// A bind that was asked for. It outlives its success, because it tells the GPU groups of its pod.
struct BindOrder {
  NodeId node;
  GpuGroups groups;
  bool failed = false;
  std::vector<NumaZoneShare> numa;
  ClaimedDevicesPtr devices = nullptr;  // what it gives to claims of the pod
  std::shared_ptr<const ExtendedDevices> extended = nullptr;
};

// What a pod's runtime needs besides what its containers ask for.
struct Overhead {
  ResourceList list;
  Amounts amounts;
};

// A pod as the dialect sees it, beyond the engine's record.
struct Task {
  PodFacts facts;
  std::optional<BindOrder> bind;
  std::string job_name;   // its annotation; empty: of no job
  std::string sub_group;  // its label
  std::string priority_class;
  bool ours = false;         // names this scheduler
  bool utility = false;      // of KAI itself: counts as nobody else's
  bool reservation = false;  // stands for a shared GPU

  GpuRequest gpu;
  std::unique_ptr<const Overhead> overhead;  // none: its runtime needs nothing besides
  std::unique_ptr<const NumaRequest> numa;   // none where no plugin asks for it
  std::vector<ExtendedAsk> asks;             // which might be for devices
  SubGroupId pod_set;                        // none: left out
  // What orders tasks of a job.
  std::optional<std::int64_t> priority;  // of its label
  bool has_priority_label = false;
  bool is_master = false;  // of a training job
  bool is_head = false;    // of a Ray cluster
  std::string nominated_node;

  // As of now, within a cycle.
  Status status = Status::kPending;
  bool is_virtual = false;  // the status is only planned
  NodeId node;
  GpuGroups groups;
  NumaPlacement numa_placement;
  ClaimedDevicesPtr devices;
  std::shared_ptr<const ExtendedDevices> extended;  // without an allocation: it will need one where no device plugin serves it
  Quantities accepted;                              // what it was given, once it stood on a node
  JobSums accepted_sums;
  // Where it is accounted: more than one place when it is to leave one node and waits for another.
  struct Place {
    NodeId node;
    Status status;
    GpuGroups groups;
    NumaPlacement numa;
    bool in_books = false;  // as the one place that the books know of
    ClaimedDevicesPtr devices;
    bool planned = false;  // its status is not decided
    bool lost = false;     // accounted for the rest of the cycle, and nobody finds it any more
  };
  boost::container::small_vector<Place, 1> places;

  // The latest on that node: a pod that moves between shared GPUs of one node is there twice.
  const Place* place_on(NodeId where) const { return const_cast<Task*>(this)->place_on(where); }
  Place* place_on(NodeId where) {
    for (auto place = places.rbegin(); place != places.rend(); ++place)
      if (place->node == where && !place->lost) return &*place;
    return nullptr;
  }
};

}  // namespace muster::kai
