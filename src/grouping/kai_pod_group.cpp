// PodGroups of KAI as objects: what is written, and what is left to others.

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "grouping/kai.h"

namespace muster::grouping {
namespace {

constexpr std::string_view kConstraint = "topologyConstraint";

using Fields = std::vector<std::pair<std::string, std::string>>;  // names, and JSON

std::string fields_json(const Fields& fields) {
  std::string out = "{";
  for (const auto& [name, value] : fields) out += fmt::format("{}{}:{}", out.size() > 1 ? "," : "", json_string(name), value);
  return out + "}";
}

void add_text(Fields& fields, std::string_view name, const std::string& text) {
  if (!text.empty()) fields.emplace_back(name, json_string(text));
}

std::string constraint_json(const TopologyConstraint& constraint) {
  Fields out;
  add_text(out, "preferredTopologyLevel", constraint.preferred);
  add_text(out, "requiredTopologyLevel", constraint.required);
  add_text(out, "topology", constraint.topology);
  return fields_json(out);
}

std::string sub_groups_json(const std::vector<SubGroup>& groups) {
  std::string out = "[";
  for (const auto& group : groups) {
    Fields fields;
    fields.emplace_back("name", json_string(group.name));
    if (group.min_sub_group)
      fields.emplace_back("minSubGroup", fmt::format("{}", *group.min_sub_group));
    else
      fields.emplace_back("minMember", fmt::format("{}", group.min_member));
    add_text(fields, "parent", group.parent);
    if (group.topology) fields.emplace_back("topologyConstraint", constraint_json(*group.topology));
    out += (out.size() > 1 ? "," : "") + fields_json(fields);
  }
  return out + "]";
}

Fields spec_of(const KaiGroup& group) {
  Fields out;
  if (group.min_sub_group)
    out.emplace_back("minSubGroup", fmt::format("{}", *group.min_sub_group));
  else
    out.emplace_back("minMember", fmt::format("{}", group.min_member));
  add_text(out, "queue", group.queue);
  add_text(out, "priorityClassName", group.priority_class);
  add_text(out, "preemptibility", group.preemptibility);
  add_text(out, "preemptionDelay", group.preemption_delay);
  add_text(out, "stalenessGracePeriod", group.staleness_grace);
  if (!group.sub_groups.empty()) out.emplace_back("subGroups", sub_groups_json(group.sub_groups));
  if (group.topology != TopologyConstraint{}) out.emplace_back("topologyConstraint", constraint_json(group.topology));
  return out;
}

bool is_decided_elsewhere(std::string_view field) {
  return field == "markUnschedulable" || field == "schedulingBackoff" || field == "queue";
}

// What of the spec must change; null takes a field away.
Fields spec_changes(const KaiGroup& group, const Object& existing) {
  const auto* before = existing.at("spec");
  Fields out;
  const auto wanted = spec_of(group);
  for (const auto& [name, value] : wanted) {
    if (is_decided_elsewhere(name) || (name == kConstraint && group.topology.topology.empty())) continue;
    const auto* old = json_at(before, name);
    const auto now = read_json(value);
    if (old == nullptr || !now || !json_equal(*old, *now)) out.emplace_back(name, value);
  }
  if (before == nullptr) return out;
  for (const auto& [name, value] : before->members) {
    const bool is_wanted = std::any_of(wanted.begin(), wanted.end(), [&](const auto& one) { return one.first == name; });
    if (is_wanted || is_decided_elsewhere(name) || value.kind == Json::Kind::kNull) continue;
    if (name == kConstraint && group.topology.topology.empty()) continue;  // the workload names none: it stays
    if (value.kind == Json::Kind::kList && value.items.empty()) continue;
    out.emplace_back(name, "null");
  }
  return out;
}

Texts changed(const Texts& wanted, const Texts& before) {
  Texts out;
  for (const auto& [key, value] : wanted)
    if (text_of(before, key) != value) out[key] = value;
  return out;
}

}  // namespace

std::string KaiGroup::body() const {
  return fmt::format(
      R"({{"apiVersion":"scheduling.run.ai/v2alpha2","kind":"PodGroup","metadata":{{"name":{},"namespace":{},"labels":{},)"
      R"("annotations":{},"ownerReferences":{}}},"spec":{}}})",
      json_string(name), json_string(ns), texts_json(labels), texts_json(annotations), references_json({owner}),
      fields_json(spec_of(*this)));
}

std::string KaiGroup::patch(const Object& existing, const KaiSettings& settings) const {
  // Which pool and which queue a group belongs to is changed by others, once it is there.
  auto wanted_labels = labels;
  wanted_labels.erase(settings.node_pool_label);
  if (existing.label(settings.queue_label)) wanted_labels.erase(settings.queue_label);
  const auto new_labels = changed(wanted_labels, existing.labels);
  const auto new_annotations = changed(annotations, existing.annotations);
  Fields metadata;
  if (!new_labels.empty()) metadata.emplace_back("labels", texts_json(new_labels));
  if (!new_annotations.empty()) metadata.emplace_back("annotations", texts_json(new_annotations));
  if (existing.owners != std::vector{owner}) metadata.emplace_back("ownerReferences", references_json({owner}));
  const auto spec = spec_changes(*this, existing);
  if (metadata.empty() && spec.empty()) return {};
  metadata.emplace(metadata.begin(), "uid", json_string(existing.uid));
  Fields out{{"metadata", fields_json(metadata)}};
  if (!spec.empty()) out.emplace_back("spec", fields_json(spec));
  return fields_json(out);
}

}  // namespace muster::grouping
