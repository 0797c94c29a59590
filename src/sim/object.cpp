#include "sim/object.h"

#include "base/assert.h"

namespace muster::sim {
namespace {

std::string selectable_text(const Tree& tree, std::string_view field) {
  if (field == "spec.unschedulable") return tree.true_at(field) ? "true" : "false";
  if (field == "status.successful") {
    const auto* count = tree.at("status.succeeded");
    return count == nullptr ? "0" : count->scalar_text();
  }
  if (field == "source") return std::string(tree.text_at("source.component"));
  const auto* found = tree.at(field);
  return found == nullptr ? std::string() : found->scalar_text();
}

}  // namespace

Tree Object::tree() const {
  auto out = Tree::parse(text);
  MUSTER_ASSERT(out.has_value());  // it was written from a tree
  return std::move(*out);
}

ObjectPtr make_object(const Kind& kind, const Tree& tree, std::uint64_t revision) {
  auto out = std::make_shared<Object>();
  out->key = {std::string(tree.text_at("metadata.namespace")), std::string(tree.text_at("metadata.name"))};
  out->uid = tree.text_at("metadata.uid");
  out->revision = revision;
  out->is_deleting = tree.at("metadata.deletionTimestamp") != nullptr;
  out->labels = StringMap(texts_of(tree.at("metadata.labels")));
  for (const auto field : selectable_fields(kind)) out->fields.set(std::string(field), selectable_text(tree, field));
  if (const auto* owners = tree.at("metadata.ownerReferences"); owners != nullptr && owners->is_list())
    for (const auto& owner : *owners->as_list()) out->owners.emplace_back(owner.text_at("uid"));
  out->levels = tree.append_to(out->text);
  return out;
}

}  // namespace muster::sim
