#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/kai_usage_source.h"
#include "kube/clock.h"

namespace muster::daemon {

// Asks again and again what queues used in the past, on a thread of its own, because an answer may take its time. What was told
// last counts until there is something newer.
class KaiUsageFollower {
 public:
  using Ask = std::function<KaiUsageAnswer(Timestamp now, std::stop_token stop)>;
  KaiUsageFollower(kai::UsageParams params, Ask ask, const kube::Clock& clock);
  ~KaiUsageFollower();  // stops a question that is under way, which may take a second
  KaiUsageFollower(const KaiUsageFollower&) = delete;
  KaiUsageFollower& operator=(const KaiUsageFollower&) = delete;

  // Before start(): is told on the other thread how long each answer took.
  void on_answer(std::function<void(kube::Duration)> tell) { on_answer_ = std::move(tell); }
  void start();
  // Whether the first cycles should wait: nothing has been answered yet, and the time to wait for it is not over.
  bool is_awaited() const;
  // What counts now. What is wrong with it is added to the notes.
  kai::QueueUsage usage(std::vector<std::string>& notes) const;

 private:
  void run();

  const kai::UsageParams params_;
  const Ask ask_;
  std::function<void(kube::Duration)> on_answer_;
  const kube::Clock& clock_;
  kube::Instant started_{};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  kai::UsageMemory memory_;  // this and what follows are guarded by the mutex
  std::string problem_;
  bool answered_ = false;
  std::stop_source stop_;
  std::thread thread_;
};

// The one that a configuration asks for; none when it needs none, or nobody can be asked, which the notes say.
std::unique_ptr<KaiUsageFollower> kai_usage_follower(const std::optional<kai::UsageParams>& params, const kai::Behaviour& behaviour,
                                                     const kube::Clock& clock, std::vector<std::string>& notes);

}  // namespace muster::daemon
