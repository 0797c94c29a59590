#include "app/node_obstacles.h"

#include <algorithm>
#include <map>

#include "engine/filters/tolerance.h"

namespace muster {
namespace {

using volcano::Session;

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
std::vector<std::pair<std::string, std::size_t>> by_count(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::pair<std::string, std::size_t>> out(counts.begin(), counts.end());
  std::stable_sort(out.begin(), out.end(), [](const auto& l, const auto& r) { return l.second > r.second; });
  return out;
}

class ObstacleFinder {
 public:
  ObstacleFinder(Session& session, PodId pod) : session_(session), books_(session.books()), pod_(pod), shape_(books_.shape_of(pod)) {}

  NodeObstacles find() {
    if (session_.pre_predicate(pod_)) return {};  // no node was asked
    NodeSearch::Query query;
    query.pod = pod_;
    if (session_.cluster().shard_mode() == volcano::ShardMode::kHard) query.nodes = &session_.cluster().shard();
    session_.search().refusals(query, [&](NodeId node, VerdictId verdict) { look_at(node, session_.cluster().fits().verdict(verdict)); });
    if (closest_) out_.closest = describe(closest_);
    out_.taints = by_count(taints_);
    count_labels();
    return std::move(out_);
  }

 private:
  void look_at(NodeId node, const Verdict& verdict) {
    const auto& record = books_.node(node);
    if (record.unschedulable) out_.cordoned.push_back(record.name);
    for (const auto& taint : record.taints)
      if (repels(taint) && !accepts(shape_.tolerations, taint)) ++taints_[text_of(taint)];
    const bool only_lacks = std::all_of(verdict.begin(), verdict.end(), [&](const FitStatus& status) {
      return session_.cluster().fits().text(status.reason).starts_with("Insufficient ");
    });
    if (only_lacks && !verdict.empty()) compare(node);
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
    if (!lacking.empty()) out.held_by = holders(node, lacking.front().second);
    return out;
  }

  Holders holders(NodeId node, ResourceId resource) const {
    std::map<std::string, double> held;
    for (const auto pod : books_.pods_on(node)) {
      const auto amount = books_.shape_of(pod).request.get(resource);
      const auto group = books_.pod(pod).group;
      if (amount > 0) held[group ? books_.group(group).name : books_.pod_key(pod)] += static_cast<double>(amount);
    }
    Holders out(held.begin(), held.end());
    std::stable_sort(out.begin(), out.end(), [](const auto& l, const auto& r) { return l.second > r.second; });
    return out;
  }

  void count_labels() {
    for (const auto& [key, value] : shape_.node_selector) {
      std::size_t nodes = 0;
      for (const auto node : IdRange<NodeId>(books_.node_count()))
        if (const auto& record = books_.node(node); record.known) nodes += record.labels.get(key) == value;
      out_.labels.emplace_back(key + "=" + value, nodes);
    }
  }

  static constexpr double kNever = 1e6;

  Session& session_;
  const Books& books_;
  PodId pod_;
  const PodShape& shape_;
  NodeObstacles out_;
  std::map<std::string, std::size_t> taints_;
  NodeId closest_;
  double distance_ = 0;
};

}  // namespace

NodeObstacles obstacles_to(Session& session, PodId pod) { return ObstacleFinder(session, pod).find(); }

}  // namespace muster
