// Groupers of the workload kinds of Kubernetes itself, and of small ones beside them.

#include <algorithm>
#include <fmt/format.h>

#include "grouping/kai_defaults.h"

namespace muster::grouping {
namespace {

const ObjectKind kPodKind{"", "v1", "Pod"};
const ObjectKind kJobKind{"batch", "v1", "Job"};

Result<KaiGroup> with_priority(const KaiCase& about, const Object& top, std::string_view otherwise) {
  auto out = kai_group_of(about, top);
  out.priority_class = kai_priority_class(about, std::span(&top, 1), otherwise);
  return out;
}

}  // namespace

// The driver and the executors of a Spark application are pods without a common owner, but with a label in common.
Result<KaiGroup> pod_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  auto out = kai_group_of(about, top);
  const auto application = about.pod.label("spark-app-selector");
  if (application && about.pod.label("spark-app-name")) out.name = *application;
  return out;
}

// Each pod of a Deployment is of use without the others.
Result<KaiGroup> deployment_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  auto out = with_priority(about, top, "inference");
  out->owner = {kPodKind, about.pod.name, about.pod.uid};
  out->name = fmt::format("pg-{}-{}", about.pod.name, about.pod.uid);
  return out;
}

Result<KaiGroup> job_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  auto out = kai_group_of(about, top);
  const auto legacy = fmt::format("pg-{}-{}", about.pod.name, top.uid);
  if (about.settings.search_legacy_groups && legacy != out.name) {
    const auto found = about.view.find(kKaiPodGroup, about.pod.ns, legacy);
    if (!found && found.error() == View::Missing::kUnanswered)
      return fail(fmt::format("whether there is a PodGroup {}/{} is not known", about.pod.ns, legacy));
    if (found) {
      out.name = legacy;
      return out;
    }
  }
  const auto members = top.annotation(kBatchMinMember);
  if (!members) return out;
  const auto number = annotated_number(kBatchMinMember, *members, top);
  if (!number) return fail(number.error());
  out.min_member = *number;
  return out;
}

// By the Job of this run, not by what started it.
Result<KaiGroup> cron_job_kai_group(const KaiCase& about, const Object&, std::span<const Object>) {
  const auto& owners = about.pod.owners;
  const auto job = std::find_if(owners.begin(), owners.end(), [](const auto& owner) { return owner.kind.kind == "Job"; });
  if (job == owners.end()) return fail(fmt::format("the pod {}/{} is owned by no Job", about.pod.ns, about.pod.name));
  const auto found = about.view.find(kJobKind, about.pod.ns, job->name);
  if (!found) return fail(fmt::format("there is no Job {}/{}", about.pod.ns, job->name));
  return kai_group_of(about, *found);
}

Result<KaiGroup> notebook_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  return with_priority(about, top, "build");
}

Result<KaiGroup> spot_request_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  return with_priority(about, top, "inference");
}

}  // namespace muster::grouping
