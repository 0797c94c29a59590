#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/log.h"
#include "daemon/shadow_watch.h"
#include "kube/access.h"

namespace muster::daemon::shadow {

struct ShadowOptions {
  kube::AccessOptions access;
  std::string config;                    // a path; empty: the built-in default
  std::optional<kube::Duration> length;  // none: until stop()
  Subject subject;
  WatchSettings watch;
};

// `muster shadow`: follows a cluster beside the scheduler that works there, and compares. It owns a connection through which
// nothing but GET can be sent, no lease and no queue of writes.
class Shadow {
 public:
  Shadow(ShadowOptions options, MakeCluster make_cluster, Log& log);
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  // Until the time is over, or stop(), which may come from any thread. An error is what keeps it from starting.
  Result<Summary> run(const std::function<void(const Finding&)>& tell);
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace muster::daemon::shadow
