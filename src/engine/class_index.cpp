#include "engine/class_index.h"

#include <algorithm>
#include <utility>

namespace muster {

void ClassIndex::refresh(const Source& source, PodId pod, bool ignore_resources) {
  const auto& books = source.books;
  const bool outdated = !built_ || facts_ != books.node_facts_version() || verdicts_.size() != books.node_count() ||
                        seen_ < books.log_start() || books.log_end() - seen_ > books.node_count();
  if (outdated) {
    rebuild(source, pod, ignore_resources);
  } else if (seen_ != books.log_end()) {
    const bool filters = source.rules.filter_dependence(pod) != Dependence::kNothing;
    ++round_;
    for (auto at = seen_, end = books.log_end(); at != end; ++at) {
      const auto node = books.logged(at);
      if (std::exchange(asked_in_[node.index()], round_) == round_) continue;  // several placements on one node
      judge(source, pod, node, ignore_resources, filters);
    }
  }
  seen_ = books.log_end();
}

void ClassIndex::rebuild(const Source& source, PodId pod, bool ignore_resources) {
  const auto& books = source.books;
  built_ = true;
  scored_ = false;
  parted_ = false;
  version_ = ++source.versions;
  round_ = 0;
  asked_in_.assign(books.node_count(), 0);
  facts_ = books.node_facts_version();
  verdicts_.assign(books.node_count(), VerdictId());
  refusals_.clear();
  now_.resize(books.node_count());
  later_.resize(books.node_count());
  curable_.resize(books.node_count());
  unscored_.resize(books.node_count());
  unparted_.resize(books.node_count());
  const bool filters = source.rules.filter_dependence(pod) != Dependence::kNothing;
  for (const auto node : IdRange<NodeId>(books.node_count())) judge(source, pod, node, ignore_resources, filters);
}

void ClassIndex::judge(const Source& source, PodId pod, NodeId node, bool ignore_resources, bool filters) {
  if (!source.books.node(node).known) {
    set_verdict(source, node, VerdictId(), false);
    return;
  }
  ++source.work.nodes_judged;
  const auto& request = source.books.shape_of(pod).request;
  scratch_.clear();
  if (!ignore_resources)
    if (const auto lacking = source.fit.first_lacking(request, node)) scratch_.push_back(source.fit.refusal(lacking));
  if (scratch_.empty() && filters) source.rules.judge(pod, node, Dependence::kNode, scratch_);
  if (!scratch_.empty()) {
    set_verdict(source, node, source.fits.intern(scratch_), false);
    return;
  }
  set_verdict(source, node, FitTable::fits(),
              ignore_resources || source.books.nothing_moves() || source.fit.fits_now(request, node));
}

void ClassIndex::set_verdict(const Source& source, NodeId node, VerdictId verdict, bool fits_now) {
  const auto n = node.index();
  auto& held = verdicts_[n];
  if (held != verdict) {
    if (held && held != FitTable::fits() && --refusals_[held] == 0) refusals_.erase(held);
    if (verdict && verdict != FitTable::fits()) ++refusals_[verdict];
    held = verdict;
    curable_.assign(n, verdict && is_curable(source.fits.verdict(verdict)));
    version_ = ++source.versions;
  }
  const bool fits = verdict == FitTable::fits();
  const bool now = fits && fits_now;
  now_.assign(n, now);
  later_.assign(n, fits && !fits_now);
  if (parted_) unparted_.assign(n, now);
  if (!scored_) return;
  unscored_.assign(n, now);
  if (now || scores_[n] == kNever) return;
  scores_[n] = kNever;
  touch_block(n);
}

void ClassIndex::refresh_scores(const Source& source, PodId pod) {
  if (!scored_) {
    scored_ = true;
    scores_.assign(verdicts_.size(), kNever);
    const auto blocks = (verdicts_.size() + Bitset::kWordBits - 1) / Bitset::kWordBits;
    block_best_.assign(blocks, kNever);
    block_at_.assign(blocks, 0);
    stale_blocks_.resize(blocks);
    unscored_ = now_;
  }
  to_score_.clear();
  unscored_.for_each([&](std::size_t n) { to_score_.push_back(NodeId(n)); });
  if (to_score_.empty()) return;
  score_nodes(source, pod, to_score_);
  unscored_.clear();
}

void ClassIndex::refresh_parts(const Source& source, PodId pod) {
  if (!parted_) {
    parted_ = true;
    parts_.resize(verdicts_.size());
    unparted_ = now_;
  }
  to_score_.clear();
  unparted_.for_each([&](std::size_t n) { to_score_.push_back(NodeId(n)); });
  if (to_score_.empty()) return;
  source.work.scores_computed += to_score_.size();
  fresh_parts_.assign(to_score_.size(), {});
  source.rules.score_local_part(pod, to_score_, fresh_parts_);
  for (std::size_t i = 0; i < to_score_.size(); ++i) parts_[to_score_[i].index()] = fresh_parts_[i];
  unparted_.clear();
}

void ClassIndex::score_nodes(const Source& source, PodId pod, const std::vector<NodeId>& nodes) {
  fresh_.resize(nodes.size());
  source.work.scores_computed += nodes.size();
  const bool scored = source.rules.score(pod, nodes, fresh_);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto n = nodes[i].index();
    const double score = scored ? fresh_[i] : kNever;
    if (scores_[n] == score) continue;
    scores_[n] = score;
    touch_block(n);
  }
}

NodeId ClassIndex::best() {
  stale_blocks_.for_each([&](std::size_t block) {
    const auto begin = block * Bitset::kWordBits;
    const auto end = std::min(begin + Bitset::kWordBits, scores_.size());
    const auto at =
        std::max_element(scores_.begin() + static_cast<std::ptrdiff_t>(begin), scores_.begin() + static_cast<std::ptrdiff_t>(end));
    block_best_[block] = *at;
    block_at_[block] = static_cast<std::uint32_t>(at - scores_.begin());
  });
  stale_blocks_.clear();
  const auto best = std::max_element(block_best_.begin(), block_best_.end());
  if (best == block_best_.end() || *best == kNever) return NodeId();
  return NodeId(block_at_[static_cast<std::size_t>(best - block_best_.begin())]);
}

}  // namespace muster
