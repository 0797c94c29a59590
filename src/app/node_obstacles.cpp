#include "app/node_obstacles.h"

#include <algorithm>
#include <map>

#include "engine/filters/node_affinity.h"
#include "engine/filters/tolerance.h"

namespace muster {
namespace {

using volcano::Session;
using Counts = std::map<std::string, std::size_t>;

std::string_view name_of(TaintEffect effect) {
  switch (effect) {
    case TaintEffect::kNoSchedule: return "NoSchedule";
    case TaintEffect::kPreferNoSchedule: return "PreferNoSchedule";
    case TaintEffect::kNoExecute: return "NoExecute";
  }
  return "";
}

std::string text_of(const Taint& taint) {
  return taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" + std::string(name_of(taint.effect));
}

// Most frequent first, then by name.
NodeObstacles::Counted by_count(const Counts& counts) {
  NodeObstacles::Counted out(counts.begin(), counts.end());
  std::stable_sort(out.begin(), out.end(), [](const auto& l, const auto& r) { return l.second > r.second; });
  return out;
}

void largest_first(Holders& holders) {
  std::stable_sort(holders.begin(), holders.end(), [](const auto& l, const auto& r) { return l.second > r.second; });
}

// What speaks against one node.
struct Against {
  bool lacks = false;
  bool cordoned = false;
  bool unselected = false;
  std::vector<std::string> taints;
  std::vector<std::string> others;

  std::size_t kinds() const {
    return static_cast<std::size_t>(lacks) + static_cast<std::size_t>(cordoned) + static_cast<std::size_t>(unselected) +
           static_cast<std::size_t>(!taints.empty()) + static_cast<std::size_t>(!others.empty());
  }
};

class ObstacleFinder {
 public:
  ObstacleFinder(Session& session, PodId pod)
      : session_(session), books_(session.books()), pod_(pod), shape_(books_.shape_of(pod)) {}

  NodeObstacles find() {
    if (session_.pre_predicate(pod_)) return {};  // no node was asked
    const bool only_shard = session_.cluster().shard_mode() == volcano::ShardMode::kHard;
    for (const auto node : IdRange<NodeId>(books_.node_count()))
      if (books_.node(node).known && !(only_shard && !session_.cluster().in_shard(node))) take(node, against(node));
    out_.pod = pod_;
    if (closest_) out_.closest = describe(closest_);
    out_.taints = by_count(taints_);
    out_.others = by_count(others_);
    if (out_.unselected) count_labels();
    return std::move(out_);
  }

 private:
  Against against(NodeId node) const {
    const auto& record = books_.node(node);
    Against out;
    out.lacks = std::any_of(shape_.request.begin(), shape_.request.end(),
                            [&](const auto& entry) { return entry.amount > books_.free_later(entry.resource, node); });
    out.unselected = !selects(shape_, record);
    for (const auto& taint : record.taints)
      if (repels(taint) && !accepts(shape_.tolerations, taint)) out.taints.push_back(text_of(taint));
    // The rules' own words; what is told in another way above is left out.
    for (const auto& status : session_.predicate(pod_, node)) {
      const auto& text = session_.cluster().fits().text(status.reason);
      const bool told = (out.unselected && text.find("node affinity/selector") != std::string::npos) ||
                        (!out.taints.empty() && text.find("untolerated taint") != std::string::npos);
      if (text == "node(s) were unschedulable")
        out.cordoned = true;
      else if (!told)
        out.others.push_back(text);
    }
    return out;
  }

  void take(NodeId node, const Against& against) {
    const auto kinds = against.kinds();
    if (kinds == 0 || (out_.together != 0 && kinds > out_.together)) return;
    if (kinds < out_.together || out_.together == 0) start_over(kinds, node);
    if (out_.together > 1 && out_.node != books_.node(node).name) return;
    for (const auto& taint : against.taints) ++taints_[taint];
    for (const auto& other : against.others) ++others_[other];
    if (against.cordoned) out_.cordoned.push_back(books_.node(node).name);
    out_.unselected |= against.unselected;
    if (against.lacks) compare(node);
  }

  void start_over(std::size_t kinds, NodeId node) {
    out_ = {};
    out_.together = kinds;
    out_.node = books_.node(node).name;
    taints_.clear();
    others_.clear();
    closest_ = NodeId();
  }

  // The node is as far away as the resource of which it lacks the largest part; one that could never be enough is farthest.
  void compare(NodeId node) {
    double distance = 0;
    for (const auto& [resource, amount] : shape_.request) {
      if (amount <= 0) continue;
      const auto missing = static_cast<double>(amount - books_.free_later(resource, node));
      distance = std::max(distance, missing / static_cast<double>(amount));
      if (amount > books_.ledgers().allocatable[resource.index()][node.index()]) distance += kNever;
    }
    if (closest_ && distance >= distance_) return;
    closest_ = node;
    distance_ = distance;
  }

  ClosestNode describe(NodeId node) const {
    std::vector<std::pair<double, ResourceId>> lacking;
    for (const auto& [resource, amount] : shape_.request)
      if (const auto free = books_.free_later(resource, node); amount > free)
        lacking.emplace_back(static_cast<double>(amount - free) / static_cast<double>(amount), resource);
    std::stable_sort(lacking.begin(), lacking.end(), [](const auto& l, const auto& r) { return l.first > r.first; });
    ClosestNode out;
    out.name = books_.node(node).name;
    for (const auto& [part, resource] : lacking)
      out.shortages.push_back({books_.resource_name(resource), static_cast<double>(shape_.request.get(resource)),
                               static_cast<double>(std::max<std::int64_t>(books_.free_later(resource, node), 0))});
    out.held_by = holders(node, lacking.front().second);
    return out;
  }

  Holders holders(NodeId node, ResourceId resource) const {
    std::map<std::string, double> held;
    for (const auto pod : books_.pods_on(node)) {
      if (books_.pod(pod).state == PodState::kReleasing) continue;  // what it holds counts as free later
      const auto amount = books_.shape_of(pod).request.get(resource);
      const auto group = books_.pod(pod).group;
      if (amount > 0) held[group ? books_.group(group).name : books_.pod_key(pod)] += static_cast<double>(amount);
    }
    Holders out(held.begin(), held.end());
    largest_first(out);
    return out;
  }

  void count_labels() {
    for (const auto& [key, value] : shape_.node_selector) {
      std::size_t nodes = 0;
      for (const auto node : IdRange<NodeId>(books_.node_count()))
        if (const auto& record = books_.node(node); record.known)
          nodes += record.labels.contains(key) && record.labels.get(key) == value;
      out_.labels.emplace_back(key + "=" + value, nodes);
    }
  }

  static constexpr double kNever = 1e6;

  Session& session_;
  const Books& books_;
  PodId pod_;
  const PodShape& shape_;
  NodeObstacles out_;
  Counts taints_;
  Counts others_;
  NodeId closest_;
  double distance_ = 0;
};

}  // namespace

NodeObstacles obstacles_to(Session& session, PodId pod) { return ObstacleFinder(session, pod).find(); }

}  // namespace muster
