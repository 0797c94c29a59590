#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "codec/json_writer.h"
#include "engine/books.h"

namespace muster {

// A device of a node that is known one by one.
struct DeviceView {
  std::string device;
  std::string resource;  // by which pods ask for such devices; empty: by claims
  double used = 0;       // from 0 to 1
  // What of it can be shared, and how much of that is.
  struct Amount {
    std::string resource;
    double used = 0;
    double total = 0;
  };
  std::vector<Amount> amounts;
  std::vector<std::string> pods;
};

// What a dialect knows of nodes beyond the books. What is empty is not told.
struct NodeKnowledge {
  std::function<std::vector<std::string>(NodeId)> domains;    // of the topology, from the widest to the narrowest
  std::function<std::string(PodId)> job_of;                   // "namespace/name"; empty: of none
  std::function<std::int64_t(NodeId, ResourceId)> more_used;  // than single pods hold in the books, in their units
  // One by one, where they are known like that; nothing: they are not.
  std::function<std::optional<std::vector<DeviceView>>(NodeId)> devices;
};

// {"nodes": […]} in the order of their names.
std::string nodes_json(const Books& books, const NodeKnowledge& knowledge = {});
// One of them, with its pods and devices by name. An error: there is none of that name.
Result<std::string> node_json(const Books& books, const std::string& name, const NodeKnowledge& knowledge);

}  // namespace muster
