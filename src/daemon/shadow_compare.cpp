#include "daemon/shadow_compare.h"

#include <algorithm>

#include "daemon/object_key.h"
#include "daemon/pod_ended.h"

namespace muster::daemon::shadow {
namespace {

std::multiset<std::string> nodes_of(const std::vector<Move>& moves) {
  std::multiset<std::string> nodes;
  for (const auto& move : moves) nodes.insert(move.node);
  return nodes;
}

void append(std::string& text, const ResourceList& amounts) {
  for (const auto& [name, amount] : amounts) text += name + "=" + amount.text() + ",";
  text += ";";
}

// The labels of pods that some pod looks at, to be near others or away from them. Controllers number their pods by labels that
// nobody looks at.
class LabelsLookedAt {
 public:
  void add(const Pod& pod) {
    const auto& affinity = pod.spec.affinity;
    for (const auto* terms : {&affinity.pod_required, &affinity.anti_required})
      for (const auto& term : *terms) add(term);
    for (const auto* terms : {&affinity.pod_preferred, &affinity.anti_preferred})
      for (const auto& preferred : *terms) add(preferred.term);
    for (const auto& constraint : pod.spec.spread) {
      add(constraint.selector);
      keys_.insert(constraint.match_label_keys.begin(), constraint.match_label_keys.end());
    }
  }
  bool contains(const std::string& key) const { return keys_.contains(key); }

 private:
  void add(const PodAffinityTerm& term) {
    add(term.selector);
    keys_.insert(term.match_label_keys.begin(), term.match_label_keys.end());
    keys_.insert(term.mismatch_label_keys.begin(), term.mismatch_label_keys.end());
  }
  void add(const std::optional<LabelSelector>& selector) {
    if (!selector) return;
    for (const auto& requirement : selector->requirements) keys_.insert(requirement.key);
  }
  std::set<std::string> keys_;
};

constexpr std::string_view kGpuGroupLabel = "runai-gpu-group";
constexpr std::string_view kGpuGroupPrefix = "runai-gpu-group/";

// What it asks for of each GPU that it shares.
std::string share_of(const Pod& pod) {
  return std::string(pod.meta.annotations.get("gpu-fraction")) + "/" + std::string(pod.meta.annotations.get("gpu-memory"));
}

// What may count for a pod about one that is there already.
std::string sight_of(const Pod& pod, const LabelsLookedAt& labels) {
  std::string text = pod.meta.ns + ";" + (pod.meta.deleted ? "leaves;" : ";");
  for (const auto& [key, value] : pod.meta.labels)
    if (labels.contains(key)) text += key + "=" + value + ",";
  text += ";";
  for (const auto& container : pod.spec.containers) append(text, container.requests);
  for (const auto& container : pod.spec.init_containers) append(text, container.requests);
  append(text, pod.spec.overhead);
  return text + share_of(pod) + ";" + std::to_string(pod.spec.priority.value_or(0));
}

// Which pods share a GPU decides what is left of each: the shares by the GPUs they are of, whose names say nothing.
class SharedGpus {
 public:
  void add(const Pod& pod) {
    const auto share = share_of(pod);
    for (const auto& [key, value] : pod.meta.labels) {
      if (key == kGpuGroupLabel) shares_[value].insert(share);
      if (key.starts_with(kGpuGroupPrefix)) shares_[key.substr(kGpuGroupPrefix.size())].insert(share);
    }
  }
  void add(const Pod& pod, const std::vector<std::string>& groups) {
    for (const auto& group : groups) shares_[group].insert(share_of(pod));
  }
  std::string sight() const {
    std::multiset<std::string> gpus;
    for (const auto& [group, shares] : shares_) {
      std::string gpu;
      for (const auto& share : shares) gpu += share + ",";
      gpus.insert(std::move(gpu));
    }
    std::string text;
    for (const auto& gpu : gpus) text += gpu + "|";
    return text;
  }

