#include "daemon/trust.h"

#include <algorithm>

namespace muster::daemon {
namespace {

constexpr std::size_t kMostMismatches = 10'000;
constexpr int kMostSteps = 20;

}  // namespace

bool Trust::comes_back(const std::string& object) {
  const std::lock_guard lock(mutex_);
  const auto now = clock_.now();
  std::erase_if(mismatches_, [&](const auto& one) { return now - one.second >= settings_.memory; });
  if (mismatches_.size() >= kMostMismatches) mismatches_.clear();
  return !mismatches_.insert_or_assign(object, now).second;
}

std::optional<kube::Duration> Trust::doubt() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(is_under_way_, true)) return std::nullopt;
  const auto now = clock_.now();
  if (in_a_row_ != 0 && now - last_doubt_ >= settings_.memory) in_a_row_ = 0;
  last_doubt_ = now;
  is_doubted_ = true;
  const auto step = std::min(in_a_row_++, kMostSteps);
  return step == 0 ? settings_.first : std::min(settings_.most, settings_.second * (std::int64_t{1} << (step - 1)));
}

void Trust::begin_anew() {
  const std::lock_guard lock(mutex_);
  is_under_way_ = false;
}

void Trust::restore() {
  const std::lock_guard lock(mutex_);
  if (!is_under_way_) is_doubted_ = false;
}

bool Trust::is_doubted() const {
  const std::lock_guard lock(mutex_);
  return is_doubted_;
}

}  // namespace muster::daemon
