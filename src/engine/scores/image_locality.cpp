#include "engine/scores/image_locality.h"

#include <algorithm>

#include "base/assert.h"
#include "engine/scores/allocation.h"

namespace muster {
namespace {

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kLeastWorth = 23 * kMiB;               // less than this makes no difference
constexpr std::int64_t kMostWorthPerContainer = 1000 * kMiB;  // nor does more than this

// Images are listed with a tag; a name without one means the latest.
std::string with_tag(const std::string& name) {
  const auto colon = name.rfind(':');
  const auto slash = name.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? name : name + ":latest";
}

}  // namespace

ImageLocalityScorer::ImageLocalityScorer(const Books& books, ImageSpread spread) : books_(books), spread_(spread) {}

Dependence ImageLocalityScorer::dependence(PodId pod) const {
  return scores_of(books_.pod(pod).shape).empty() ? Dependence::kNothing : Dependence::kNode;
}

bool ImageLocalityScorer::add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) {
  MUSTER_DCHECK(nodes.size() == totals.size());
  const auto& scores = scores_of(books_.pod(pod).shape);
  if (scores.empty()) return false;
  for (std::size_t i = 0; i < nodes.size(); ++i) totals[i] += static_cast<double>(weight * scores[nodes[i].index()]);
  return true;
}

const ImageLocalityScorer::Scores& ImageLocalityScorer::scores_of(ShapeId shape) const {
  auto& known = known_.get(books_, [&](Known& into) { collect(into); });
  if (known.of_shape.size() < books_.shape_count()) known.of_shape.resize(books_.shape_count());
  auto& at = known.of_shape[shape];
  if (!at) at = find_scores(known, books_.shape(shape));
  return known.scores[*at];
}

void ImageLocalityScorer::collect(Known& into) const {
  into = {};
  std::int64_t all_nodes = 0;
  for (const auto node : IdRange<NodeId>(books_.node_count())) {
    if (!books_.node(node).known) continue;
    ++all_nodes;
    for (const auto& image : books_.node(node).images)
      for (const auto& name : image.names) {
        auto& held = into.holdings[name];
        if (!held.empty() && held.back().node == node) continue;
        held.push_back(
            {node, held.empty() ? image.bytes : held.front().worth});  // the first to report an image says how large it is
      }
  }
  for (auto& [name, held] : into.holdings)
    for (std::size_t i = 0; i < held.size(); ++i) {
      const auto holders = spread_ == ImageSpread::kAllNodes ? held.size() : i + 1;
      const double spread = static_cast<double>(holders) / static_cast<double>(all_nodes);
      held[i].worth = static_cast<std::int64_t>(static_cast<double>(held[i].worth) * spread);
    }
}

// Pods of different shapes often run the same images.
std::uint32_t ImageLocalityScorer::find_scores(Known& known, const PodShape& shape) const {
  std::string key = std::to_string(shape.image_containers);
  for (const auto& name : shape.images) key.append(1, '\n').append(name);
  const auto [found, added] = known.by_images.try_emplace(std::move(key), static_cast<std::uint32_t>(known.scores.size()));
  if (added) known.scores.push_back(work_out(known, shape));
  return found->second;
}

ImageLocalityScorer::Scores ImageLocalityScorer::work_out(const Known& known, const PodShape& shape) const {
  std::vector<std::int64_t> worth(books_.node_count());
  for (const auto& name : shape.images)
    if (const auto held = known.holdings.find(with_tag(name)); held != known.holdings.end())
      for (const auto& [node, value] : held->second) worth[node.index()] += value;
  const auto most = kMostWorthPerContainer * std::max(shape.image_containers, 1);
  Scores scores(worth.size());
  std::transform(worth.begin(), worth.end(), scores.begin(), [&](std::int64_t value) {
    return static_cast<std::int8_t>(kMaxScore * (std::clamp(value, kLeastWorth, most) - kLeastWorth) / (most - kLeastWorth));
  });
  if (std::all_of(scores.begin(), scores.end(), [](auto score) { return score == 0; })) scores.clear();
  return scores;
}

}  // namespace muster
