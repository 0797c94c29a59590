#include "daemon/shadow_judge.h"

#include <algorithm>

#include "daemon/object_key.h"

namespace muster::daemon::shadow {
namespace {

constexpr std::size_t kMostEarlier = 4;  // states

std::map<std::string, std::string> nodes_by_pod(const std::vector<Move>& moves) {
  std::map<std::string, std::string> nodes;
  for (const auto& move : moves) nodes[move.pod] = move.node;
  return nodes;
}

// Whether a scheduler might decide otherwise after it: most changes only say that all goes on as it did.
bool is_material(const Step& step) {
  if (!step.before || !step.after) return true;
  if (const auto* after = std::get_if<Pod>(&*step.after)) {
    const auto& before = std::get<Pod>(*step.before);
    return before.meta.uid != after->meta.uid || before.meta.deleted.has_value() != after->meta.deleted.has_value() ||
           before.status.phase != after->status.phase || before.spec.node_name != after->spec.node_name ||
           before.spec.scheduling_gates != after->spec.scheduling_gates;
  }
  if (const auto* after = std::get_if<Node>(&*step.after)) {
    const auto& before = std::get<Node>(*step.before);
    return before.allocatable != after->allocatable || before.unschedulable != after->unschedulable ||
           before.taints != after->taints || before.meta.labels != after->meta.labels;
  }
  return true;
}

// Written by the scheduler itself, about what it decides.
bool is_its_own(const Object& object) {
  return std::holds_alternative<PodGroup>(object) || std::holds_alternative<KaiPodGroup>(object) ||
         std::holds_alternative<BindRequest>(object);
}

}  // namespace

std::vector<Finding> Judge::judge(const std::vector<Move>& moves) {
  cases_.clear();
  findings_.clear();
  plans_ = 0;
  for (auto& unit : units_of(moves)) cases_.push_back({unit, unit.moves});
  while (auto* focus = next_case())
    if (!look(*focus)) break;
  for (auto& one : cases_)
    if (!one.is_closed) close(one, Verdict::kNotCompared, {}, {});
  return std::move(findings_);
}

// The one whose unexplained decisions begin first.
Judge::Case* Judge::next_case() {
  Case* next = nullptr;
  for (auto& one : cases_)
    if (!one.is_closed && (next == nullptr || one.left.front().step < next->left.front().step)) next = &one;
  return next;
}

// False: there have been too many.
bool Judge::look(Case& focus) {
  const auto sight = sight_at(focus);
  if (!sight) return false;
  const auto before = focus.left.size();
  for (auto& one : cases_) {
    if (one.is_closed) continue;
    take_same(one.left, sight->plan, sight->state, subject_);
    if (one.left.empty()) {
      one.left = one.unit.moves;
      close(one, Verdict::kSame, sight->plan, sight->state);
    }
  }
  if (!focus.is_closed && focus.left.size() == before) explain(focus, *sight);
  return true;
}

std::optional<Judge::Sight> Judge::sight_at(const Case& focus) {
  const auto& first = focus.left.front();
  Sight sight{history_.before(first.step), first.wall, {}};
  for (const auto& one : cases_) {
    if (one.unit.first_step() >= focus.unit.first_step()) continue;
    for (const auto& move : one.unit.moves)
      if (move.step >= first.step) sight.state.put(history_.step(move.step).key, history_.step(move.step).after);
  }
  auto plan = plan_for(sight.state, sight.at);
  if (!plan) return std::nullopt;
  sight.plan = std::move(*plan);
  return sight;
}

std::optional<Plan> Judge::plan_for(const State& state, const Timestamp& now) {
  if (plans_++ >= settings_.most_plans) return std::nullopt;
  return decide_(state, now);
}

void Judge::close(Case& one, Verdict verdict, const Plan& plan, const State& state, std::string why) {
  Finding finding{.at = one.left.front().wall, .verdict = verdict, .kind = one.unit.kind, .group = one.unit.group};
  finding.there = nodes_by_pod(one.left);
  for (const auto& [name, node] : plan.of(one.unit.kind))
    if (const auto* pod = state.pod(name); pod != nullptr && subject_.group_of(*pod) == one.unit.group) finding.here[name] = node;
  finding.why = std::move(why);
  findings_.push_back(std::move(finding));
  one.is_closed = true;
}

void Judge::explain(Case& one, const Sight& sight) {
  if (is_tie(one.left, sight.plan, sight.state, subject_)) return close(one, Verdict::kTie, sight.plan, sight.state);
  if (one.unit.kind == MoveKind::kEvict && !is_known(one)) return close(one, Verdict::kByOthers, sight.plan, sight.state);
  if (agrees_earlier(one) || agrees_later(one, sight.state)) return close(one, Verdict::kTiming, sight.plan, sight.state);
  one.unit.kind == MoveKind::kBind ? explain_bind(one, sight) : explain_eviction(one, sight);
}

void Judge::explain_bind(Case& one, const Sight& sight) {
  const auto& [state, now, plan] = sight;
  const auto reason_in = [&](const Plan& said) {
    auto found = said.reasons.find(one.unit.group);
    if (found == said.reasons.end()) found = said.reasons.find(one.left.front().pod);
    return found == said.reasons.end() ? std::string() : found->second;
  };
  if (planned_nodes(MoveKind::kBind, one.unit.group, plan, state, subject_).empty()) {
    auto why = reason_in(plan);
    if (!plan.evictions.empty())
      why +=
          (why.empty() ? "" : "; ") + std::string("would evict ") + std::to_string(plan.evictions.size()) + " pods in this cycle";
    return close(one, Verdict::kWaitsHere, plan, state, std::move(why));
  }
  std::string why;
  if (const auto only_there = plan_for(only_nodes_of(one.left, state), now)) {
    auto left = one.left;
    take_same(left, *only_there, state, subject_);
    const auto reason = reason_in(*only_there);
    why = left.empty() ? "the nodes there would do, those here are preferred"
                       : "not all would be there if there were no other nodes" + (reason.empty() ? "" : ": " + reason);
  }
  close(one, Verdict::kOtherNodes, plan, state, std::move(why));
}

bool Judge::is_known(const Case& one) const {
  const auto& first = one.left.front();
  return is_known_eviction(first, subject_, history_.before(first.step), history_.before(first.step + 1), history_.now());
}

void Judge::explain_eviction(Case& one, const Sight& sight) {
  if (sight.plan.evictions.empty()) return close(one, Verdict::kEvictedThere, sight.plan, sight.state);
  close(one, Verdict::kOtherVictims, sight.plan, sight.state);
  auto& finding = findings_.back();
  finding.here = sight.plan.evictions;
  if (!sight.plan.rules.empty()) finding.why = sight.plan.rules.begin()->second;
}

bool Judge::agrees(const Case& one, const State& state, const Timestamp& now) {
  const auto plan = plan_for(state, now);
  if (!plan) return false;
  auto left = one.left;
  take_same(left, *plan, state, subject_);
  return left.empty() || is_tie(left, *plan, state, subject_);
}

// It may have looked before the latest news.
bool Judge::agrees_earlier(const Case& one) {
  const auto first = one.left.front().step;
  const auto since = history_.step(first).at - settings_.skew;
  std::vector<std::size_t> cuts;
  for (auto at = first; at > history_.first() && history_.step(at - 1).at >= since; --at)
    if (const auto& step = history_.step(at - 1); !step.is_decision && is_material(step)) cuts.push_back(at - 1);
  if (cuts.size() > kMostEarlier) {
    cuts[kMostEarlier - 1] = cuts.back();  // the earliest of all
    cuts.resize(kMostEarlier);
  }
  return std::ranges::any_of(cuts, [&](std::size_t cut) { return agrees(one, history_.before(cut), history_.step(cut).wall); });
}

// It may have seen what we were told of later: kinds are watched one by one.
bool Judge::agrees_later(const Case& one, const State& state) {
  const auto first = one.left.front().step;
  const auto until = history_.step(first).at + settings_.skew;
  std::set<Key> decided;
  for (const auto& other : cases_)
    for (const auto& move : other.unit.moves) decided.insert({key_of(kind_named("", "Pod"), {}).first, move.pod});
  auto later = state;
  bool is_any = false;
  for (auto at = first; at < history_.end() && history_.step(at).at <= until; ++at) {
    const auto& step = history_.step(at);
    const auto& shown = step.after ? *step.after : *step.before;
    if (step.is_decision || decided.contains(step.key) || is_its_own(shown)) continue;
    is_any |= is_material(step);
    later.put(step.key, step.after);
  }
  return is_any && agrees(one, later, history_.step(first).wall);
}

}  // namespace muster::daemon::shadow
