#include "policy/volcano/plugins/fair_tree.h"

#include <algorithm>
#include <cstdlib>

namespace muster::volcano {
namespace {

std::vector<std::string> path_parts(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const auto slash = text.find('/');
    parts.emplace_back(text.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    text.remove_prefix(slash + 1);
  }
}

double weight_at(const std::vector<std::string>& weights, std::size_t depth) {
  if (depth >= weights.size()) return 1;  // crashes the original
  return std::max(1.0, std::strtod(weights[depth].c_str(), nullptr));
}

}  // namespace

FairTree::FairTree(const Cluster& cluster, const Resource& total)
    : cluster_(cluster), total_(total), dimensions_(total.significant()) {}

std::vector<std::string> FairTree::path_of(QueueId queue) const {
  return path_parts(cluster_.queue(queue).annotations.get("volcano.sh/hierarchy"));
}

FairTree::Node& FairTree::inner_node(QueueId queue) {
  const auto weights = path_parts(cluster_.queue(queue).annotations.get("volcano.sh/hierarchy-weights"));
  const auto path = path_of(queue);
  auto* node = &root_;
  for (std::size_t depth = 1; depth < path.size(); ++depth) {
    auto& child = node->children[path[depth]];
    if (!child) {
      child = std::make_unique<Node>();
      child->weight = weight_at(weights, depth);
    }
    node = child.get();
  }
  return *node;
}

void FairTree::set(const Job& job, Resource allocated) {
  auto& leaf = inner_node(job.queue).children[cluster_.books().group(job.id).name];
  if (leaf) total_allocated_.subtract(leaf->allocated);
  leaf = std::make_unique<Node>();
  leaf->leaf = true;
  total_allocated_.add(allocated);
  leaf->share = share(allocated);
  leaf->allocated = std::move(allocated);
  Amounts request;
  for (const auto pod : cluster_.books().group(job.id).pods) request += cluster_.books().shape_of(pod).request;
  leaf->request = Resource(request);
}

double FairTree::share(const Resource& allocated) const {
  double largest = 0;
  for (const auto id : dimensions_) largest = std::max(largest, share_of(allocated.get(id), total_.get(id)));
  return largest;
}

void FairTree::update() {
  demanding_.clear();
  for (const auto id : dimensions_)
    if (total_allocated_.get(id) < total_.get(id)) demanding_.push_back(id);
  update(root_);
}

bool FairTree::is_saturated(const Node& leaf) const {
  for (const auto id : leaf.allocated.significant()) {
    const double request = leaf.request.get(id);
    if (request == 0) continue;
    if (leaf.allocated.get(id) >= request) return true;
    if (std::find(demanding_.begin(), demanding_.end(), id) == demanding_.end()) return true;
  }
  return false;
}

void FairTree::update(Node& node) {
  if (node.leaf) {
    node.saturated = is_saturated(node);
    return;
  }
  // Children that can still grow are scaled to the smallest share among them, so that none counts for more than its fair part.
  double smallest = 1;
  for (auto& [name, child] : node.children) {
    update(*child);
    if (child->share != 0 && !child->saturated) smallest = std::min(smallest, share(child->allocated));
  }
  node.allocated = Resource();
  node.saturated = true;
  for (const auto& [name, child] : node.children) {
    node.saturated &= child->saturated;
    if (child->share == 0) continue;
    auto part = child->allocated;
    if (!child->saturated) part.scale(smallest / child->share);
    node.allocated.add(part);
  }
  node.share = share(node.allocated);
}

double FairTree::compare(QueueId left, QueueId right) const {
  const auto left_path = path_of(left);
  const auto right_path = path_of(right);
  const auto* l = &root_;
  const auto* r = &root_;
  const auto depth = std::min(left_path.size(), right_path.size());
  for (std::size_t i = 0; i < depth; ++i) {
    if (l->saturated != r->saturated) return l->saturated ? 1 : -1;
    if (l->share / l->weight != r->share / r->weight) return l->share / l->weight - r->share / r->weight;
    if (i + 1 == depth) return 0;
    const auto next_left = l->children.find(left_path[i + 1]);
    const auto next_right = r->children.find(right_path[i + 1]);
    if (next_left == l->children.end() || next_right == r->children.end()) return 0;
    l = next_left->second.get();
    r = next_right->second.get();
  }
  return 0;
}

}  // namespace muster::volcano
