// The grouper of LeaderWorkerSets: a PodGroup for every group of a leader and its workers, and segments of it if asked for.

#include <algorithm>
#include <fmt/format.h>

#include "base/split.h"
#include "grouping/kai_defaults.h"

namespace muster::grouping {
namespace {

constexpr std::string_view kGroupIndex = "leaderworkerset.sigs.k8s.io/group-index";
constexpr std::string_view kWorkerIndex = "leaderworkerset.sigs.k8s.io/worker-index";
constexpr std::string_view kSetSize = "leaderworkerset.sigs.k8s.io/size";
constexpr std::string_view kLeader = "leader";
constexpr std::string_view kWorkers = "workers";

bool is_leader(const Object& pod) { return pod.label(kWorkerIndex) == "0"; }

SubGroup leaf_group(std::string_view name, std::int64_t members) {
  SubGroup out;
  out.name = name;
  out.min_member = members;
  return out;
}

Result<std::int64_t> group_size(const KaiCase& about, const Object& set) {
  const auto size = set.integer_at("spec.leaderWorkerTemplate.size");
  if (!size || *size <= 0) return fail(fmt::format("LeaderWorkerSet {}/{} has no size", set.ns, set.name));
  if (const auto index = about.pod.label(kWorkerIndex)) {
    const auto number = parse_integer(*index);
    if (!number || *number < 0)
      return fail(fmt::format("pod {}/{}: the label {} is no index of a worker", about.pod.ns, about.pod.name, kWorkerIndex));
  }
  const auto policy = set.text_at("spec.startupPolicy");
  if (policy.empty() || policy == "LeaderCreated") return *size;
  if (policy != "LeaderReady")
    return fail(fmt::format("LeaderWorkerSet {}/{}: the startup policy {} is not known", set.ns, set.name, policy));
  // Workers are made when the leader runs, so that it cannot wait for them.
  if (is_leader(about.pod) && about.pod.text_at("spec.nodeName").empty()) return 1;
  const auto annotated = parse_integer(about.pod.annotation(kSetSize).value_or(""));
  return annotated.value_or(*size);
}

struct Segments {
  std::int64_t pods = 0;  // of the whole group
  std::int64_t size = 0;

  // The leader is one more in the first segment, when the workers fill all of them.
  bool workers_fill() const { return (pods - 1) % size == 0; }
  std::int64_t of(std::int64_t worker) const { return worker == 0 ? 0 : (workers_fill() ? worker - 1 : worker) / size; }
  std::int64_t count() const { return of(pods - 1) + 1; }
  std::int64_t members(std::int64_t segment) const {
    if (segment + 1 < count()) return size;
    std::int64_t out = 0;
    for (auto worker = pods - 1; worker >= 0 && of(worker) == segment; --worker) ++out;
    return out;
  }
};

// Nothing for a set that asks for none.
Result<std::optional<Segments>> segments_of(const Object& set, std::int64_t pods) {
  auto size = set.integer_at("spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize");
  if (!size) {
    auto text = set.annotation(kSegmentSize);
    if (!text) text = text_of(json_texts(set.at("spec.leaderWorkerTemplate.workerTemplate.metadata.annotations")), kSegmentSize);
    if (!text) return std::nullopt;
    const auto number = annotated_number(kSegmentSize, *text, set);
    if (!number) return fail(number.error());
    size = *number;
  }
  if (*size <= 1 || *size > pods)
    return fail(fmt::format("LeaderWorkerSet {}/{}: segments of {} pods in a group of {}", set.ns, set.name, *size, pods));
  return Segments{pods, *size};
}

// The leader and the rest of the first segment are apart below it.
void put_leader_first(const Segments& segments, const Object& pod, std::int64_t own, KaiGroup& out) {
  auto& first = out.sub_groups.front();
  const auto members = first.min_member + (segments.workers_fill() ? 1 : 0);
  first.min_sub_group = 2;
  first.min_member = 0;
  const auto parent = first.name;
  for (auto [name, count] : {std::pair(kLeader, std::int64_t{1}), std::pair(kWorkers, members - 1)}) {
    auto leaf = leaf_group(name, count);
    leaf.parent = parent;
    out.sub_groups.push_back(std::move(leaf));
  }
  if (own == 0) out.pod_sub_group = is_leader(pod) ? kLeader : kWorkers;
}

Result<void> add_set_segments(const KaiCase& about, const Object& set, const Segments& segments, KaiGroup& out) {
  if (segments.count() > kMostSegments)
    return fail(fmt::format("LeaderWorkerSet {}/{}: {} segments are too many", set.ns, set.name, segments.count()));
  const auto worker = parse_integer(about.pod.label(kWorkerIndex).value_or(""));
  if (!worker || *worker >= segments.pods)
    return fail(fmt::format("pod {}/{}: the label {} is no index of a worker", about.pod.ns, about.pod.name, kWorkerIndex));
  const auto own = segments.of(*worker);
  const auto annotations = json_texts(set.at("spec.leaderWorkerTemplate.workerTemplate.metadata.annotations"));
  const auto topology = segment_topology(about.pod, annotations, set);
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    auto segment = leaf_group(fmt::format("segment-{}", i), segments.members(i));
    segment.topology = topology;
    out.sub_groups.push_back(std::move(segment));
  }
  out.pod_sub_group = fmt::format("segment-{}", own);
  const auto policy = set.text_at("spec.leaderWorkerTemplate.subGroupPolicy.subGroupPolicyType");
  if (policy.empty() || policy == "LeaderWorker") put_leader_first(segments, about.pod, own, out);
  if (policy != "LeaderExcluded") return {};
  if (!segments.workers_fill())
    return fail(fmt::format("LeaderWorkerSet {}/{}: LeaderExcluded needs workers that fill their segments", set.ns, set.name));
  out.sub_groups.insert(out.sub_groups.begin(), leaf_group(kLeader, 1));
  if (is_leader(about.pod)) out.pod_sub_group = kLeader;
  return {};
}

}  // namespace

Result<KaiGroup> leader_worker_set_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  auto out = kai_group_of(about, top);
  const auto size = group_size(about, top);
  if (!size) return fail(size.error());
  out.min_member = *size;
  const auto segments = segments_of(top, *size);
  if (!segments) return fail(segments.error());
  if (*segments) {
    if (auto done = add_set_segments(about, top, **segments, out); !done) return fail(done.error());
  } else {
    out.sub_groups.push_back(leaf_group(kLeader, 1));
    if (*size > 1) out.sub_groups.push_back(leaf_group(kWorkers, *size - 1));
    if (is_leader(about.pod))
      out.pod_sub_group = kLeader;
    else if (*size > 1)
      out.pod_sub_group = kWorkers;
  }
  if (const auto index = parse_integer(about.pod.label(kGroupIndex).value_or(""))) out.name += fmt::format("-group-{}", *index);
  return out;
}

}  // namespace muster::grouping
