#include "sim/workloads/pod_amounts.h"

#include "codec/input.h"

namespace muster::sim {

Tree resources_of(const ResourceList& amounts) {
  Tree out = Tree::map();
  for (const auto& [name, amount] : amounts) out.as_map()->push_back({name, Tree(amount.text())});  // each name is there once
  return out;
}

ResourceList amounts_of(const Tree* resources) {
  ResourceList out;
  const auto* map = resources == nullptr ? nullptr : resources->as_map();
  if (map == nullptr) return out;
  for (const auto& [name, value] : *map)
    if (const auto amount = Quantity::parse(value.scalar_text())) out[name] = *amount;
  return out;
}

ResourceList template_amounts(const Tree* pod_template, AmountsOfSpec amounts) {
  const auto* spec = pod_template == nullptr ? nullptr : pod_template->find("spec");
  if (spec == nullptr) return amounts(nullptr);
  const auto text = spec->text();
  const auto read = read_json(text, kMaxDepth);  // as deep as trees are
  return amounts(read ? &*read : nullptr);
}

}  // namespace muster::sim
