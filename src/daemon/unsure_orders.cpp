#include "daemon/unsure_orders.h"

namespace muster::daemon {
namespace {

using kube::WriteOutcome;

constexpr int kMostUnanswered = 5;

}  // namespace

// A server that says that there is one may say it of ours, of which an answer was lost on the way.
bool UnsureOrders::is_unsure(const Bind& bind, WriteOutcome outcome) {
  return bind.order &&
         (outcome == WriteOutcome::kUnknown || outcome == WriteOutcome::kServerFault || outcome == WriteOutcome::kAlreadyExists);
}

UnsureOrder UnsureOrders::begin(const Bind& bind, const kube::WriteResult& result, std::uint64_t term) {
  auto& doubt = pods_[bind.pod.uid];
  doubt.number = ++last_;
  doubt.unanswered = result.outcome == WriteOutcome::kUnknown ? doubt.unanswered + 1 : 0;
  return {bind, result, doubt.number, term};
}

bool UnsureOrders::contains(const UnsureOrder& order) const {
  const auto found = pods_.find(order.bind.pod.uid);
  return found != pods_.end() && found->second.number == order.number;
}

bool UnsureOrders::may_come_again(const UnsureOrder& order) const {
  const auto found = pods_.find(order.bind.pod.uid);
  return found != pods_.end() && found->second.unanswered < kMostUnanswered;
}

}  // namespace muster::daemon
