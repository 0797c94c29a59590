#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <vector>

#include "engine/books.h"
#include "engine/filters/pod_matcher.h"

namespace muster {

using MatcherId = StrongId<struct MatcherTag>;

// Which label sets satisfy which matchers, worked out once for each pair that can meet: both sides are filed under the label values
// that they have or ask for, so that neither a new matcher looks at every label set nor a new label set at every matcher.
class MatcherIndex {
 public:
  MatcherIndex(const Books& books, const NamespaceLabels& namespaces) : books_(books), namespaces_(namespaces) {}

  // Equal matchers have one id. Call catch_up() before asking about label sets that are new.
  MatcherId intern(PodMatcher matcher);
  std::size_t size() const { return matchers_.size(); }

  // Takes in new label sets and changed namespaces.
  void catch_up();
  // Counts how often changed namespaces have made earlier answers void.
  std::uint64_t restarts() const { return restarts_; }

  const std::vector<MatcherId>& satisfied_by(LabelSetId labels) const {
    static const std::vector<MatcherId> kNone;
    return matchers_.empty() ? kNone : satisfied_[labels];
  }
  const std::vector<LabelSetId>& satisfying(MatcherId matcher) const { return satisfying_[matcher]; }
  bool satisfies(LabelSetId labels, MatcherId matcher) const;

 private:
  struct Filed {
    std::vector<LabelSetId> label_sets;  // that have the label
    std::vector<MatcherId> matchers;     // that ask for it
  };

  void start_again();
  void file(LabelSetId labels);
  void file(MatcherId matcher);
  void try_pair(LabelSetId labels, MatcherId matcher);

  const Books& books_;
  const NamespaceLabels& namespaces_;
  Interner<MatcherId> keys_;
  IdVector<MatcherId, PodMatcher> matchers_;
  std::vector<MatcherId> unfiled_;                          // matchers that ask for no particular label value
  boost::unordered_flat_map<std::string, Filed> by_label_;  // "key=value"
  IdVector<LabelSetId, std::vector<MatcherId>> satisfied_;
  IdVector<MatcherId, std::vector<LabelSetId>> satisfying_;
  bool selects_namespaces_ = false;
  std::uint64_t namespaces_seen_ = 0;
  std::uint64_t restarts_ = 0;
};

}  // namespace muster
