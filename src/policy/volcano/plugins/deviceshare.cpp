#include "policy/volcano/plugins/deviceshare.h"

#include <cmath>
#include <limits>

#include "policy/volcano/devices/device_books.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

// Scores count as whole numbers; what is no number counts as the smallest.
double whole_score(double score) {
  if (!std::isfinite(score)) return static_cast<double>(std::numeric_limits<std::int64_t>::min());
  return std::floor(score + 0.5);
}

}  // namespace

DeviceShare::DeviceShare(Session& session, const PluginOption& option)
    : Plugin(session), weight_(option.arguments.get_int("deviceshare.ScheduleWeight", 0)) {}

void DeviceShare::open() {
  devices_ = session().cluster().shared_devices();
  if (devices_ != nullptr) devices_->begin_cycle({{}, session().now(), session().behaviour(), 0});
}

void DeviceShare::close() {
  if (devices_ != nullptr) session().writes().node_annotations = devices_->take_locks();
}

Dependence DeviceShare::predicate_dependence(PodId pod) const {
  return devices_ == nullptr ? Dependence::kNothing : devices_->filter_dependence(pod);
}

void DeviceShare::predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const {
  if (devices_ == nullptr || !devices_->wanted(pod) || devices_->filter_dependence(pod) > up_to) return;
  devices_->filter(pod, node, session().cluster().fits(), verdict);
}

Dependence DeviceShare::order_dependence(PodId pod) const {
  return devices_ == nullptr || weight_ <= 0 ? Dependence::kNothing : devices_->score_dependence(pod);
}

void DeviceShare::add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  if (order_dependence(pod) == Dependence::kNothing) return;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    totals[i] += whole_score(devices_->score(pod, nodes[i])) * static_cast<double>(weight_);
}

void DeviceShare::add_batch_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  if (devices_ != nullptr && weight_ > 0 && devices_->wanted(pod))
    devices_->add_scores_together(pod, nodes, static_cast<double>(weight_), totals);
}

std::uint64_t DeviceShare::class_key(PodId pod) const { return devices_ == nullptr ? 0 : devices_->class_key(pod); }

}  // namespace muster::volcano
