#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"

namespace muster::daemon {

struct ConfigInForce {
  std::string file;  // empty: none, the built-in default is in force
  std::string text;
};

// A configuration in a file that may change while it is in force. From any thread.
class WatchedConfig {
 public:
  explicit WatchedConfig(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  ConfigInForce in_force() const;

  // Reads it for the first time. An error: it cannot be read.
  Result<void> begin();
  // What the file says now, when that is neither in force nor has been refused. Files that a kubelet mounts change by another link,
  // not by a write: so the text is looked at, which is short.
  std::optional<std::string> changed() const;
  void take(std::string text);
  // It is no good, which is to be said once.
  void refuse(std::string text);

 private:
  const std::string file_;
  mutable std::mutex mutex_;
  std::string text_;     // guarded by the mutex
  std::string refused_;  // guarded by the mutex
};

}  // namespace muster::daemon
