#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/fit.h"
#include "model/objects.h"
#include "policy/volcano/behaviour.h"
#include "policy/volcano/devices/card_use.h"
#include "policy/volcano/devices/device_request.h"

namespace muster::volcano {

// A pod as devices see it.
struct DeviceAsk {
  PodId pod;
  const DeviceRequest& request;
  const DeviceNotes& notes;  // as its object has them
  const StringMap& labels;
  std::string_view name;
};

// What holds for a whole cycle.
struct DeviceCycle {
  std::string policy;  // "binpack", "spread" or none
  Timestamp now;
  Behaviour behaviour;
  std::uint64_t number = 0;  // never twice the same
};

struct DeviceAnswer {
  FitCode code = FitCode::kSuccess;
  std::string_view reason;  // as long-lived as the devices
};

// The devices of one family on one node, and which pods hold them. Single-threaded; answers rest on the request and on this state
// alone unless said otherwise.
class NodeDevices {
 public:
  virtual ~NodeDevices() = default;

  virtual DeviceAnswer filter(const DeviceAsk& ask, const DeviceCycle& cycle) = 0;
  virtual double score(const DeviceAsk&, const DeviceCycle&) { return 0; }
  // Gives a pod its devices; what comes back is for the pod's annotations. Nothing: there are not enough.
  virtual std::optional<StringMap> allocate(const DeviceAsk& ask, const DeviceCycle& cycle) = 0;
  // Takes back what allocate() gave.
  virtual void release(const DeviceAsk& ask, const DeviceCycle& cycle) = 0;

  // Forgets every pod; then hold() or linger() for each pod on the node and complete() make the state anew.
  virtual void clear() = 0;
  virtual void complete() {}
  // A pod holds what its annotations say; ceases to; is on the node but about to leave.
  virtual void hold(const DeviceAsk& ask, const DeviceNotes& notes, const DeviceCycle& cycle) = 0;
  virtual void drop(const DeviceAsk& ask) = 0;
  virtual void linger(const DeviceAsk&) {}

  // What a pod counts for in its queue instead of its request, in thousandths.
  virtual std::vector<std::pair<std::string, std::int64_t>> queue_amounts(const DeviceNotes&) const { return {}; }

  // The cards in the order in which the node names them. A pod is named by each that it has something of, at least once.
  virtual std::vector<CardUse> cards() const = 0;
};

// A kind of device.
class DeviceFamily {
 public:
  virtual ~DeviceFamily() = default;

  virtual bool wants(const DeviceRequest& request) const = 0;
  // The devices that a node has; nullptr: none.
  virtual std::unique_ptr<NodeDevices> on(const Node& node) const = 0;
  // The annotation that locks a node while its devices are handed out to such a pod; empty: it is not locked.
  virtual std::string_view lock_name(const DeviceRequest& request) const = 0;
  // Whether cards are chosen before the node is locked, so that a lock of somebody else costs them for the rest of the cycle.
  virtual bool locks_last() const { return false; }
  // Resources that are managed here and leave the pods' and nodes' vectors once any node has such devices.
  virtual std::vector<std::string> managed_resources() const { return {}; }
  // Whether answers rest on the pod's labels too.
  virtual bool reads_labels() const { return false; }
  // Whether filter() for this request changes what later answers say, and whether score() does.
  virtual bool filter_has_history(const DeviceRequest&, const StringMap& /*labels*/) const { return false; }
  virtual bool score_has_history(const DeviceCycle&) const { return false; }
  virtual bool scores(const DeviceCycle&) const { return false; }
  // Whether nodes are scored in comparison with each other. `nodes` are the devices of all candidates.
  virtual bool scores_together() const { return false; }
  virtual std::vector<double> score_together(const DeviceAsk&, std::span<NodeDevices* const>) const { return {}; }
};

}  // namespace muster::volcano
