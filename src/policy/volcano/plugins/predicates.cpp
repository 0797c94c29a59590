#include "policy/volcano/plugins/predicates.h"

#include <algorithm>

#include "engine/scores/normalise.h"
#include "policy/volcano/devices/device_books.h"
#include "policy/volcano/kube_rules.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

bool ends_judgement(FitCode code) { return code != FitCode::kSuccess && code != FitCode::kUnschedulable; }

}  // namespace

Predicates::Predicates(Session& session, const PluginOption& option)
    : Plugin(session),
      remember_templates_(option.arguments.get_bool("predicate.CacheEnable", false)),
      binds_volumes_(option.arguments.get_bool("predicate.VolumeBindingEnable", true)),
      note_prepared_(session.config().has_action("preempt")),
      follows_trials_(option.enabled(Hook::kPreemptable) || option.enabled(Hook::kAllocatable)) {
  auto& rules = session.cluster().kube_rules();
  const auto on = [&](std::string_view what) {
    return option.arguments.get_bool("predicate." + std::string(what) + "Enable", true);
  };
  filters_.push_back({&rules.node_unschedulable, "NodeUnschedulable", true});
  if (on("NodeAffinity")) filters_.push_back({&rules.node_affinity, "NodeAffinity", true});
  if (on("TaintToleration")) filters_.push_back({&rules.taint_toleration, "TaintToleration", true});
  if (on("NodePorts")) filters_.push_back({&rules.node_ports, "NodePorts", false});
  if (on("PodAffinity")) filters_.push_back({&rules.inter_pod_affinity, "InterPodAffinity", false});
  if (on("NodeVolumeLimits")) filters_.push_back({&rules.csi_limits, "NodeVolumeLimits", false});
  if (on("VolumeZone")) filters_.push_back({&rules.volume_zone, "VolumeZone", false});
  if (on("PodTopologySpread")) filters_.push_back({&rules.topology_spread, "PodTopologySpread", false});
  if (on("VolumeBinding")) filters_.push_back({&rules.volume_binding, "VolumeBinding", false});
  filters_.push_back({&rules.dynamic_resources, "DynamicResources", false});

  auto& fits = session.cluster().fits();
  pods_exceeded_ = fits.status(FitCode::kUnschedulable, "node(s) pod number exceeded");
  remembered_refusal_ = fits.status(FitCode::kError, "plugin equivalence cache predicates failed");
}

void Predicates::open() { session().cluster().kube_rules().relations.begin_cycle(); }

void Predicates::close() { keeps_promises_ = session().behaviour().keeps(Quirk::kLostDevicePromises); }

std::optional<std::string> Predicates::pre_predicate(PodId pod) {
  active_for_ = PodId();
  if (note_prepared_) prepared_.insert(pod);
  if (!session().behaviour().keeps(Quirk::kForgottenVictim)) skipped_.erase(pod);
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    auto& [filter, name, stable] = filters_[i];
    if (filter->dependence(pod) == Dependence::kNothing) continue;
    const auto prepared = filter->prepare(pod);
    if (prepared.refusal)
      return "plugin " + std::string(name) + " pre-predicates failed " + session().cluster().fits().text(prepared.refusal->reason);
    // In the original, a filter that once had nothing to check for a pod is never asked about it again in the cycle, even if that
    // has changed.
    if (prepared.outcome == NodeFilter::Preparation::kSkip) skipped_[pod] |= 1u << i;
  }
  return std::nullopt;
}

bool Predicates::skips(PodId pod, std::size_t filter) const {
  if (skipped_.empty()) return false;
  const auto found = skipped_.find(pod);
  return found != skipped_.end() && ((found->second >> filter) & 1u) != 0;
}

bool Predicates::remembers_template(PodId pod) const {
  return remember_templates_ && !session().cluster().task(pod).template_uid.empty();
}

Dependence Predicates::predicate_dependence(PodId pod) const {
  if (remembers_template(pod)) return Dependence::kHistory;
  auto widest = Dependence::kNode;  // the number of pods on the node
  for (const auto& filter : active(pod)) widest = std::max(widest, filter.dependence);
  return widest;
}

const std::vector<Predicates::Active>& Predicates::active(PodId pod) const {
  if (active_for_ == pod) return active_;
  active_for_ = pod;
  active_.clear();
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if (skips(pod, i)) continue;
    const auto dependence = filters_[i].filter->dependence(pod);
    if (dependence != Dependence::kNothing) active_.push_back({filters_[i].filter, dependence, filters_[i].stable});
  }
  return active_;
}

// Runs the stable or the other filters. False: one of them ended the judgement.
bool Predicates::run(PodId pod, NodeId node, Dependence up_to, bool stable, Verdict& verdict) const {
  for (const auto& filter : active(pod)) {
    if (filter.stable != stable || filter.dependence > up_to) continue;
    const auto status = filter.filter->check(pod, node);
    if (status.ok()) continue;
    verdict.push_back(status);
    if (ends_judgement(status.code)) return false;
  }
  return true;
}

