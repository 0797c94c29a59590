#include "policy/volcano/actions/needless_victims.h"

#include <algorithm>
#include <map>

#include "policy/volcano/actions/eviction_nodes.h"

namespace muster::volcano {
namespace {

// Which of a plan's pods have to be asked again when a victim stays. A filter that looks at a node alone can be bothered by it on
// the victim's node only. The queue's limit is asked for one pod of each shape.
class Concerned {
 public:
  Concerned(Session& session, const Statement& plan) : books_(session.books()) {
    std::vector<ShapeId> shapes;
    for (const auto pod : plan.placed()) {
      const auto shape = books_.pod(pod).shape;
      const bool first = std::find(shapes.begin(), shapes.end(), shape) == shapes.end();
      if (first) shapes.push_back(shape);
      if (first || session.filter_dependence(pod) > Dependence::kNode) everywhere_.push_back(pod);
      by_node_[books_.pod(pod).node].push_back(pod);
    }
  }

  // Those on the node come first: they are the likely ones to mind.
  std::vector<PodId> by(NodeId node) const {
    const auto here = by_node_.find(node);
    auto pods = here == by_node_.end() ? std::vector<PodId>() : here->second;
    for (const auto pod : everywhere_)
      if (books_.pod(pod).node != node) pods.push_back(pod);
    return pods;
  }

 private:
  const Books& books_;
  std::vector<PodId> everywhere_;
  boost::unordered_flat_map<NodeId, std::vector<PodId>> by_node_;
};

// The parts of a gang's plan by the nodes on which they place.
class ClearedNodes {
 public:
  ClearedNodes(Session& session, QueueId queue, std::vector<Statement>& parts) : session_(session), queue_(queue), parts_(parts) {
    for (std::size_t part = 0; part < parts.size(); ++part) by_node_[node_of(part)].push_back(part);
  }

  // Those on which somebody has to go, with few pods first.
  std::vector<NodeId> list() const {
    std::vector<NodeId> nodes;
    for (const auto& [node, parts] : by_node_)
      if (std::any_of(parts.begin(), parts.end(), [&](std::size_t part) { return parts_[part].has_evictions(); }))
        nodes.push_back(node);
    std::stable_sort(nodes.begin(), nodes.end(), [&](NodeId l, NodeId r) { return by_node_.at(l).size() < by_node_.at(r).size(); });
    return nodes;
  }

  // By amounts, and as nodes are now.
  bool could_go_elsewhere(NodeId node) const {
    const auto& parts = by_node_.at(node);
    const auto pod = pod_of(parts.front());
    if (session_.pre_predicate(pod)) return false;
    const auto excluded = alone(node);
    NodeSearch::Query query;
    query.pod = pod;
    query.excluded = &excluded;
    std::size_t room = 0;
    session_.search().feasible(query).for_each([&](std::size_t n) {
      if (room < parts.size()) room += room_for(pod, NodeId(n), parts.size());
    });
    const auto shape = session_.books().pod(pod).shape;
    const bool alike = std::all_of(parts.begin(), parts.end(),
                                   [&](std::size_t part) { return session_.books().pod(pod_of(part)).shape == shape; });
    return alike ? room >= parts.size() : room != 0;
  }

  // Undoes what is planned there and places the pods elsewhere, or does it all again. False: that failed.
  bool leave(NodeId node) {
    const auto parts = by_node_.at(node);
    std::vector<Statement::Plan> before;
    for (const auto part : parts) before.push_back(parts_[part].save());
    std::vector<PodId> pods;
    for (const auto part : parts) pods.push_back(pod_of(part));
    discard(parts);
    const auto excluded = alone(node);
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (session_.pre_predicate(pods[i]) || !place_without_victims(session_, queue_, pods[i], parts_[parts[i]], &excluded)) {
        discard(parts);
        return restore(parts, before);
      }
    by_node_.erase(node);
    for (const auto part : parts) by_node_[node_of(part)].push_back(part);
    return true;
  }

 private:
  PodId pod_of(std::size_t part) const { return parts_[part].placed().front(); }
  NodeId node_of(std::size_t part) const { return session_.books().pod(pod_of(part)).node; }

  Bitset alone(NodeId node) const {
    Bitset nodes(session_.books().node_count());
    nodes.set(node.index());
    return nodes;
  }

