#include "policy/volcano/plugins/usage.h"

#include <algorithm>

#include "engine/pod_order.h"
#include "engine/scores/allocation.h"
#include "model/time.h"
#include "policy/volcano/resource.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

constexpr std::int64_t kFreshNanos = 300 * kNanosPerSecond;
constexpr std::int64_t kDefaultWindowNanos = 30 * kNanosPerSecond;
constexpr std::string_view kPeriod = "10m";

double weight_argument(const Arguments& arguments, std::string_view key, std::int64_t fallback) {
  const auto weight = arguments.get_int(key, fallback);
  return static_cast<double>(weight < 0 ? fallback : weight);
}

double threshold_argument(const Arguments& thresholds, std::string_view key) {
  constexpr std::int64_t kDefault = 80;
  const auto percent = thresholds.get_int(key, kDefault);
  return static_cast<double>(percent < 0 || percent > 100 ? kDefault : percent);
}

void read_ratio(const Arguments& arguments, std::string_view key, double& ratio) {
  const auto given = arguments.get_float(key, ratio);
  if (given >= 0 && given <= 1) ratio = given;
}

// "250m", or an integer in the resource's own unit.
double read_amount(const Arguments& arguments, std::string_view key, double unit, std::int64_t (Quantity::*amount)() const,
                   double fallback) {
  const auto* value = arguments.find(key);
  if (value == nullptr) return fallback;
  if (const auto* number = value->as_int()) return *number < 0 ? fallback : static_cast<double>(*number) * unit;
  const auto* text = value->as_string();
  if (text == nullptr) return fallback;
  const auto quantity = Quantity::parse(*text);
  if (!quantity || *quantity < Quantity()) return fallback;
  return static_cast<double>(((*quantity).*amount)());
}

double in_parts(double percent, double unmeasured, double capacity) {
  if (capacity <= 0) return 0;
  return std::clamp((percent / 100.0 * capacity + unmeasured) / capacity, 0.0, 1.0);
}

double estimated(double request, double limit, double request_ratio, double burst_ratio, double risk) {
  const double ceiling = std::max(limit, request);
  return std::clamp((request * request_ratio + (ceiling - request) * burst_ratio) * risk, 0.0, ceiling);
}

}  // namespace

Usage::Usage(Session& session, const PluginOption& option)
    : Plugin(session),
      weight_(weight_argument(option.arguments, "usage.weight", 5)),
      cpu_weight_(weight_argument(option.arguments, "cpu.weight", 1)),
      memory_weight_(weight_argument(option.arguments, "memory.weight", 1)),
      cpu_threshold_(threshold_argument(option.arguments.nested("thresholds"), "cpu")),
      memory_threshold_(threshold_argument(option.arguments.nested("thresholds"), "mem")),
      window_nanos_(kDefaultWindowNanos) {
  read_estimator(option.arguments.nested("estimator"));
  // A pod shows up in the measurements after one interval of the metrics source.
  if (const auto found = session.config().metrics.find("interval"); found != session.config().metrics.end())
    if (const auto interval = parse_go_duration(found->second); interval && *interval > 0) window_nanos_ = *interval;
  auto& fits = session.cluster().fits();
  cpu_refusal_ = fits.status(FitCode::kUnresolvable, "the CPU load of the node exceeds the upper limit.");
  memory_refusal_ = fits.status(FitCode::kUnresolvable, "the memory load of the node exceeds the upper limit.");
}

void Usage::read_estimator(const Arguments& arguments) {
  read_ratio(arguments, "request_ratio", request_ratio_);
  read_ratio(arguments, "burst_ratio", burst_ratio_);
  read_ratio(arguments, "risk_threshold", risk_threshold_);
  if (const auto factor = arguments.get_float("risk_factor", risk_factor_); factor >= 1) risk_factor_ = factor;
  best_effort_.cpu = read_amount(arguments, "be_cpu", 1, &Quantity::milli, best_effort_.cpu);
  best_effort_.memory = read_amount(arguments, "be_mem", kMiB, &Quantity::units, best_effort_.memory);
}

void Usage::open() {
  const auto nodes = session().books().node_count();
  refused_.resize(nodes);
  unmeasured_.assign(nodes, Load());
  for (const auto node : IdRange<NodeId>(nodes)) {
    any_fresh_ |= fresh_usage(node) != nullptr;
    refused_.assign(node.index(), refusal(node) != nullptr);
  }
  any_refused_ = refused_.any();
}

const NodeUsage* Usage::fresh_usage(NodeId node) const {
  const auto* usage = session().cluster().usage(node);
  return usage != nullptr && nanos_between(usage->at, session().now()) <= kFreshNanos ? usage : nullptr;
}

// -------------------------------------------------------------------------------------------------------- filter

const FitStatus* Usage::refusal(NodeId node) const {
  const auto* usage = fresh_usage(node);
  if (usage == nullptr) return nullptr;
  const auto measured = usage->over(kPeriod);
  if (measured.cpu_percent > cpu_threshold_) return &cpu_refusal_;
  return measured.memory_percent > memory_threshold_ ? &memory_refusal_ : nullptr;
}