bool Predicates::run_stable_remembered(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const {
  auto& known = templates_[session().cluster().task(pod).template_uid];
  if (known.asked.size() != session().books().node_count()) {
    known.asked.resize(session().books().node_count());
    known.refused.resize(session().books().node_count());
  }
  if (known.asked.test(node.index())) {
    if (!known.refused.test(node.index())) return true;
    verdict.push_back(remembered_refusal_);
    return false;
  }
  const bool passed = run(pod, node, up_to, true, verdict);
  known.asked.set(node.index());
  known.refused.assign(node.index(), !passed);
  return passed;
}

void Predicates::predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const {
  const auto& books = session().books();
  if (books.ledgers().allocatable[kPodCount.index()][node.index()] <= static_cast<std::int64_t>(books.pods_present(node).size()))
    verdict.push_back(pods_exceeded_);
  const bool passed = up_to == Dependence::kHistory && remembers_template(pod) ? run_stable_remembered(pod, node, up_to, verdict)
                                                                               : run(pod, node, up_to, true, verdict);
  if (passed) run(pod, node, up_to, false, verdict);
}

void Predicates::restrict_by_others(PodId pod, Bitset& nodes) const {
  for (const auto& filter : active(pod))
    if (filter.dependence == Dependence::kOthers) filter.filter->restrict(pod, nodes);
}

Dependence Predicates::order_dependence(PodId pod) const {
  const auto& devices = session().cluster().kube_rules().dynamic_resources;
  return devices.prefers_nodes(pod) || devices.cannot_score(pod) ? Dependence::kOthers : Dependence::kNothing;
}

bool Predicates::order_fails(PodId pod) const { return session().cluster().kube_rules().dynamic_resources.cannot_score(pod); }

// Nodes are preferred on which claims get the first of their alternatives.
void Predicates::add_batch_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  const auto& devices = session().cluster().kube_rules().dynamic_resources;
  if (!devices.prefers_nodes(pod)) return;
  std::vector<std::int64_t> points;
  points.reserve(nodes.size());
  for (const auto node : nodes) points.push_back(devices.points(pod, node));
  add_normalised(points, Better::kMore, 1, totals);
}

// The original reserves on the node that the pod's object names, which is the one where the pod was last placed for good in the
// cycle. A pod that only waits for others to leave has none, or an old one, and so gets no devices unless by chance. What is
// reserved for a pod that is not bound is taken back when the cycle ends.
bool Predicates::reserve_devices(PodId pod) {
  auto& devices = session().cluster().kube_rules().dynamic_resources;
  if (!session().cluster().devices().has_claims(pod)) return true;
  const auto& record = session().books().pod(pod);
  if (!session().behaviour().keeps(Quirk::kUnclaimedWait)) return devices.reserve(pod, record.node);
  if (record.state != PodState::kPipelined) last_placed_[pod] = record.node;
  const auto placed = last_placed_.find(pod);
  return devices.reserve(pod, placed == last_placed_.end() ? NodeId() : placed->second);
}

bool Predicates::on_allocate(PodId pod) {
  const auto& record = session().books().pod(pod);
  // Volumes of a pod that only waits for others to leave are not promised to it yet.
  if (binds_volumes_ && record.state != PodState::kPipelined)
    session().cluster().kube_rules().volume_binding.reserve(pod, record.node);
  if (!reserve_devices(pod)) return false;
  auto* devices = session().cluster().shared_devices();
  if (devices != nullptr && !devices->allocate(pod, record.node, record.state)) return false;
  session().books().arrive(pod, record.node);
  return true;
}

void Predicates::on_deallocate(PodId pod) {
  session().cluster().kube_rules().volume_binding.release(pod);
  if (!keeps_promises_) session().cluster().kube_rules().dynamic_resources.release(pod);
  const auto present = session().books().pod(pod).present_on;
  if (auto* devices = session().cluster().shared_devices()) devices->release(pod, present);
  if (present) session().books().depart(pod);
}

// The original wants to reserve the pod's volumes again, lacks what it knows about pods that wait, and gives up half way.
void Predicates::on_eviction_undone(PodId pod) {
  if (session().behaviour().keeps(Quirk::kForgottenVictim)) return;
  const auto& record = session().books().pod(pod);
  if (auto* devices = session().cluster().shared_devices()) devices->allocate(pod, record.node, record.state);
  session().books().arrive(pod, record.node);
}

// Of all filters only this one is asked while evictions are tried out: the others were asked before, and leaving pods are not
// expected to change their minds.
bool Predicates::simulate_predicate(PodId pod, NodeId node) const {
  auto* affinity = &session().cluster().kube_rules().inter_pod_affinity;
  for (const auto& filter : active(pod))
    if (filter.filter == affinity) {
      if (follows_trials_) affinity->prepare(pod);  // who is there has changed
      return affinity->check(pod, node).ok();
    }
  return true;
}

}  // namespace muster::volcano
