#include "sim/workloads/pod_template.h"

#include <fmt/format.h>

namespace muster::sim {

Tree controller_reference(const grouping::ObjectKind& kind, const Tree& owner) {
  Tree out = Tree::map();
  out["apiVersion"] = Tree(kind.api_version());
  out["kind"] = Tree(kind.kind);
  out["name"] = Tree(owner.text_at("metadata.name"));
  out["uid"] = Tree(owner.text_at("metadata.uid"));
  out["controller"] = Tree(true);
  out["blockOwnerDeletion"] = Tree(true);
  return out;
}

Tree pod_from(const Tree* pod_template, const grouping::ObjectKind& kind, const Tree& owner) {
  Tree out = Tree::map();
  out["apiVersion"] = Tree("v1");
  out["kind"] = Tree("Pod");
  auto& metadata = out["metadata"];
  metadata = Tree::map();
  const auto part = [&](std::string_view path) { return pod_template == nullptr ? nullptr : pod_template->at(path); };
  for (const std::string_view field : {"labels", "annotations", "finalizers"})
    if (const auto* own = part(fmt::format("metadata.{}", field)); own != nullptr && !own->is_null()) metadata[field] = *own;
  metadata["ownerReferences"].push_back(controller_reference(kind, owner));
  const auto* spec = part("spec");
  out["spec"] = spec == nullptr ? Tree::map() : *spec;
  return out;
}

}  // namespace muster::sim
