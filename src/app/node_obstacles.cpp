#include "app/node_obstacles.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>

#include "app/node_bars.h"
#include "app/node_holders.h"
#include "engine/filters/pod_matcher.h"

namespace muster {
namespace {

using volcano::Session;
using Counts = std::map<std::string, ObstacleCount>;

// Most frequent first, then by name.
NodeObstacles::Counted by_count(const Counts& counts) {
  NodeObstacles::Counted out(counts.begin(), counts.end());
  std::stable_sort(out.begin(), out.end(), [](const auto& l, const auto& r) { return l.second.nodes > r.second.nodes; });
  return out;
}

// What speaks against one node.
struct Against {
  bool lacks = false;
  bool forever = false;  // and nobody's leaving is enough
  NodeBars bars;
  std::vector<std::string> others;

  std::size_t count() const { return static_cast<std::size_t>(lacks) + bars.count() + others.size(); }
  // Nodes that could be opened are nearer than any others.
  std::size_t rank() const { return count() + (forever ? kForever : 0); }

  static constexpr std::size_t kForever = 1'000'000;
};

class ObstacleFinder {
 public:
  ObstacleFinder(Session& session, PodId pod)
      : session_(session), books_(session.books()), pod_(pod), shape_(books_.shape_of(pod)), wanted_(wanted_pods()) {}

  NodeObstacles find() {
    if (session_.pre_predicate(pod_)) return {};  // no node was asked
    const bool only_shard = session_.cluster().shard_mode() == volcano::ShardMode::kHard;
    for (const auto node : IdRange<NodeId>(books_.node_count()))
      if (books_.node(node).known && !(only_shard && !session_.cluster().in_shard(node))) take(node, against(node));
    out_.pod = pod_;
    if (closest_) out_.closest = describe(closest_);
    out_.taints = by_count(taints_);
    out_.others = by_count(others_);
    out_.some_take = some_take_;
    if (out_.unselected) out_.labels = wanted_labels(books_, shape_);
    return std::move(out_);
  }

 private:
  Against against(NodeId node) const {
    const auto& record = books_.node(node);
    Against out;
    out.lacks = std::any_of(shape_.request.begin(), shape_.request.end(),
                            [&](const auto& entry) { return entry.amount > books_.free_later(entry.resource, node); });
    out.forever = out.lacks && freeing(node) != Freeing::kEnough;
    out.bars = bars_on(record, shape_);
    out.bars.taints.insert(out.bars.taints.end(), out.bars.passing.begin(), out.bars.passing.end());
    out.bars.cordoned = false;  // for pods that do not tolerate it alone, as the rule says
    // The rules' own words; what is told in another way above is left out.
    for (const auto& status : session_.predicate(pod_, node)) {
      const auto& text = session_.cluster().fits().text(status.reason);
      const bool is_tainted = !out.bars.taints.empty() || record.unschedulable;
      const bool told = (out.bars.unselected && text.find("node affinity/selector") != std::string::npos) ||
                        (is_tainted && text.find("untolerated taint") != std::string::npos);
      if (text == "node(s) were unschedulable")
        out.bars.cordoned = true;
      else if (!told)
        out.others.push_back(text);
    }
    return out;
  }

  void take(NodeId node, const Against& against) {
    const auto rank = against.rank();
    some_take_ |= rank == 0;
    if (rank == 0 || (rank_ != 0 && rank > rank_)) return;
    if (rank < rank_ || rank_ == 0) start_over(against, node);
    if (out_.together > 1 && out_.node != books_.node(node).name) return;
    const auto room = room_on(node);
    for (const auto& taint : against.bars.taints) taints_[taint].add(room);
    for (const auto& other : against.others) others_[other].add(room);
    if (against.bars.cordoned) {
      out_.cordoned.push_back(books_.node(node).name);
      out_.room_on_cordoned += room;
    }
    if (against.bars.unselected) {
      out_.room_on_unselected = std::max(out_.room_on_unselected, room);
      out_.room_on_all_unselected += room;
    }
    out_.unselected |= against.bars.unselected;
    if (against.lacks) compare(node);
  }

  // How many pods like this one the node has resources for.
  std::int64_t room_on(NodeId node) const {
    auto room = std::numeric_limits<std::int32_t>::max();
    for (const auto& [resource, amount] : shape_.request) {
      const auto times = amount <= 0 ? room : std::max<std::int64_t>(books_.free_later(resource, node), 0) / amount;
      if (times < room) room = static_cast<std::int32_t>(times);
    }
    return room;
  }

  void start_over(const Against& against, NodeId node) {
    out_ = {};
    rank_ = against.rank();
    out_.together = against.count();
    out_.node = books_.node(node).name;
    taints_.clear();
    others_.clear();
    closest_ = NodeId();
  }

