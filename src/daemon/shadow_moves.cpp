#include "daemon/shadow_moves.h"

#include <algorithm>

#include "daemon/object_key.h"
#include "daemon/pod_ended.h"

namespace muster::daemon::shadow {
namespace {

constexpr std::int64_t kLongestNews = 60 * kNanosPerSecond;  // between an eviction and what is written about it

bool has_condition(const Pod& pod, std::string_view type, std::string_view reason) {
  return std::ranges::any_of(pod.status.conditions, [&](const Condition& one) { return one.type == type && one.reason == reason; });
}

const BindRequest* request_for(const std::string& pod, const State& state) {
  static const auto kRequests = key_of(kind_named("scheduling.run.ai", "BindRequest"), {}).first;
  const auto& objects = state.objects();
  for (auto at = objects.lower_bound({kRequests, ""}); at != objects.end() && at->first.first == kRequests; ++at) {
    const auto& request = std::get<BindRequest>(*at->second);
    if (request.meta.ns + "/" + request.pod == pod && !request.has_failed()) return &request;
  }
  return nullptr;
}

}  // namespace

bool Subject::concerns(const Pod& pod) const {
  return std::ranges::find(scheduler_names, pod.spec.scheduler_name) != scheduler_names.end() ||
         (is_kai() && pod.meta.annotations.contains("pod-group-name"));
}

std::string Subject::group_of(const Pod& pod) const {
  const auto name = pod.meta.annotations.get(is_kai() ? "pod-group-name" : "scheduling.k8s.io/group-name");
  return name.empty() ? daemon::key_of(pod.meta) : pod.meta.ns + "/" + std::string(name);
}

Move MoveReader::move_of(MoveKind kind, const Pod& pod, std::string node) const {
  Move move;
  move.kind = kind;
  move.pod = daemon::key_of(pod.meta);
  move.uid = pod.meta.uid;
  move.group = subject_.group_of(pod);
  move.node = std::move(node);
  move.created = pod.meta.created;
  return move;
}

std::optional<Move> MoveReader::read(const Step& step, const State& now) const {
  const auto& shown = step.after ? *step.after : *step.before;
  std::optional<Move> move;
  if (std::holds_alternative<Pod>(shown))
    move = read_pod(step.before ? &std::get<Pod>(*step.before) : nullptr, step.after ? &std::get<Pod>(*step.after) : nullptr, now);
  else if (std::holds_alternative<BindRequest>(shown) && step.after && subject_.is_kai())
    move = read_request(step.before ? &std::get<BindRequest>(*step.before) : nullptr, std::get<BindRequest>(*step.after), now);
  if (!move) return move;
  move->at = step.at;
  move->wall = step.wall;
  return move;
}

std::optional<Move> MoveReader::read_pod(const Pod* before, const Pod* after, const State& now) const {
  if (before == nullptr || !subject_.concerns(*before)) return std::nullopt;
  if (after != nullptr && after->meta.uid != before->meta.uid) after = nullptr;
  if (before->spec.node_name.empty()) {
    if (after == nullptr || after->spec.node_name.empty()) return std::nullopt;
    const auto* request = subject_.is_kai() ? request_for(daemon::key_of(after->meta), now) : nullptr;
    if (request != nullptr && request->node == after->spec.node_name) return std::nullopt;  // it was decided before
    return move_of(MoveKind::kBind, *after, after->spec.node_name);
  }
  const bool leaves = after == nullptr || after->meta.deleted;
  if (before->meta.deleted || !leaves || has_ended(after != nullptr ? *after : *before)) return std::nullopt;
  return move_of(MoveKind::kEvict, *before, before->spec.node_name);
}

std::optional<Move> MoveReader::read_request(const BindRequest* before, const BindRequest& after, const State& now) const {
  if (before != nullptr && before->meta.uid == after.meta.uid) return std::nullopt;
  const auto* pod = now.pod(after.meta.ns + "/" + after.pod);
  if (after.has_failed() || pod == nullptr || !subject_.concerns(*pod) || !pod->spec.node_name.empty()) return std::nullopt;
  return move_of(MoveKind::kBind, *pod, after.node);
}

bool is_known_eviction(const Move& move, const Subject& subject, const State& before, const State& after, const State& now) {
  const auto says_so = [&](const State& state) {
    const auto* pod = state.pod(move.pod);
    return pod != nullptr && pod->meta.uid == move.uid &&
           (has_condition(*pod, "DisruptionTarget", "PreemptionByScheduler") || has_condition(*pod, "Ready", "Evict"));
  };
  if (says_so(before) || says_so(after) || says_so(now)) return true;
  if (!subject.is_kai()) return false;
  static const auto kGroups = key_of(kind_named("scheduling.run.ai", "PodGroup"), {}).first;
  const auto object = now.find({kGroups, move.group});
  if (!object) return false;
  const auto* said = std::get<KaiPodGroup>(*object).meta.annotations.find("kai.scheduler/last-eviction-timestamp");
  const auto time = said == nullptr ? Result<Timestamp>(fail("")) : Timestamp::parse_rfc3339(*said);
  if (!time) return false;
  const auto apart = nanos_between(*time, move.wall);
  return -kLongestNews <= apart && apart <= kLongestNews;
}

std::vector<Unit> units_of(const std::vector<Move>& moves) {
  std::vector<Unit> units;
  std::map<std::pair<MoveKind, std::string>, std::size_t> places;
  for (const auto& move : moves) {
    const auto [place, is_new] = places.try_emplace({move.kind, move.group}, units.size());
    if (is_new) units.push_back({move.kind, move.group, {}});
    units[place->second].moves.push_back(move);
  }
  return units;
}

}  // namespace muster::daemon::shadow
