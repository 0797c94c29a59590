#include "policy/volcano/plugins/tdm.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <charconv>
#include <map>

#include "engine/pod_order.h"
#include "policy/volcano/annotation_keys.h"
#include "policy/volcano/pod_intake.h"
#include "policy/volcano/session.h"
#include "policy/volcano/time_span.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kZone = "volcano.sh/revocable-zone";
constexpr std::int64_t kMinuteNanos = 60'000'000'000;
constexpr double kZoneScore = 100;
constexpr std::int64_t kDefaultBudget = 1;  // pods of a job at a time, when it states no budget

// "3" or "30%", of which a part of a pod counts as one; anything else is 0.
std::int64_t number_or_share(std::string_view text, std::int64_t tasks) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  std::int32_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return 0;
  if (!percent) return number;
  const auto hundredths = number * tasks;
  return hundredths > 0 ? (hundredths + 99) / 100 : hundredths / 100;
}

}  // namespace

Tdm::Tdm(Session& session, const PluginOption& option)
    : Plugin(session), hours_(option.arguments.below("tdm.revocable-zone.")), period_nanos_(kMinuteNanos) {
  if (const auto period = parse_go_duration(option.arguments.get_string("tdm.evict.period", ""))) period_nanos_ = *period;
}

void Tdm::add_zone(std::string name, const Value* hours) {
  Zone zone{std::move(name), hours != nullptr, false, {}};
  auto reason = "revocable zone " + zone.name + " not support";
  if (hours != nullptr) {
    const auto text = loose_string(*hours).value_or("");
    const auto span = DailyHours::parse(text);
    zone.active = span && span->contains(session().now());
    reason = span ? "current time beyond revocable zone " + zone.name + ":" + text : "revocable zone " + text + " format error";
  }
  zone.refusal = session().cluster().fits().status(FitCode::kUnresolvable, reason);
  boost::hash_combine(now_open_, boost::hash<std::string>()(zone.name));
  boost::hash_combine(now_open_, zone.active ? 1 : 0);
  zones_.push_back(std::move(zone));
}

void Tdm::open() {
  for (const auto& [name, hours] : hours_.entries()) add_zone(name, &hours);
  not_for_zones_ = session().cluster().fits().status(FitCode::kUnresolvable, "not allow to dispatch to revocable node");
  const auto& books = session().books();
  for (const auto node : IdRange<NodeId>(books.node_count())) {
    const auto* name = books.node(node).labels.find(kZone);
    if (name == nullptr || name->empty() || !books.node(node).known) continue;
    auto at = std::find_if(zones_.begin(), zones_.end(), [&](const Zone& zone) { return zone.name == *name; });
    if (at == zones_.end()) {
      add_zone(*name, nullptr);
      at = std::prev(zones_.end());
    }
    if (zone_of_.empty()) zone_of_.resize(books.node_count());
    zone_of_[node] = static_cast<std::uint32_t>(at - zones_.begin()) + 1;
  }
}

const Tdm::Zone* Tdm::zone_of(NodeId node) const {
  if (zone_of_.empty() || zone_of_[node] == 0) return nullptr;
  return &zones_[zone_of_[node] - 1];
}

bool Tdm::may_use_zones(PodId pod) const {
  const auto& annotations = session().cluster().task(pod).annotations;
  if (const auto* zone = annotations.find(kZone)) return *zone == "*";
  const auto* preemptable = annotations.find(kPreemptableKey);
  return preemptable != nullptr && parses_true(*preemptable);
}

bool Tdm::is_preemptable(const Job& job) {
  const auto* text = job.annotations.find(kPreemptableKey);
  if (text == nullptr) text = job.labels.find(kPreemptableKey);
  return text != nullptr && parses_true(*text);
}

// --------------------------------------------------------------------------------------------------------- jobs

Vote Tdm::job_pipelined(const Job& job) { return session().counts(job).is_pipelined() ? Vote::kPermit : Vote::kReject; }

bool Tdm::job_starving(const Job& job) { return !is_preemptable(job) && session().counts(job).of(PodState::kPending) != 0; }

// -------------------------------------------------------------------------------------------------------- nodes

Dependence Tdm::predicate_dependence(PodId) const { return zone_of_.empty() ? Dependence::kNothing : Dependence::kNode; }

