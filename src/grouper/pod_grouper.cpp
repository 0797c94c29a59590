#include "grouper/pod_grouper.h"

#include <fmt/format.h>

#include "kube/api_status.h"
#include "kube/api_writer.h"

namespace muster::grouper {
namespace {

const grouping::ObjectKind kPod{"", "v1", "Pod"};
constexpr int kCreated = 201;
constexpr int kOk = 200;
constexpr int kGone = 404;
constexpr int kThere = 409;

tl::unexpected<Error> refused(const kube::HttpAnswer& answer, const std::string& what) {
  if (!answer.failure.empty()) return fail(fmt::format("{}: {}", what, answer.failure));
  return fail(fmt::format("{}: {}", what, kube::read_status(answer.body, answer.status).text()));
}

}  // namespace

std::string_view PodGrouper::group_annotation() const {
  return settings_.like == GroupedLike::kVolcano ? "scheduling.k8s.io/group-name" : "pod-group-name";
}

Result<Grouped> PodGrouper::group(const std::string& ns, const std::string& name) {
  const kube::ObjectPath path{.api_version = "v1", .plural = "pods", .ns = ns, .name = name};
  auto answer = exchange_({kube::Method::kGet, path.text()});
  if (answer.failure.empty() && answer.status == kGone) return Grouped::kNothingToDo;
  if (!answer.failure.empty() || answer.status != kOk) return refused(answer, "the pod could not be read");
  const auto pod = grouping::Object::read(std::move(answer.body), kPod);
  if (!pod) return fail("the pod could not be read");
  return settings_.like == GroupedLike::kVolcano ? group_for_volcano(*pod) : group_for_kai(*pod);
}

Result<Grouped> PodGrouper::group_for_volcano(const grouping::Object& pod) {
  const auto group = grouping::volcano_group(pod, view_, settings_.volcano);
  if (!group) return Grouped::kNothingToDo;
  if (auto made = create(grouping::kVolcanoPodGroup, group->ns, group->body()); !made) return fail(std::move(made.error()));
  return note(pod, grouping::volcano_pod_patch(pod, *group));
}

Result<Grouped> PodGrouper::group_for_kai(const grouping::Object& pod) {
  const auto group = grouping::kai_group(pod, view_, settings_.kai);
  if (!group) return fail(group.error());
  if (!*group) return Grouped::kNothingToDo;
  const auto existing = view_.find(grouping::kKaiPodGroup, (*group)->ns, (*group)->name);
  if (!existing && existing.error() != grouping::View::Missing::kNotThere) return fail("the PodGroup could not be read");
  if (!existing) {
    if (auto made = create(grouping::kKaiPodGroup, (*group)->ns, (*group)->body()); !made) return fail(std::move(made.error()));
  } else if (auto body = (*group)->patch(*existing, settings_.kai); !body.empty()) {
    const auto changed = patch(grouping::kKaiPodGroup, (*group)->ns, (*group)->name, std::move(body));
    if (!changed) return fail(changed.error());
    if (*changed == Found::kGone) return fail("the PodGroup has gone meanwhile");
    view_.forget();
  }
  return note(pod, grouping::kai_pod_patch(pod, **group));
}

// Another pod of its name is grouped by itself.
Result<Grouped> PodGrouper::note(const grouping::Object& pod, std::string body) {
  if (body.empty()) return Grouped::kDone;
  const auto noted = patch(kPod, pod.ns, pod.name, std::move(body));
  if (!noted) return fail(noted.error());
  return *noted == Found::kThere ? Grouped::kDone : Grouped::kNothingToDo;
}

Result<void> PodGrouper::create(const grouping::ObjectKind& kind, const std::string& ns, std::string body) {
  const auto path = view_.path_of(kind, ns, "");
  if (!path) return fail(fmt::format("the API server has no {} of {}", kind.kind, kind.api_version()));
  const auto answer = exchange_({kube::Method::kPost, path->text(), std::move(body)});
  if (answer.failure.empty() && (answer.status == kCreated || answer.status == kThere)) return {};
  return refused(answer, "the PodGroup could not be made");
}

Result<PodGrouper::Found> PodGrouper::patch(const grouping::ObjectKind& kind, const std::string& ns, const std::string& name,
                                            std::string body) {
  const auto path = view_.path_of(kind, ns, name);
  if (!path) return fail(fmt::format("the API server has no {} of {}", kind.kind, kind.api_version()));
  const auto answer = exchange_({kube::Method::kPatch, path->text(), std::move(body), "application/merge-patch+json"});
  const auto judged = kube::judge(answer, {});
  const auto outcome = kube::guarded_outcome(judged);
  if (outcome == kube::WriteOutcome::kDone) return Found::kThere;
  if (outcome == kube::WriteOutcome::kGone && !judged.status.is_of_the_moment()) return Found::kGone;
  return refused(answer, fmt::format("{} {}/{} could not be changed", kind.kind, ns, name));
}

void PodGrouper::warn(const std::string& ns, const std::string& name, const std::string& uid, const std::string& message) {
  const auto body = fmt::format(
      R"({{"apiVersion":"v1","kind":"Event","metadata":{{"generateName":{},"namespace":{}}},"involvedObject":{{"apiVersion":"v1",)"
      R"("kind":"Pod","namespace":{},"name":{},"uid":{}}},"type":"Warning","reason":"PodGrouperWarning","message":{},)"
      R"("source":{{"component":"pod-grouper"}},"reportingComponent":"pod-grouper"}})",
      json_string(name + "."), json_string(ns), json_string(ns), json_string(name), json_string(uid), json_string(message));
  exchange_({kube::Method::kPost, fmt::format("/api/v1/namespaces/{}/events", ns), body});
}

}  // namespace muster::grouper
