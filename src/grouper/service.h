#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "grouper/pod_grouper.h"
#include "kube/access.h"

namespace muster::grouper {

struct ServiceSettings {
  GrouperSettings grouper;
  kube::AccessOptions access;
  std::function<void(std::string_view)> warn = {};  // from a thread of its own
};

// Follows the pods of a scheduler and has those without a PodGroup grouped, one after the other, on a thread of its own. A pod that
// cannot be grouped is tried again after a second, then after twice as long each time, up to a minute.
class Service {
 public:
  explicit Service(ServiceSettings settings);
  ~Service();  // stops
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  Result<void> start();
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace muster::grouper