// Answers are remembered from cycle to cycle, so pods are of another class when zones open or close.
std::uint64_t Tdm::class_key(PodId pod) const {
  if (zone_of_.empty()) return 0;
  auto key = now_open_;
  boost::hash_combine(key, may_use_zones(pod) ? 1 : 0);
  return key;
}

void Tdm::predicate(PodId pod, NodeId node, Dependence, Verdict& verdict) const {
  const auto* zone = zone_of(node);
  if (zone == nullptr) return;
  if (!zone->active)
    verdict.push_back(zone->refusal);
  else if (!may_use_zones(pod))
    verdict.push_back(not_for_zones_);
}

void Tdm::add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  if (zone_of_.empty()) return;
  const double score = may_use_zones(pod) ? kZoneScore : 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (const auto* zone = zone_of(nodes[i])) totals[i] += zone->active ? score : kNoOrder;
}

// ------------------------------------------------------------------------------------------------------ victims

std::int64_t Tdm::budget_of(const Job& job) const {
  const auto counts = session().counts(job);
  const auto running = counts.of(PodState::kRunning);
  const auto* least = job.annotations.find("volcano.sh/jdb-min-available");
  const auto* most = least == nullptr ? job.annotations.find("volcano.sh/jdb-max-unavailable") : nullptr;
  if (most != nullptr && !most->empty()) {
    const auto unavailable = counts.tasks() - counts.of(PodState::kSucceeded) - counts.of(PodState::kFailed) - running;
    return std::max<std::int64_t>(number_or_share(*most, counts.tasks()) - unavailable, 0);
  }
  if (least != nullptr && !least->empty())
    if (const auto minimum = number_or_share(*least, counts.tasks()); running >= minimum) return running - minimum;
  return kDefaultBudget;
}

std::vector<PodId> Tdm::within_budgets(const std::vector<PodId>& candidates) const {
  std::vector<PodId> victims;
  std::map<GroupId, std::int64_t> left;
  for (const auto pod : candidates) {
    const auto& job = session().cluster().job_of(pod);
    const auto [at, added] = left.try_emplace(job.id, 0);
    if (added) at->second = budget_of(job);
    if (at->second-- > 0) victims.push_back(pod);
  }
  return victims;
}

// Who may be pushed out, or may use zones, pushes nobody out.
Ballot Tdm::preemptable(PodId preemptor, std::span<const PodId> candidates) {
  const auto& cluster = session().cluster();
  if (cluster.task(preemptor).preemptable || may_use_zones(preemptor)) return {Vote::kReject, {}};
  std::vector<PodId> movable;
  for (const auto pod : candidates) {
    const auto& record = session().books().pod(pod);
    const bool counts = cluster.task(pod).preemptable && record.state == PodState::kRunning && record.group;
    if (counts && zone_of(record.node) == nullptr && session().books().node(record.node).known) movable.push_back(pod);
  }
  return {Vote::kPermit, within_budgets(movable)};
}

// Each configured zone whose hours are over is emptied, a job's pods a few at a time.
std::vector<PodId> Tdm::victim_tasks(std::span<const PodId>) {
  auto& last = session().memory().zones_emptied;
  if (last && later_by(period_nanos_, *last) > session().now()) return {};
  last = session().now();
  std::vector<PodId> victims;
  for (std::uint32_t i = 0; i < zones_.size(); ++i) {
    if (!zones_[i].configured || zones_[i].active || zone_of_.empty()) continue;
    std::vector<PodId> leaving;
    for (const auto node : IdRange<NodeId>(session().books().node_count())) {
      if (zone_of_[node] != i + 1) continue;
      auto pods = session().books().pods_on(node);
      std::sort(pods.begin(), pods.end(), [&](PodId l, PodId r) { return is_older(session().books(), l, r); });
      for (const auto pod : pods) {
        const auto& record = session().books().pod(pod);
        if (record.state == PodState::kRunning && record.group && session().cluster().task(pod).preemptable &&
            session().cluster().job(record.group).schedulable())
          leaving.push_back(pod);
      }
    }
    const auto chosen = within_budgets(leaving);
    victims.insert(victims.end(), chosen.begin(), chosen.end());
  }
  return victims;
}

}  // namespace muster::volcano