Dependence Usage::predicate_dependence(PodId) const { return any_refused_ ? Dependence::kOthers : Dependence::kNothing; }

void Usage::predicate(PodId, NodeId node, Dependence up_to, Verdict& verdict) const {
  if (up_to < Dependence::kOthers) return;
  if (const auto* status = refusal(node)) verdict.push_back(*status);
}

void Usage::restrict_by_others(PodId, Bitset& nodes) const { nodes.subtract(refused_); }

// --------------------------------------------------------------------------------------------------------- score

Dependence Usage::order_dependence(PodId) const { return any_fresh_ ? Dependence::kOthers : Dependence::kNothing; }

void Usage::add_node_order(PodId, std::span<const NodeId> nodes, std::span<double> totals) {
  const double weights = cpu_weight_ + memory_weight_;
  if (!any_fresh_ || weights == 0) return;
  estimate_unmeasured();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (fresh_usage(nodes[i]) == nullptr) continue;
    const auto load = utilization(nodes[i]);
    const double score = ((1.0 - load.cpu) * cpu_weight_ + (1.0 - load.memory) * memory_weight_) / weights;
    totals[i] += score * kMaxScore * weight_;
  }
}

Usage::Load Usage::utilization(NodeId node) const {
  const auto* usage = session().cluster().usage(node);
  const auto measured = usage == nullptr ? NodeUsage::Average() : usage->over(kPeriod);
  const auto& capacity = session().cluster().capacity(node);
  const auto& unmeasured = unmeasured_[node];
  return {in_parts(measured.cpu_percent, unmeasured.cpu, static_cast<double>(capacity.get(kCpu))),
          in_parts(measured.memory_percent, unmeasured.memory, static_cast<double>(capacity.get(kMemory)))};
}

// ---------------------------------------------------------------------------------------- what is not measured yet

// Put off until it is needed: a cycle that places nothing looks at no pod.
void Usage::estimate_unmeasured() {
  if (estimated_) return;
  estimated_ = true;
  std::vector<PodId> pods;
  for (const auto node : IdRange<NodeId>(session().books().node_count())) {
    if (fresh_usage(node) == nullptr) continue;  // never scored
    pods = session().books().pods_on(node);
    // The earlier ones raise the risk for the later ones.
    std::sort(pods.begin(), pods.end(), [&](PodId l, PodId r) { return is_older(session().books(), l, r); });
    for (const auto pod : pods)
      if (is_unmeasured(pod)) add_estimate(pod, node);
  }
}

bool Usage::is_unmeasured(PodId pod) const {
  const auto state = session().books().pod(pod).state;
  if (state == PodState::kBinding || state == PodState::kBound) return true;
  if (state != PodState::kRunning) return false;  // those that this cycle placed report themselves
  const auto& started = session().cluster().task(pod).started;
  return !started || nanos_between(*started, session().now()) < window_nanos_;
}

// Above the risk threshold a node's new pods count for more.
double Usage::risk_on(NodeId node) const {
  const double weights = cpu_weight_ + memory_weight_;
  const auto load = utilization(node);
  const double together = weights == 0 ? 0 : (load.cpu * cpu_weight_ + load.memory * memory_weight_) / weights;
  return together >= risk_threshold_ ? risk_factor_ : 1.0;
}

Usage::Load Usage::estimate(PodId pod, double risk) const {
  const auto& shape = session().books().shape_of(pod);
  if (shape.best_effort) return {best_effort_.cpu * risk, best_effort_.memory * risk};
  const auto of = [&](ResourceId id) {
    return estimated(static_cast<double>(shape.request.get(id)), static_cast<double>(shape.limits.get(id)), request_ratio_,
                     burst_ratio_, risk);
  };
  return {of(kCpu), of(kMemory)};
}

void Usage::add_estimate(PodId pod, NodeId node) {
  const auto load = estimate(pod, risk_on(node));
  drop_estimate(pod);
  unmeasured_[node].cpu += load.cpu;
  unmeasured_[node].memory += load.memory;
  estimates_[pod] = {node, load};
}

// Exactly what was added goes, whatever the risk is now; rounding must not leave less than nothing.
void Usage::drop_estimate(PodId pod) {
  const auto found = estimates_.find(pod);
  if (found == estimates_.end()) return;
  const auto& [node, load] = found->second;
  auto& left = unmeasured_[node];
  left = {std::max(left.cpu - load.cpu, 0.0), std::max(left.memory - load.memory, 0.0)};
  estimates_.erase(found);
}

bool Usage::on_allocate(PodId pod) {
  if (!any_fresh_) return true;
  estimate_unmeasured();
  add_estimate(pod, session().books().pod(pod).node);
  return true;
}

void Usage::on_deallocate(PodId pod) {
  if (!any_fresh_) return;
  estimate_unmeasured();
  drop_estimate(pod);
}

}  // namespace muster::volcano
