#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "daemon/log.h"
#include "kube/leader_election.h"

namespace muster::daemon {

// Whether we may decide and write: with the Lease, always, or never. Questions are for any thread, from the beginning to the end
// and after it.
class Leadership {
 public:
  enum class By { kLease, kNature, kNever };
  struct Events {
    std::function<void()> on_leading = {};
    std::function<void()> on_lost = {};
  };
  Leadership(By by, kube::ElectionSettings settings, Log& log, Events events)
      : by_(by), settings_(std::move(settings)), log_(log), events_(std::move(events)) {}

  // What is wrong with the settings, or nothing.
  std::optional<Error> problem() const;
  // On the loop's thread, which its events come on.
  void begin(kube::Loop& loop);
  // From other threads than the loop's: gives the Lease back, so that others need not wait for it, and waits so long for that.
  void give_back(kube::Loop& loop, kube::Duration longest);
  // On the loop's thread.
  void end();
  // On the loop's thread: what we lead by, if that is a Lease.
  std::optional<kube::Identity> lease() const;

  bool may_write() const;
  // For how long a write may be under way.
  kube::Duration time_left() const;
  // Who leads, as far as we have heard.
  std::string leader() const;

 private:
  const By by_;
  const kube::ElectionSettings settings_;
  Log& log_;
  const Events events_;
  mutable std::mutex mutex_;
  std::atomic<bool> is_told_ = false;               // who has to know that we lead does: nobody decides before
  std::unique_ptr<kube::LeaderElection> election_;  // the mutex guards the pointer; what it points to is the loop's
  std::string leader_;                              // guarded by the mutex
};

}  // namespace muster::daemon
