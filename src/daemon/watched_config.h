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

// What a look at the file has brought.
struct ConfigLook {
  std::optional<std::string> changed = {};  // what it says now, when that is neither in force nor has been refused
  std::optional<Error> unreadable = {};     // why it cannot be read any more, or is empty, for each reason once
  bool is_readable_again = false;           // after that has been told
};

// A configuration in a file that may change while it is in force. From any thread, once it has begun.
class WatchedConfig {
 public:
  explicit WatchedConfig(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  ConfigInForce in_force() const;

  // Reads it for the first time. An error: it cannot be read.
  Result<void> begin();
  // Reads it again. Files that a kubelet mounts change by another link, not by a write: so the text is looked at, which is short.
  // One that is being replaced may be missing for a moment: it cannot be read when two looks in a row find the same reason. What
  // came through a pipe at the beginning stays as it is.
  ConfigLook look();
  void take(std::string text);
  // It is no good, which is to be said once.
  void refuse(std::string text);

 private:
  void note_unreadable(Error why, ConfigLook& look);

  const std::string file_;
  bool changes_ = false;      // it is a file, which can be read again; as it was at the beginning
  mutable std::mutex mutex_;  // guards what follows
  std::string text_;
  std::string refused_;
  std::string last_problem_;  // of the last look; empty: it was read
  std::string told_problem_;
};

}  // namespace muster::daemon
