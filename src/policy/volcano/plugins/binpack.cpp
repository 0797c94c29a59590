#include "policy/volcano/plugins/binpack.h"

#include "policy/volcano/plugins/packing_weights.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

// What one resource contributes for all nodes: the pod's request and the node columns.
struct Term {
  double request;
  double weight;
  const Column* allocatable;
  const Column* used;
};

}  // namespace

Binpack::Binpack(Session& session, const PluginOption& option)
    : Plugin(session), weight_(option.arguments.get_int("binpack.weight", 1)) {
  for (const auto& [resource, weight] : listed_weights(option.arguments, "binpack", session.books()))
    weights_.emplace_back(resource, static_cast<double>(weight));
  weights_.emplace_back(kCpu, static_cast<double>(weight_or_one(option.arguments, "binpack.cpu")));
  weights_.emplace_back(kMemory, static_cast<double>(weight_or_one(option.arguments, "binpack.memory")));
}

double Binpack::weight_of(ResourceId resource) const {
  double weight = -1;
  for (const auto& [id, value] : weights_)
    if (id == resource) weight = value;  // the last one counts: cpu and memory have keys of their own
  return weight;
}

void Binpack::add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  const auto& ledgers = session().books().ledgers();
  std::vector<Term> terms;
  double weight_sum = 0;
  for (const auto& [id, amount] : session().books().shape_of(pod).request) {
    const auto weight = weight_of(id);
    if (amount <= 0 || weight < 0) continue;
    weight_sum += weight;
    if (weight != 0)
      terms.push_back({static_cast<double>(amount), weight, &ledgers.allocatable[id.index()], &ledgers.used[id.index()]});
  }
  const double scale = 100.0 * static_cast<double>(weight_);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto n = nodes[i].index();
    double score = 0;
    bool fits = true;
    for (const auto& term : terms) {
      const auto capacity = static_cast<double>((*term.allocatable)[n]);
      if (capacity == 0) continue;  // contributes nothing, its weight still counts
      const double filled = term.request + static_cast<double>((*term.used)[n]);
      fits &= filled <= capacity;
      score += filled * term.weight / capacity;
    }
    if (!fits) continue;  // more than the node has: no score at all
    if (weight_sum > 0) score /= weight_sum;
    totals[i] += score * scale;
  }
}

}  // namespace muster::volcano