  std::size_t room_for(PodId pod, NodeId node, std::size_t most) const {
    auto room = static_cast<std::int64_t>(most);
    for (const auto& [resource, amount] : session_.books().shape_of(pod).request)
      if (amount > 0) room = std::min(room, session_.books().free_later(resource, node) / amount);
    return static_cast<std::size_t>(std::max<std::int64_t>(room, 0));
  }

  void discard(const std::vector<std::size_t>& parts) {
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) parts_[*part].discard();
  }
  bool restore(const std::vector<std::size_t>& parts, const std::vector<Statement::Plan>& plans) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (!parts_[parts[i]].replay(plans[i])) return false;
    return true;
  }

  Session& session_;
  QueueId queue_;
  std::vector<Statement>& parts_;
  std::map<NodeId, std::vector<std::size_t>> by_node_;
};

}  // namespace

bool leave_needless_nodes(Session& session, QueueId queue, std::vector<Statement>& parts) {
  constexpr std::size_t kMostLooks = 1024;
  constexpr std::size_t kMostAttempts = 64;
  const auto& behaviour = session.behaviour();
  if (behaviour.keeps(Quirk::kNeedlessVictims) || behaviour.keeps(Quirk::kOverlookedRoom) || !session.undoes_cleanly()) return true;
  ClearedNodes cleared(session, queue, parts);
  const auto nodes = cleared.list();
  std::size_t attempts = 0;
  for (std::size_t look = 0; nodes.size() > 1 && look < std::min(nodes.size(), kMostLooks) && attempts < kMostAttempts; ++look) {
    if (!cleared.could_go_elsewhere(nodes[look])) continue;
    ++attempts;
    if (!cleared.leave(nodes[look])) return false;
  }
  return true;
}

Statement joined(Session& session, std::vector<Statement> parts) {
  Statement whole(session);
  for (auto& part : parts) whole.merge(std::move(part));
  return whole;
}

bool place_without_victims(Session& session, QueueId queue, PodId pod, Statement& statement, const Bitset* excluded) {
  if (session.behaviour().keeps(Quirk::kOverlookedRoom) || !session.allocatable(queue, pod)) return false;
  const auto& cluster = session.cluster();
  NodeSearch::Query query;
  query.pod = pod;
  query.excluded = excluded;
  if (cluster.shard_mode() == ShardMode::kHard) query.nodes = &cluster.shard();
  if (cluster.shard_mode() == ShardMode::kSoft) query.preferred = &cluster.shard();
  const auto choice = session.search().best(query);
  return choice && statement.pipeline(pod, choice->node);
}

void spare_needless(Session& session, Statement& statement, const std::function<bool()>& fits) {
  if (session.behaviour().keeps(Quirk::kNeedlessVictims)) return;
  const auto victims = statement.victims();
  for (auto pod = victims.rbegin(); pod != victims.rend(); ++pod) statement.spare_if(*pod, fits);
}

// Nearly always what a victim holds is needed, which its node's sums tell at once.
bool spare_needless_of_plan(Session& session, Statement& plan, const FitsThere& fits) {
  constexpr std::size_t kMostAttempts = 256;
  if (session.behaviour().keeps(Quirk::kNeedlessVictims) || !session.undoes_cleanly()) return true;
  const auto& books = session.books();
  const auto victims = plan.victims();
  const auto placed = plan.placed().size();
  std::size_t attempts = 0;
  std::optional<Concerned> concerned;
  for (auto victim = victims.rbegin(); victim != victims.rend(); ++victim) {
    const auto node = books.pod(*victim).node;
    if (!fits_later(books, *victim, node)) continue;
    if (++attempts > kMostAttempts) break;
    if (!concerned) concerned.emplace(session, plan);
    const auto pods = concerned->by(node);
    plan.spare_if(*victim, [&] {
      return std::all_of(pods.begin(), pods.end(),
                         [&](PodId pod) { return plan.could_place_again(pod, [&](NodeId place) { return fits(pod, place); }); });
    });
    if (plan.placed().size() != placed) return false;
  }
  return true;
}

bool leave_to_allocate(const Session& session, std::string_view rule, const Statement& plan) {
  if (session.behaviour().keeps(Quirk::kOverlookedRoom) || plan.has_evictions()) return false;
  const auto& actions = session.config().actions;
  return std::find(std::find(actions.begin(), actions.end(), rule), actions.end(), "allocate") != actions.end();
}

}  // namespace muster::volcano
