#include "policy/volcano/actions/needless_victims.h"

#include <algorithm>

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

}  // namespace

bool place_without_victims(Session& session, QueueId queue, PodId pod, Statement& statement) {
  if (session.behaviour().keeps(Quirk::kOverlookedRoom) || !session.allocatable(queue, pod)) return false;
  const auto& cluster = session.cluster();
  NodeSearch::Query query;
  query.pod = pod;
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
