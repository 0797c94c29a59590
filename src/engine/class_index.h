#pragma once

#include <boost/container/flat_map.hpp>
#include <limits>
#include <vector>

#include "base/bitset.h"
#include "engine/books.h"
#include "engine/fit.h"
#include "engine/node_search.h"
#include "engine/resource_fit.h"
#include "engine/work_counters.h"

namespace muster {

// What is remembered about one class of pods: for every node whether and why not a pod fits, and how well. Only answers of
// dependence kNode are kept, and only changed nodes are asked again.
class ClassIndex {
 public:
  // What the answers are made from; the same for all classes of a session.
  struct Source {
    const Books& books;
    FitTable& fits;
    PlacementRules& rules;
    ResourceFit& fit;
    WorkCounters& work;
    std::uint64_t& versions;  // the last version given out
  };

  // Asks again about every node that changed since the last call. `pod` stands for its class.
  void refresh(const Source& source, PodId pod, bool ignore_resources);
  // The same for scores. Only when the scores of this pod depend on no more than the node.
  void refresh_scores(const Source& source, PodId pod);

  const Bitset& now() const { return now_; }      // nodes with enough free
  const Bitset& later() const { return later_; }  // nodes that will have enough
  // Nodes that fit, or do not for reasons that evictions can cure.
  const Bitset& curable() const { return curable_; }
  VerdictId verdict(NodeId node) const { return verdicts_[node.index()]; }
  // Changes whenever any node's verdict does. Never the same for two classes.
  std::uint64_t version() const { return version_; }
  const boost::container::flat_map<VerdictId, std::size_t>& refusals() const { return refusals_; }

  double score(std::size_t node) const { return scores_[node]; }
  bool has_score(std::size_t node) const { return scores_[node] != kNever; }  // not when scoring failed
  // The parts of the scores of nodes in now() that depend on the node alone, when the scores do not.
  void refresh_parts(const Source& source, PodId pod);
  const PlacementRules::ScorePart& part(std::size_t node) const { return parts_[node]; }
  // The best node of now(), the first among equals; none when now() is empty.
  NodeId best();

 private:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  void rebuild(const Source& source, PodId pod, bool ignore_resources);
  void judge(const Source& source, PodId pod, NodeId node, bool ignore_resources, bool filters);
  void set_verdict(const Source& source, NodeId node, VerdictId verdict, bool fits_now);
  void score_nodes(const Source& source, PodId pod, const std::vector<NodeId>& nodes);
  void touch_block(std::size_t node) { stale_blocks_.set(node / Bitset::kWordBits); }

  bool built_ = false;
  std::uint64_t seen_ = 0;   // place in the change log
  std::uint64_t facts_ = 0;  // version of the nodes' facts
  std::vector<VerdictId> verdicts_;
  boost::container::flat_map<VerdictId, std::size_t> refusals_;
  Bitset now_;
  Bitset later_;
  Bitset curable_;
  Verdict scratch_;
  std::uint64_t version_ = 0;
  std::vector<std::uint32_t> asked_in_;  // by node, the last round in which it was asked
  std::uint32_t round_ = 0;

  bool scored_ = false;
  Bitset unscored_;             // nodes of now() whose score is out of date
  std::vector<double> scores_;  // kNever for nodes that are not in now()
  std::vector<double> block_best_;
  std::vector<std::uint32_t> block_at_;
  Bitset stale_blocks_;
  bool parted_ = false;
  Bitset unparted_;  // nodes of now() whose part is out of date
  std::vector<PlacementRules::ScorePart> parts_;
  std::vector<PlacementRules::ScorePart> fresh_parts_;
  std::vector<NodeId> to_score_;
  std::vector<double> fresh_;
};

}  // namespace muster
