#include "engine/filters/node_taints.h"

#include <algorithm>

#include "engine/filters/tolerance.h"

namespace muster {

const NodeTaints::Lists& NodeTaints::lists() const {
  return lists_.get(books_, [&](Lists& into) { collect(into); });
}

void NodeTaints::collect(Lists& into) const {
  into.lists.assign(1, {});
  into.of_node.assign(books_.node_count(), 0);
  into.repel = into.discourage = false;
  for (const auto node : IdRange<NodeId>(books_.node_count())) {
    const auto& record = books_.node(node);
    if (!record.known || record.taints.empty()) continue;
    const auto found = std::find(into.lists.begin(), into.lists.end(), record.taints);
    into.of_node[node] = static_cast<std::uint32_t>(found - into.lists.begin());
    if (found == into.lists.end()) into.lists.push_back(record.taints);
    for (const auto& taint : record.taints) (repels(taint) ? into.repel : into.discourage) = true;
  }
}

}  // namespace muster