 private:
  std::map<std::string, std::multiset<std::string>> shares_;
};

bool has_any_image(const Node& node, const std::set<std::string>& images) {
  return std::ranges::any_of(node.images, [&](const NodeImage& image) {
    return std::ranges::any_of(image.names, [&](const std::string& name) { return images.contains(name); });
  });
}

std::string sight_of(const Node& node, const std::set<std::string>& images) {
  std::string text;
  append(text, node.allocatable);
  for (const auto& [key, value] : node.meta.labels)
    if (value != node.meta.name) text += key + "=" + value + ",";
  for (const auto& taint : node.taints)
    text += taint.key + "=" + taint.value + std::to_string(static_cast<int>(taint.effect)) + ",";
  text += node.unschedulable ? "closed;" : ";";
  return text + (has_any_image(node, images) ? "images;" : ";");
}

// Nodes as they look to a pod of the moves, without their names.
class NodeSights {
 public:
  NodeSights(const std::vector<Move>& moves, const State& state) {
    std::set<std::string> images;
    for (const auto& move : moves)
      if (const auto* pod = state.pod(move.pod))
        for (const auto& container : pod->spec.containers) images.insert(container.image);
    LabelsLookedAt labels;
    for (const auto& [key, object] : state.objects())
      if (const auto* pod = std::get_if<Pod>(&*object)) labels.add(*pod);
    for (const auto& [key, object] : state.objects()) {
      if (const auto* node = std::get_if<Node>(&*object)) nodes_[node->meta.name] = sight_of(*node, images);
      if (const auto* pod = std::get_if<Pod>(&*object); pod != nullptr && !pod->spec.node_name.empty() && !has_ended(*pod)) {
        pods_[pod->spec.node_name].insert(sight_of(*pod, labels));
        shared_[pod->spec.node_name].add(*pod);
      }
      if (const auto* request = std::get_if<BindRequest>(&*object); request != nullptr && !request->has_failed()) {
        const auto* pod = state.pod(request->meta.ns + "/" + request->pod);
        if (pod == nullptr || !pod->spec.node_name.empty()) continue;
        pods_[request->node].insert(sight_of(*pod, labels));
        shared_[request->node].add(*pod, request->gpu_groups);
      }
    }
  }

  // How many pods go to nodes of which sight: {(sight, 2), (sight, 1)}.
  std::multiset<std::pair<std::string, std::size_t>> shape_of(const std::multiset<std::string>& nodes) {
    std::multiset<std::pair<std::string, std::size_t>> shape;
    for (auto at = nodes.begin(); at != nodes.end(); at = nodes.upper_bound(*at)) shape.emplace(sight(*at), nodes.count(*at));
    return shape;
  }

 private:
  std::string sight(const std::string& node) {
    std::string text = nodes_[node];
    for (const auto& pod : pods_[node]) text += pod + "|";
    return text + shared_[node].sight();
  }
  std::map<std::string, std::string> nodes_;
  std::map<std::string, std::multiset<std::string>> pods_;
  std::map<std::string, SharedGpus> shared_;
};

}  // namespace

std::multiset<std::string> planned_nodes(MoveKind kind, const std::string& group, const Plan& plan, const State& state,
                                         const Subject& subject) {
  std::multiset<std::string> nodes;
  for (const auto& [name, node] : plan.of(kind))
    if (const auto* pod = state.pod(name); pod != nullptr && subject.group_of(*pod) == group) nodes.insert(node);
  return nodes;
}

void take_same(std::vector<Move>& moves, const Plan& plan, const State& state, const Subject& subject) {
  if (moves.empty()) return;
  const auto& first = moves.front();
  auto planned = planned_nodes(first.kind, first.group, plan, state, subject);
  const auto live = nodes_of(moves);
  const bool has_all = std::ranges::includes(planned, live);
  const bool has_some = !planned.empty() && std::ranges::includes(live, planned);
  if (has_all) return moves.clear();
  if (!has_some) return;
  const auto& by_pod = plan.of(first.kind);
  // Those first of which the plan says the same by name.
  std::ranges::stable_partition(moves, [&](const Move& move) {
    const auto found = by_pod.find(move.pod);
    return found != by_pod.end() && found->second == move.node;
  });
  std::erase_if(moves, [&](const Move& move) {
    const auto found = planned.find(move.node);
    if (found == planned.end()) return false;
    planned.erase(found);
    return true;
  });
  std::ranges::sort(moves, {}, &Move::step);
}

bool is_tie(const std::vector<Move>& moves, const Plan& plan, const State& state, const Subject& subject) {
  const auto planned = planned_nodes(moves.front().kind, moves.front().group, plan, state, subject);
  if (planned.size() != moves.size()) return false;
  NodeSights sights(moves, state);
  return sights.shape_of(planned) == sights.shape_of(nodes_of(moves));
}

State only_nodes_of(const std::vector<Move>& moves, const State& state) {
  const auto nodes = nodes_of(moves);
  auto closed = state;
  for (const auto& [key, object] : state.objects()) {
    const auto* node = std::get_if<Node>(&*object);
    if (node == nullptr || nodes.contains(node->meta.name)) continue;
    auto copy = *node;
    copy.unschedulable = true;
    closed.put(key, std::make_shared<const Object>(std::move(copy)));
  }
  return closed;
}

}  // namespace muster::daemon::shadow
