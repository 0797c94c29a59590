#include "sim/controllers/lost_nodes.h"

#include <algorithm>

#include "sim/controllers/pods.h"
#include "sim/fields.h"
#include "sim/life_annotations.h"

namespace muster::sim {
namespace {

constexpr std::string_view kNoExecute = "NoExecute";
constexpr std::int64_t kMissingSeconds = 40;  // as the collector of pods in kube-controller-manager
constexpr std::int64_t kUnwrittenSeconds = 1;

const Kind& node_kind() {
  static const Kind& kind = kind_named("", "nodes");
  return kind;
}

bool has_no_execute(const Object& node) { return node.text.find(kNoExecute) != std::string::npos; }

bool tolerates(const Tree& toleration, const Tree& taint) {
  const auto effect = toleration.text_at("effect");
  if (!effect.empty() && effect != taint.text_at("effect")) return false;
  const auto key = toleration.text_at("key");
  if (!key.empty() && key != taint.text_at("key")) return false;
  if (toleration.text_at("operator") == "Exists") return true;
  return !key.empty() && toleration.text_at("value") == taint.text_at("value");
}

}  // namespace

std::optional<std::int64_t> tolerated_seconds(const Tree& pod, const Tree& taint) {
  const auto* tolerations = pod.at("spec.tolerations");
  if (tolerations == nullptr || !tolerations->is_list()) return 0;
  std::optional<std::int64_t> least;
  bool any = false;
  for (const auto& one : *tolerations->as_list()) {
    if (!tolerates(one, taint)) continue;
    any = true;
    if (const auto seconds = bounded_at(one, "tolerationSeconds")) least = std::min(least.value_or(*seconds), *seconds);
  }
  return any ? least : 0;
}

void LostNodes::observe_node(const Object& node) {
  if (const auto seen = seen_.find(node.key.name); seen != seen_.end()) {
    // A taint that comes back begins anew.
    std::set<std::string> there;
    const auto tree = node.tree();
    if (const auto* taints = tree.at("spec.taints"); taints != nullptr && taints->is_list())
      for (const auto& taint : *taints->as_list()) there.insert(taint.text());
    std::erase_if(seen->second, [&](const auto& one) { return !there.contains(one.first); });
  }
  if (!has_no_execute(node)) return;
  for (const auto& [key, pod] : bench_.store().objects(pod_kind()))
    if (pod->fields.get("spec.nodeName") == node.key.name) bench_.look_at(pod_kind(), key);
}

void LostNodes::observe_gone_node(const std::string& name) {
  seen_.erase(name);
  std::vector<ObjectPtr> lost;
  for (const auto& [key, pod] : bench_.store().objects(pod_kind()))
    if (pod->fields.get("spec.nodeName") == name) lost.push_back(pod);
  for (const auto& pod : lost)
    if (!bench_.registry().remove(pod_kind(), pod->key, {.grace_seconds = 0, .uid = pod->uid}))
      bench_.look_again(node_kind(), {"", name}, bench_.now() + kUnwrittenSeconds);  // the disk may be full
}

std::int64_t LostNodes::since(const std::string& node, const Tree& taint) {
  if (const auto added = time_at(taint, "timeAdded")) return *added;
  return seen_[node].try_emplace(taint.text(), bench_.now()).first->second;
}

void LostNodes::observe_pod(const Object& pod) {
  const std::string name(pod.fields.get("spec.nodeName"));
  if (name.empty()) return;
  const auto node = bench_.store().find(node_kind(), {"", name});
  if (!node) return bench_.look_again(node_kind(), {"", name}, bench_.now() + kMissingSeconds);
  if (!has_no_execute(*node) || has_ended(pod)) return;
  const auto node_tree = node->tree();
  const auto* taints = node_tree.at("spec.taints");
  if (taints == nullptr || !taints->is_list()) return;
  auto longest = longest_;
  if (const auto annotated = annotated_seconds(node_tree, kEvictAfterSeconds)) longest = annotated;
  const auto pod_tree = pod.tree();
  std::optional<std::int64_t> end;
  for (const auto& taint : *taints->as_list()) {
    if (taint.text_at("effect") != kNoExecute) continue;
    auto seconds = tolerated_seconds(pod_tree, taint);
    if (!seconds) continue;
    if (longest) seconds = std::min(*seconds, std::max<std::int64_t>(*longest, 0));
    const auto at = since(name, taint) + *seconds;
    end = std::min(end.value_or(at), at);
  }
  if (!end) return;
  if (*end > bench_.now()) return bench_.look_again(pod_kind(), pod.key, *end);
  if (!bench_.registry().remove(pod_kind(), pod.key, {.grace_seconds = 0, .uid = pod.uid}))
    bench_.look_again(pod_kind(), pod.key, bench_.now() + kUnwrittenSeconds);  // the disk may be full
}

}  // namespace muster::sim
