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

// What queues used in the past, as far as is known.
class KaiUsageTeller {
 public:
  virtual ~KaiUsageTeller() = default;
  // Before start(): is told, perhaps on another thread, how long each answer took.
  virtual void on_answer(std::function<void(kube::Duration)> /*tell*/) {}
  virtual void start() = 0;
  // Whether the first cycles should wait: nothing has been answered yet, and the time to wait for it is not over.
  virtual bool is_awaited() const = 0;
  // What counts now. What is wrong with it is added to the notes.
  virtual kai::QueueUsage usage(std::vector<std::string>& notes) const = 0;
};
using MakeKaiUsage = std::function<std::unique_ptr<KaiUsageTeller>(const std::optional<kai::UsageParams>&, const kai::Behaviour&,
                                                                   const kube::Clock&, std::vector<std::string>& notes)>;

// Asks again and again what queues used in the past, on a thread of its own, because an answer may take its time. What was told
// last counts until there is something newer.
class KaiUsageFollower final : public KaiUsageTeller {
 public:
  using Ask = std::function<KaiUsageAnswer(Timestamp now, std::stop_token stop)>;
  KaiUsageFollower(kai::UsageParams params, Ask ask, const kube::Clock& clock);
  ~KaiUsageFollower() override;  // stops a question that is under way, which may take a second
  KaiUsageFollower(const KaiUsageFollower&) = delete;
  KaiUsageFollower& operator=(const KaiUsageFollower&) = delete;

  void on_answer(std::function<void(kube::Duration)> tell) override { on_answer_ = std::move(tell); }
  void start() override;
  bool is_awaited() const override;
  kai::QueueUsage usage(std::vector<std::string>& notes) const override;

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
std::unique_ptr<KaiUsageTeller> kai_usage_follower(const std::optional<kai::UsageParams>& params, const kai::Behaviour& behaviour,
                                                   const kube::Clock& clock, std::vector<std::string>& notes);

}  // namespace muster::daemon
