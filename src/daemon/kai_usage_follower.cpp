#include "daemon/kai_usage_follower.h"

#include <algorithm>

namespace muster::daemon {
namespace {

constexpr kube::Duration kShortest = std::chrono::milliseconds(1);  // between two questions, whatever the configuration says

}  // namespace

KaiUsageFollower::KaiUsageFollower(kai::UsageParams params, Ask ask, const kube::Clock& clock)
    : params_(std::move(params)), ask_(std::move(ask)), clock_(clock) {}

KaiUsageFollower::~KaiUsageFollower() {
  {
    const std::lock_guard lock(mutex_);
    stop_.request_stop();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void KaiUsageFollower::start() {
  if (thread_.joinable()) return;
  started_ = clock_.now();
  thread_ = std::thread([this] { run(); });
}

void KaiUsageFollower::run() {
  const auto pause = std::max(kShortest, kube::Duration(params_.fetch_interval));
  std::unique_lock lock(mutex_);
  while (!stop_.stop_requested()) {
    lock.unlock();
    const auto when = clock_.wall();
    const auto since = clock_.now();
    auto answer = ask_(when, stop_.get_token());
    if (on_answer_) on_answer_(clock_.now() - since);
    lock.lock();
    problem_ = answer.usage ? std::string() : "Prometheus does not tell what queues used: " + answer.why;
    memory_.take(std::move(answer.usage), when);
    answered_ = true;
    changed_.wait_for(lock, pause, [this] { return stop_.stop_requested(); });
  }
}

bool KaiUsageFollower::is_awaited() const {
  if (clock_.now() - started_ >= kube::Duration(params_.wait_timeout)) return false;
  const std::lock_guard lock(mutex_);
  return !answered_;
}

kai::QueueUsage KaiUsageFollower::usage(std::vector<std::string>& notes) const {
  const std::lock_guard lock(mutex_);
  if (!problem_.empty()) notes.push_back(problem_);
  if (memory_.known() && memory_.stale(params_, clock_.wall()))
    notes.emplace_back("what queues used was told longer ago than the stalenessPeriod of the configuration; as in KAI it counts");
  return memory_.usage();
}

std::unique_ptr<KaiUsageTeller> kai_usage_follower(const std::optional<kai::UsageParams>& params, const kai::Behaviour& behaviour,
                                                   const kube::Clock& clock, std::vector<std::string>& notes) {
  if (!params) return nullptr;
  auto address = kai_usage_address(*params, notes);
  if (address.empty()) return nullptr;
  if (is_window_unanswered(*params, behaviour)) {
    notes.emplace_back("what queues used in the past counts as nothing: KAI gets no answer for windows that do not slide");
    return nullptr;
  }
  auto ask = [asked = *params, address = std::move(address)](Timestamp now, std::stop_token stop) {
    return ask_kai_usage(address, asked, now, std::move(stop));
  };
  return std::make_unique<KaiUsageFollower>(*params, std::move(ask), clock);
}

}  // namespace muster::daemon
