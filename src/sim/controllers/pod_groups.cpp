#include "sim/controllers/pod_groups.h"

#include <algorithm>

#include "base/assert.h"
#include "sim/controllers/pods.h"
#include "sim/json_patch.h"

namespace muster::sim {
namespace {

constexpr std::int64_t kFirstWaitSeconds = 1;
constexpr std::int64_t kLongestWaitSeconds = 60;

std::optional<grouping::Object> as_grouped(const Kind& kind, const Object& object) {
  return grouping::Object::read(object.text, {std::string(kind.group), std::string(kind.version), std::string(kind.kind)});
}

// The store as groupers see it.
class StoreView : public grouping::View {
 public:
  explicit StoreView(const Store& store) : store_(store) {}

  tl::expected<grouping::Object, Missing> find(const grouping::ObjectKind& kind, const std::string& ns,
                                               const std::string& name) const override {
    const auto* served = kind_of_object(kind.api_version(), kind.kind);
    const auto found = served == nullptr ? nullptr : store_.find(*served, {served->namespaced ? ns : "", name});
    auto object = found ? as_grouped(*served, *found) : std::nullopt;
    if (!object) return tl::unexpected(Missing::kNotThere);
    return std::move(*object);
  }

  bool has_live_pod(const std::string& ns, const grouping::Texts& labels) const override {
    const auto& pods = store_.objects(pod_kind());
    for (auto at = pods.lower_bound({ns, ""}); at != pods.end() && at->first.ns == ns; ++at) {
      const auto& pod = *at->second;
      const bool has_all =
          std::all_of(labels.begin(), labels.end(), [&](const auto& label) { return pod.labels.get(label.first) == label.second; });
      if (has_all && !pod.is_deleting) return true;
    }
    return false;
  }

 private:
  const Store& store_;
};

Tree parsed(const std::string& text) {
  auto out = Tree::parse(text);
  MUSTER_ASSERT(out.has_value());  // it was written by src/grouping
  return std::move(*out);
}

const Kind& group_kind(const grouping::ObjectKind& kind) {
  const auto* out = kind_of_object(kind.api_version(), kind.kind);
  MUSTER_ASSERT(out != nullptr);
  return *out;
}

}  // namespace

void PodGroups::observe_pod(const Object& pod) {
  if (has_ended(pod) || pod.is_deleting) {
    waits_.erase(pod.key);
    return;
  }
  const auto scheduler = pod.fields.get("spec.schedulerName");
  if (scheduler == kai_.scheduler_name) return group_for_kai(pod);
  const auto& names = volcano_.scheduler_names;
  if (std::find(names.begin(), names.end(), scheduler) != names.end()) group_for_volcano(pod);
}

void PodGroups::group_for_volcano(const Object& pod) {
  const auto read = as_grouped(pod_kind(), pod);
  const auto group = read ? grouping::volcano_group(*read, StoreView(bench_.store()), volcano_) : std::nullopt;
  if (!group) return;
  const auto& kind = group_kind(grouping::kVolcanoPodGroup);
  if (!bench_.store().find(kind, {group->ns, group->name}))
    if (const auto made = bench_.registry().create(kind, group->ns, parsed(group->body())); !made)
      return retry(pod, made.error().message);
  patch_pod(pod, grouping::volcano_pod_patch(*read, *group));
}

void PodGroups::group_for_kai(const Object& pod) {
  const auto read = as_grouped(pod_kind(), pod);
  if (!read) return;
  const auto group = grouping::kai_group(*read, StoreView(bench_.store()), kai_);
  if (!group) return retry(pod, group.error().message);
  if (!*group) return;
  const auto& kind = group_kind(grouping::kKaiPodGroup);
  const Key key{(*group)->ns, (*group)->name};
  const auto existing = bench_.store().find(kind, key);
  const auto known = existing ? as_grouped(kind, *existing) : std::nullopt;
  if (!known) {
    if (const auto made = bench_.registry().create(kind, key.ns, parsed((*group)->body())); !made)
      return retry(pod, made.error().message);
  } else if (const auto patch = (*group)->patch(*known, kai_); !patch.empty()) {
    const auto written = bench_.registry().change(
        kind, key, Part::kAll, [&](Tree now) -> Answered<Tree> { return merge_patched(std::move(now), parsed(patch)); });
    if (!written) return retry(pod, written.error().message);
  }
  if (const auto patch = grouping::kai_pod_patch(*read, **group); !patch.empty()) patch_pod(pod, patch);
  waits_.erase(pod.key);
}

void PodGroups::patch_pod(const Object& pod, const std::string& patch) {
  const auto written = bench_.registry().change(
      pod_kind(), pod.key, Part::kAll, [&](Tree now) -> Answered<Tree> { return merge_patched(std::move(now), parsed(patch)); });
  if (!written) retry(pod, written.error().message);
}

void PodGroups::retry(const Object& pod, const std::string& why) {
  auto& wait = waits_[pod.key];
  if (wait.uid != pod.uid) wait = {pod.uid};
  wait.seconds = wait.seconds == 0 ? kFirstWaitSeconds : std::min(wait.seconds * 2, kLongestWaitSeconds);
  bench_.warn(pod_kind(), pod, "PodGrouperWarning", why);
  bench_.look_again(pod_kind(), pod.key, bench_.now() + wait.seconds);
}

void PodGroups::observe_workload(const Kind& kind, const Object& workload) {
  if (workload.is_deleting) return;
  const auto read = as_grouped(kind, workload);
  const auto name = read ? grouping::abandoned_volcano_group(*read) : std::nullopt;
  const auto& groups = group_kind(grouping::kVolcanoPodGroup);
  if (!name || !bench_.store().find(groups, {workload.key.ns, *name})) return;
  static_cast<void>(bench_.registry().remove(groups, {workload.key.ns, *name}));
}

}  // namespace muster::sim
