#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "grouper/pod_grouper.h"
#include "kube/access.h"
#include "kube/clock.h"

namespace muster::grouper {

struct ServiceSettings {
  GrouperSettings grouper;
  kube::AccessOptions access;
  std::function<void(std::string_view)> warn = {};  // from a thread of its own
  // For how long a write may be under way; nothing: somebody else leads, who does it. From any thread.
  std::function<kube::Duration()> time_left = [] { return kube::Duration::max(); };
};

// Follows the pods of a scheduler and has those without a PodGroup grouped, one after the other, on a thread of its own. A pod that
// cannot be grouped is tried again after a second, then after twice as long each time, up to a minute. Only who leads groups: the
// others follow, and go on when they lead.
class Service {
 public:
  explicit Service(ServiceSettings settings);
  ~Service();  // stops, and waits for no answer
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  Result<void> start();
  // Writes nothing any more, and waits so long for the answer to what is being written. False: it is still missing.
  bool stop(kube::Duration longest);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace muster::grouper
