#include "grouping/kai_defaults.h"

#include <fmt/format.h>

#include "base/lower_case.h"
#include "base/split.h"
#include "grouping/duration_text.h"
#include "model/time.h"

namespace muster::grouping {
namespace {

constexpr std::string_view kUser = "user";
constexpr std::string_view kProject = "project";
constexpr std::string_view kDefaultQueue = "default-queue";
constexpr std::string_view kTopOwnerMetadata = "kai.scheduler/top-owner-metadata";
constexpr std::string_view kPreemptionDelay = "kai.scheduler/preemption-delay";
constexpr std::string_view kStalenessGrace = "kai.scheduler/staleness-grace-period";

// A text as YAML, quoted where it would be read as something else than a text.
std::string yaml_scalar(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of("0123456789.eE+-_:") != std::string::npos &&
                     text.find_first_of(": #{}[],&*!|>'\"%@`\n") == std::string::npos && text != "true" && text != "false" &&
                     text != "null" && text != "yes" && text != "no" && text != "on" && text != "off" && text != "y" && text != "n";
  return plain ? text : json_string(text);
}

std::string top_owner_metadata(const Object& top) {
  return fmt::format("name: {}\nuid: {}\ngroup: {}\nversion: {}\nkind: {}\n", yaml_scalar(top.name), yaml_scalar(top.uid),
                     yaml_scalar(top.kind.group), yaml_scalar(top.kind.version), yaml_scalar(top.kind.kind));
}

std::string queue_of(const KaiCase& about, const Object& top) {
  if (const auto queue = top.label(about.settings.queue_label)) return *queue;
  if (const auto queue = about.pod.label(about.settings.queue_label)) return *queue;
  auto project = top.label(kProject);
  if (!project) project = about.pod.label(kProject);
  if (!project || project->empty()) return std::string(kDefaultQueue);
  const auto pool = about.pod.label(about.settings.node_pool_label);
  return pool ? *project + "-" + *pool : *project;
}

std::optional<std::string> named_priority_class(const Object& owner, const Object& pod) {
  if (const auto name = owner.label(kPriorityLabel)) return name;
  if (const auto name = pod.label(kPriorityLabel)) return name;
  if (const auto name = pod.text_at("spec.priorityClassName"); !name.empty()) return name;
  return std::nullopt;
}

bool is_preemptibility(std::string_view text) { return text.empty() || text == "preemptible" || text == "non-preemptible"; }

std::string preemptibility_of(const KaiCase& about, std::span<const Object> owners) {
  for (const auto& owner : owners)
    if (const auto text = owner.label(kPreemptibilityLabel); text && is_preemptibility(*text)) return *text;
  if (const auto text = about.pod.label(kPreemptibilityLabel); text && is_preemptibility(*text)) return *text;
  for (const auto& owner : owners) {
    const auto defaults = kai_kind_defaults(about, owner.kind);
    if (!defaults || defaults->preemptibility.empty()) continue;
    if (auto text = lower_case(defaults->preemptibility); is_preemptibility(text)) return text;
  }
  return {};
}

enum class Sign { kAny, kNotNegative };

// The first of the owners, then of the pod, whose annotation is a duration.
std::string annotated_duration(const KaiCase& about, std::span<const Object> owners, std::string_view key, Sign sign) {
  const auto duration_in = [&](const Object& object) -> std::optional<std::string> {
    const auto text = object.annotation(key);
    if (!text) return std::nullopt;
    const auto nanos = parse_go_duration(*text);
    if (!nanos || (sign == Sign::kNotNegative && *nanos < 0)) return std::nullopt;
    return go_duration_text(*nanos);
  };
  for (const auto& owner : owners)
    if (auto text = duration_in(owner)) return *text;
  return duration_in(about.pod).value_or("");
}

}  // namespace

bool priority_class_exists(const View& view, const std::string& name) {
  return !name.empty() && view.find({"scheduling.k8s.io", "v1", "PriorityClass"}, "", name).has_value();
}

std::optional<KaiKindDefaults> kai_kind_defaults(const KaiCase& about, const ObjectKind& kind) {
  if (about.settings.defaults_name.empty()) return std::nullopt;
  const auto found = about.view.find({"", "v1", "ConfigMap"}, about.settings.defaults_namespace, about.settings.defaults_name);
  const auto text = found ? found->text_at("data.types") : std::string();
  const auto types = read_json(text);
  if (!types) return std::nullopt;
  // The kind with its group counts before one that names none; of several, the last.
  std::optional<KaiKindDefaults> by_kind;
  std::optional<KaiKindDefaults> by_group;
  for (const auto& one : types->items) {
    if (muster::text_at(&one, "typeName") != kind.kind) continue;
    const auto group = muster::text_at(&one, "group");
    const KaiKindDefaults defaults{muster::text_at(&one, "priorityName"), muster::text_at(&one, "preemptibility")};
    if (group == kind.group) by_group = defaults;
    if (group.empty()) by_kind = defaults;
  }
  return by_group ? by_group : by_kind;
}

std::string kai_priority_class(const KaiCase& about, std::span<const Object> owners, std::string_view otherwise) {
  for (const auto& owner : owners)
    if (const auto name = named_priority_class(owner, about.pod); name && priority_class_exists(about.view, *name)) return *name;
  for (const auto& owner : owners)
    if (const auto defaults = kai_kind_defaults(about, owner.kind);
        defaults && priority_class_exists(about.view, defaults->priority_class))
      return defaults->priority_class;
  return std::string(otherwise);
}

Result<KaiGroup> default_kai_group(const KaiCase& about, const Object& top, std::span<const Object> owners) {
  if (owners.empty()) owners = std::span(&top, 1);  // a pod that nobody owns
  KaiGroup out;
  out.ns = about.pod.ns;
  out.name = fmt::format("pg-{}-{}", top.name, top.uid);
  out.owner = top.reference();
  out.labels = top.labels;
  if (const auto user = about.pod.label(kUser)) out.labels.try_emplace(std::string(kUser), *user);
  if (const auto user = about.pod.annotation(kUser)) out.annotations[std::string(kUser)] = *user;
  out.annotations[std::string(kTopOwnerMetadata)] = top_owner_metadata(top);
  for (const auto& [key, value] : top.annotations) out.annotations[key] = value;
  out.queue = queue_of(about, top);
  out.priority_class = kai_priority_class(about, owners, "train");
  out.preemptibility = preemptibility_of(about, owners);
  out.preemption_delay = annotated_duration(about, owners, kPreemptionDelay, Sign::kNotNegative);
  out.staleness_grace = annotated_duration(about, owners, kStalenessGrace, Sign::kAny);
  out.topology = {top.annotation(kTopology).value_or(""), top.annotation(kRequiredPlacement).value_or(""),
                  top.annotation(kPreferredPlacement).value_or("")};
  return out;
}

KaiGroup kai_group_of(const KaiCase& about, const Object& top) { return *default_kai_group(about, top, std::span(&top, 1)); }

std::optional<TopologyConstraint> segment_topology(const Object& pod, const Texts& worker_template, const Object& top) {
  const auto annotated = [&](std::string_view key) {
    const auto own = pod.annotation(key).value_or("");
    return own.empty() ? text_of(worker_template, key).value_or("") : own;
  };
  TopologyConstraint out{annotated(kTopology), annotated(kSegmentRequiredPlacement), annotated(kSegmentPreferredPlacement)};
  if (out.topology.empty()) out.topology = top.annotation(kTopology).value_or("");
  if (out.topology.empty() || (out.required.empty() && out.preferred.empty())) return std::nullopt;
  return out;
}

Result<std::int64_t> annotated_number(std::string_view key, const std::string& text, const Object& where) {
  if (const auto number = parse_integer(text)) return *number;
  return fail(
      fmt::format("{} {}/{}: the annotation {} is \"{}\", which is no number", where.kind.kind, where.ns, where.name, key, text));
}

}  // namespace muster::grouping
