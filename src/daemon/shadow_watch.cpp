#include "daemon/shadow_watch.h"

#include <algorithm>
#include <set>

namespace muster::daemon::shadow {
namespace {

constexpr int kShareOfTime = 4;  // looks at who would start now take a fifth of it at most

double seconds_of(kube::Duration duration) { return std::chrono::duration<double>(duration).count(); }

bool waits_for_a_node(const Pod& pod) {
  return pod.spec.node_name.empty() && !pod.meta.deleted && (pod.status.phase.empty() || pod.status.phase == "Pending");
}

}  // namespace

Watch::Watch(Subject subject, WatchSettings settings, Links links)
    : reader_(std::move(subject)), settings_(settings), links_(std::move(links)) {}

void Watch::take(const kube::Change& change, kube::Instant now, const Timestamp& wall) {
  const auto* step = history_.take(change, now, wall);
  if (step == nullptr || !has_begun_) return;
  is_changed_ = true;
  auto move = reader_.read(*step, history_.now());
  if (change.type == kube::ChangeType::kDeleted) decided_.erase(change.id.uid);
  if (!move) return;
  if (move->kind == MoveKind::kBind) {
    auto& node = decided_[move->uid];
    if (node == move->node) return;  // a BindRequest said so before
    node = move->node;
  }
  move->step = history_.end() - 1;
  move->planned_before = planned_;
  history_.mark_decision();
  moves_.push_back(std::move(*move));
}

void Watch::begin(kube::Instant now, const Timestamp& wall) {
  has_begun_ = is_changed_ = true;
  began_ = now;
  began_at_ = wall;
}

kube::Instant Watch::next_probe() const {
  if (!is_changed_) return last_probe_ + settings_.idle_gap;
  return last_probe_ + std::max<kube::Duration>(settings_.probe_gap, kShareOfTime * last_plan_);
}

kube::Instant Watch::next() const {
  if (!has_begun_) return kube::Instant::max();
  if (!moves_.empty()) return std::min(moves_.back().at + settings_.quiet, moves_.front().at + settings_.longest);
  auto due = next_probe();
  for (const auto& [key, wish] : wishes_)
    if (!wish.is_told) due = std::min(due, wish.since + (planned_ - wish.planned_before) + settings_.grace);
  return due;
}

void Watch::turn(kube::Instant now, const Timestamp& wall) {
  if (!has_begun_) return;
  if (!moves_.empty()) {
    if (now < next()) return;
    compare();
  }
  if (now >= next_probe()) probe(now, wall);
  end_grace(now, wall);
  history_.forget(now - 2 * settings_.judge.skew, moves_.empty() ? history_.end() : moves_.front().step);
}

// How long it has been wished for, without the time in which we were busy: what happened then was seen later than it was.
kube::Duration Watch::age(const Wish& wish, kube::Instant now, kube::Duration planned) const {
  return std::max(kube::Duration(0), kube::Duration(now - wish.since) - (planned - wish.planned_before));
}

std::optional<Plan> Watch::decide(const State& state, const Timestamp& wall) {
  auto plan = links_.decide(state, wall);
  if (!plan) {
    if (links_.problem) links_.problem(plan.error().text());
    return std::nullopt;
  }
  ++summary_.plans;
  const auto took = seconds_of(plan->took);
  summary_.planning += took;
  summary_.longest_plan = std::max(summary_.longest_plan, took);
  last_plan_ = plan->took;
  planned_ += plan->took;
  return std::move(*plan);
}

void Watch::compare() {
  const auto moves = std::exchange(moves_, {});
  Judge judge(history_, reader_.subject(), settings_.judge,
              [this](const State& state, const Timestamp& at) { return decide(state, at); });
  const auto findings = judge.judge(moves);
  for (const auto& move : moves) ++(move.kind == MoveKind::kBind ? summary_.binds : summary_.evictions);
  for (const auto& finding : findings) {
    if (finding.verdict == Verdict::kByOthers) summary_.evictions -= finding.there.size();
    if (finding.verdict == Verdict::kEvictedThere) summary_.avoided += finding.there.size();
    tell(finding);
  }
  for (const auto& unit : units_of(moves)) fulfil(unit);
}

// The other has done what muster would have.
void Watch::fulfil(const Unit& unit) {
  const auto& first = unit.moves.front();
  const auto wish = wishes_.find({unit.kind, unit.group});
  if (unit.kind == MoveKind::kBind) {
    const auto created = std::ranges::max(unit.moves, {}, &Move::created).created;
    if (began_at_ < created) {
      ++summary_.started;
      summary_.waited += std::max(0.0, static_cast<double>(nanos_between(created, first.wall)) / kNanosPerSecond);
    }
  }
  if (wish == wishes_.end()) return;
  const auto later = age(wish->second, first.at, first.planned_before);
  const bool was_told = wish->second.is_told;
  auto nodes = std::move(wish->second.nodes);
  wishes_.erase(wish);
  if (unit.kind != MoveKind::kBind) return;
  ++summary_.earlier;
  summary_.earlier_by += seconds_of(later);
  summary_.most_earlier_by = std::max(summary_.most_earlier_by, seconds_of(later));
  if (later < settings_.grace && !was_told) return;
  Finding finding{.at = first.wall, .verdict = Verdict::kSlower, .kind = unit.kind, .group = unit.group};
  for (const auto& move : unit.moves) finding.there[move.pod] = move.node;
  finding.here = std::move(nodes);
  finding.seconds = seconds_of(later);
  if (was_told) --summary_.counts[static_cast<std::size_t>(Verdict::kWaitsThere)];  // it does not wait any more
  tell(finding);
}

void Watch::tell(const Finding& finding) {
  ++summary_.counts[static_cast<std::size_t>(finding.verdict)];
  links_.tell(finding);
}

// Who would start or go now. What lasts longer than the time of grace is told.
void Watch::probe(kube::Instant now, const Timestamp& wall) {
  last_probe_ = now;
  is_changed_ = false;
  const auto& state = history_.now();
  const auto& subject = reader_.subject();
  std::set<std::string> waiting;
  for (const auto& [key, object] : state.objects())
    if (const auto* pod = std::get_if<Pod>(&*object); pod != nullptr && waits_for_a_node(*pod) && subject.concerns(*pod))
      waiting.insert(subject.group_of(*pod));
  summary_.waiting = 0;
  const auto plan = decide(state, wall);
  if (!plan) return;
  std::map<WishKey, std::map<std::string, std::string>> wanted;
  for (const auto kind : {MoveKind::kBind, MoveKind::kEvict})
    for (const auto& [name, node] : plan->of(kind))
      if (const auto* pod = state.pod(name)) wanted[{kind, subject.group_of(*pod)}][name] = node;
  std::erase_if(wishes_, [&](const auto& one) { return !wanted.contains(one.first); });
  for (auto& [key, nodes] : wanted) {
    auto& wish = wishes_.try_emplace(key, Wish{key.first, now, planned_, {}, false}).first->second;
    wish.nodes = std::move(nodes);
  }
  summary_.waiting = static_cast<std::uint64_t>(
      std::ranges::count_if(waiting, [&](const std::string& group) { return !wanted.contains({MoveKind::kBind, group}); }));
}

void Watch::end_grace(kube::Instant now, const Timestamp& wall) {
  for (auto& [key, wish] : wishes_) {
    if (wish.is_told || age(wish, now, planned_) < settings_.grace) continue;
    wish.is_told = true;
    tell({.at = wall,
          .verdict = key.first == MoveKind::kBind ? Verdict::kWaitsThere : Verdict::kEvictedHere,
          .kind = key.first,
          .group = key.second,
          .there = {},
          .here = wish.nodes,
          .why = {},
          .seconds = seconds_of(age(wish, now, planned_))});
  }
}

Summary Watch::finish(kube::Instant now) {
  if (has_begun_) {
    if (!moves_.empty()) compare();
    summary_.watched = seconds_of(now - began_);
  }
  return summary_;
}

}  // namespace muster::daemon::shadow