  // The node is as far away as the resource of which it lacks the largest part.
  void compare(NodeId node) {
    double distance = 0;
    for (const auto& [resource, amount] : shape_.request) {
      if (amount <= 0) continue;
      const auto missing = static_cast<double>(amount - books_.free_later(resource, node));
      distance = std::max(distance, missing / static_cast<double>(amount));
    }
    if (closest_ && distance >= distance_) return;
    closest_ = node;
    distance_ = distance;
  }

  Freeing freeing(NodeId node) const {
    Amounts own;
    for (const auto pod : books_.pods_on(node))
      if (is_own(pod) && books_.pod(pod).state != PodState::kReleasing) own += books_.shape_of(pod).request;
    if (!fits(Amounts(), node)) return Freeing::kTooSmall;
    if (!fits(own, node)) return Freeing::kOwnPods;
    const auto wanted = indispensable(node);
    const auto may_stay = [&](PodId pod) {
      auto kept = own;
      if (!is_own(pod)) kept += books_.shape_of(pod).request;
      return fits(kept, node);
    };
    return wanted.empty() || std::ranges::any_of(wanted, may_stay) ? Freeing::kEnough : Freeing::kWantedPods;
  }

  // Whether the node is large enough for the pod beside what stays there.
  bool fits(const Amounts& kept, NodeId node) const {
    return std::ranges::all_of(shape_.request, [&](const auto& entry) {
      const auto& [resource, amount] = entry;
      return amount <= 0 || amount <= books_.ledgers().allocatable[resource.index()][node.index()] - kept.get(resource);
    });
  }

  bool is_own(PodId pod) const { return books_.pod(pod).group == books_.pod(pod_).group; }

  // The pods on a node of which one at least has to stay: the required affinity finds no others near it.
  std::vector<PodId> indispensable(NodeId node) const {
    for (const auto& term : affinity()) {
      const auto* domain = books_.node(node).labels.find(term.topology_key);
      if (domain == nullptr) continue;
      std::vector<PodId> near;
      for (const auto pod : wanted_)
        if (const auto* there = books_.node(books_.pod(pod).present_on).labels.find(term.topology_key);
            there != nullptr && *there == *domain)
          near.push_back(pod);
      if (!near.empty() && std::ranges::all_of(near, [&](PodId pod) { return books_.pod(pod).present_on == node; })) return near;
    }
    return {};
  }

  std::span<const PodAffinityTerm> affinity() const {
    const auto terms = books_.pod(pod_).terms;
    return terms ? std::span(books_.terms(terms).affinity) : std::span<const PodAffinityTerm>();
  }

  // Every pod that the required affinity looks for, wherever it is.
  std::vector<PodId> wanted_pods() const {
    std::vector<PodId> pods;
    PodMatcher matcher;
    const auto& own_namespace = books_.symbols().text(books_.pod(pod_).ns);
    for (const auto& term : affinity()) matcher.clauses.push_back(PodClause::of(term, own_namespace, PodClause::Side::kIncoming));
    if (matcher.clauses.empty()) return pods;
    for (const auto pod : IdRange<PodId>(books_.pod_count())) {
      if (!books_.pod(pod).present_on) continue;
      const auto& labels = books_.label_set(books_.pod(pod).labels);
      if (matcher.matches(books_.symbols().text(labels.ns), labels.labels, session_.cluster().namespaces())) pods.push_back(pod);
    }
    return pods;
  }

  ClosestNode describe(NodeId node) const {
    std::vector<std::pair<double, ResourceId>> lacking;
    for (const auto& [resource, amount] : shape_.request)
      if (const auto free = books_.free_later(resource, node); amount > free)
        lacking.emplace_back(static_cast<double>(amount - free) / static_cast<double>(amount), resource);
    std::stable_sort(lacking.begin(), lacking.end(), [](const auto& l, const auto& r) { return l.first > r.first; });
    ClosestNode out;
    out.name = books_.node(node).name;
    out.freeing = freeing(node);
    for (const auto& [part, resource] : lacking)
      out.shortages.push_back({books_.resource_name(resource), static_cast<double>(shape_.request.get(resource)),
                               static_cast<double>(std::max<std::int64_t>(books_.free_later(resource, node), 0))});
    out.held_by = holders(node, lacking.front().second);
    return out;
  }

  Holders holders(NodeId node, ResourceId resource) const {
    const auto held = [&](PodId pod) {
      const bool leaves = books_.pod(pod).state == PodState::kReleasing;
      return leaves ? 0 : static_cast<double>(books_.shape_of(pod).request.get(resource));
    };
    return holders_on(books_, node, held, [&](GroupId group) { return books_.group(group).name; });
  }

  Session& session_;
  const Books& books_;
  PodId pod_;
  const PodShape& shape_;
  std::vector<PodId> wanted_;
  NodeObstacles out_;
  bool some_take_ = false;
  std::size_t rank_ = 0;  // of the nodes that are nearest so far
  Counts taints_;
  Counts others_;
  NodeId closest_;
  double distance_ = 0;
};

}  // namespace

NodeObstacles obstacles_to(Session& session, PodId pod) { return ObstacleFinder(session, pod).find(); }

}  // namespace muster
