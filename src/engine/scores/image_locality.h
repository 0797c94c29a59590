#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/books.h"
#include "engine/filters/node_facts.h"
#include "engine/node_scorer.h"

namespace muster {

// Which nodes count as having an image when it is asked how far it has spread.
enum class ImageSpread : std::uint8_t {
  kAllNodes,
  kEarlierNodes,  // only the node itself and those that came before it: what a cache that counts on arrival remembers
};

// Prefers nodes that already hold the pod's images, large ones more, and images that many nodes hold more: else one node that
// happens to have an image would draw every pod.
class ImageLocalityScorer : public NodeScorer {
 public:
  ImageLocalityScorer(const Books& books, ImageSpread spread);

  // kNode, although other nodes' images weigh in: whatever changes those changes node_facts_version().
  Dependence dependence(PodId pod) const override;
  bool add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) override;

 private:
  // What an image is worth on a node that holds it.
  struct Holding {
    NodeId node;
    std::int64_t worth = 0;
  };
  using Scores = std::vector<std::int8_t>;  // by node; empty when all are 0

  // Everything here is as of the same facts about nodes.
  struct Known {
    boost::unordered_flat_map<std::string, std::vector<Holding>> holdings;  // by image
    boost::unordered_flat_map<std::string, std::uint32_t> by_images;        // a pod's images -> place in `scores`
    std::vector<Scores> scores;
    IdVector<ShapeId, std::optional<std::uint32_t>> of_shape;  // likewise, once it was asked for
  };

  const Scores& scores_of(ShapeId shape) const;
  void collect(Known& into) const;
  std::uint32_t find_scores(Known& known, const PodShape& shape) const;
  Scores work_out(const Known& known, const PodShape& shape) const;

  const Books& books_;
  ImageSpread spread_;
  DerivedFromNodes<Known> known_;
};

}  // namespace muster
