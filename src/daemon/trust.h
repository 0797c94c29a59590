#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "kube/clock.h"

namespace muster::daemon {

struct TrustSettings {
  kube::Duration first = std::chrono::seconds(1);   // from a broken invariant to making everything anew
  kube::Duration second = std::chrono::minutes(1);  // the same when that has not helped; doubled with each one in a row
  kube::Duration most = std::chrono::minutes(30);
  kube::Duration memory = std::chrono::hours(1);  // after which what went wrong is forgiven
};

// Whether what is remembered of the cluster can be relied on. As long as it is in doubt, nobody is evicted; it is restored when
// everything was made anew from fresh lists and found in order. Making it anew waits longer each time that it did not help, so that
// a fault that stays costs neither the process nor the API server. From any thread.
class Trust {
 public:
  explicit Trust(const kube::Clock& clock, TrustSettings settings = {}) : clock_(clock), settings_(settings) {}

  // An object was not remembered as the server has it. True: it is the second time for this one.
  bool comes_back(const std::string& object);
  // An invariant is broken. After how long everything is to be made anew; nothing: that is under way already.
  std::optional<kube::Duration> doubt();
  // Everything is being made anew.
  void begin_anew();
  // It was found in order.
  void restore();
  bool is_doubted() const;

 private:
  const kube::Clock& clock_;
  const TrustSettings settings_;
  mutable std::mutex mutex_;
  std::map<std::string, kube::Instant> mismatches_;
  bool is_doubted_ = false;
  bool is_under_way_ = false;
  int in_a_row_ = 0;
  kube::Instant last_doubt_{};
};

}  // namespace muster::daemon
