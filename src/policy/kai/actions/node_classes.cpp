#include "policy/kai/actions/node_classes.h"

#include <bit>
#include <cmath>
#include <utility>

namespace muster::kai {
namespace {

// Beyond this, what is left could be told apart by sums of points no more.
constexpr std::int64_t kMostLeft = 10'000'000'000;
constexpr double kPointStep = 10;  // more than packing ever gives

}  // namespace

NodeClass::Grade NodeClass::look_at(Session& session, PodId pod, NodeId node) {
  Grade grade;
  ++session.work().scores_computed;
  if (!session.fits_later(pod, node)) return grade;
  double points = 0;
  for (auto* plugin : by_node_) plugin->add_node_scores(pod, std::span(&node, 1), std::span(&points, 1));
  grade.points = points;
  grade.left = packed_ ? session.books().free_later(packed_, node) : 0;
  suits_ = suits_ && points >= 0 && std::fmod(points, kPointStep) == 0 && grade.left < kMostLeft && grade.left > -kMostLeft;
  return grade;
}

std::uint32_t NodeClass::winner(std::uint32_t left, std::uint32_t right) const {
  return grades_[right].is_better(grades_[left]) ? right : left;
}

void NodeClass::replay(std::uint32_t rank) {
  const auto leaves = static_cast<std::uint32_t>(grades_.size());
  for (auto at = (leaves + rank) / 2; at > 0; at /= 2) {
    const auto side = [&](std::uint32_t place) { return place >= leaves ? place - leaves : winners_[place]; };
    const auto now = winner(side(2 * at), side(2 * at + 1));
    // Whoever won before and is not the one that changed still wins above as well.
    if (now == winners_[at] && now != rank) return;
    winners_[at] = now;
  }
}

void NodeClass::rebuild(Session& session, PodId pod) {
  const auto& nodes = session.cluster().nodes_by_name();
  by_node_.clear();
  packed_ = ResourceId();
  for (auto* plugin : session.chain(Point::kNodeOrder)) {
    const auto kind = plugin->node_scores(pod);
    if (kind == NodeScores::kNode) by_node_.push_back(plugin);
    if (kind == NodeScores::kPacking) packed_ = session.cluster().task(pod).gpu.any() ? session.cluster().gpu() : kCpu;
  }
  const auto leaves = std::bit_ceil(std::max<std::size_t>(nodes.size(), 2));
  grades_.assign(leaves, {});
  looked_.assign(leaves, 0);
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) grades_[rank] = look_at(session, pod, nodes[rank]);
  winners_.assign(leaves, 0);
  for (auto at = static_cast<std::uint32_t>(leaves) - 1; at > 0; --at) {
    const auto side = [&](std::uint32_t place) {
      return place >= leaves ? place - static_cast<std::uint32_t>(leaves) : winners_[place];
    };
    winners_[at] = winner(side(2 * at), side(2 * at + 1));
  }
}

bool NodeClass::refresh(Session& session, PodId pod) {
  const auto& books = session.books();
  const auto end = books.log_end();
  if (!built_ || seen_ < books.log_start()) {
    built_ = true;
    rebuild(session, pod);
  } else {
    ++refreshes_;
    for (auto at = seen_; at < end && suits_; ++at) {
      const auto node = books.logged(at);
      if (!session.cluster().known(node)) continue;
      const auto rank = session.cluster().name_rank(node);
      // What is tried out and taken back changes the same nodes again and again.
      if (std::exchange(looked_[rank], refreshes_) == refreshes_) continue;
      const auto grade = look_at(session, pod, node);
      if (grade == grades_[rank]) continue;
      grades_[rank] = grade;
      replay(rank);
    }
  }
  seen_ = end;
  return suits_;
}

// Storage, and devices that a claim has already, decide on room beyond what a task's shape says.
bool NodeClasses::asks_for_more(PodId pod) const {
  const auto& cluster = session_.cluster();
  return cluster.storage().active() || cluster.task(pod).devices != nullptr;
}

// A request for something of the resource that is packed keeps nodes that have none of it out of the question.
bool NodeClasses::is_plain(PodId pod) {
  const auto& cluster = session_.cluster();
  const auto& gpu = cluster.task(pod).gpu;
  if (gpu.kind != GpuKind::kRegular || asks_for_more(pod)) return false;
  const auto& request = session_.books().shape_of(pod).request;
  if (request.get(gpu.any() ? cluster.gpu() : kCpu) <= 0) return false;
  int packing = 0;
  bool plain = true;
  for (auto* plugin : session_.chain(Point::kNodeOrder)) {
    const auto kind = plugin->node_scores(pod);
    plain = plain && kind != NodeScores::kWhole;
    packing += kind == NodeScores::kPacking ? 1 : 0;
  }
  return plain && packing <= 1;
}

NodeClass* NodeClasses::find(PodId pod) {
  if (session_.memory().search == SearchKind::kReference || !is_plain(pod)) return nullptr;
  const auto& gpu = session_.cluster().task(pod).gpu;
  auto& entries = entries_[session_.books().pod(pod).shape];
  for (auto& entry : entries)
    if (entry.gpu == gpu) return entry.nodes->refresh(session_, pod) ? entry.nodes.get() : nullptr;
  entries.push_back({gpu, std::make_unique<NodeClass>()});
  return entries.back().nodes->refresh(session_, pod) ? entries.back().nodes.get() : nullptr;
}

}  // namespace muster::kai
