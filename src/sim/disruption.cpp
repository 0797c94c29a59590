#include "sim/disruption.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/conditions.h"
#include "sim/fields.h"
#include "sim/selectors.h"

namespace muster::sim {
namespace {

constexpr std::int64_t kNoteSeconds = 120;  // within which an evicted pod must be on its way

const Kind& budgets_kind() { return kind_named("policy", "poddisruptionbudgets"); }
const Kind& pods_kind() { return kind_named("", "pods"); }

struct Health {
  std::int64_t expected = 0;
  std::int64_t healthy = 0;
};

ApiError too_many(std::string message, std::optional<int> retry_after) {
  ApiError out;
  out.code = 429;
  out.reason = "TooManyRequests";
  out.message = "Cannot evict pod as it would violate the pod's disruption budget.";
  out.causes.push_back({"DisruptionBudget", std::move(message), ""});
  out.retry_after = retry_after;
  return out;
}

}  // namespace

DisruptionBudgets::DisruptionBudgets(Registry& registry, Store& store) : registry_(registry), store_(store) {
  for (const auto& [key, budget] : store_.objects(budgets_kind())) changed_.insert(key.ns);
  store_.on_change([this](const Kind& kind, const Change& change) {
    if (&kind == &pods_kind() || &kind == &budgets_kind()) changed_.insert(change.now->key.ns);
    if (&kind == &budgets_kind() && change.type == ChangeType::kDeleted) recheck_.erase(change.now->key);
  });
}

void DisruptionBudgets::run() {
  // What is written here is a change again, after which nothing differs.
  while (!changed_.empty()) {
    const auto ns = *changed_.begin();
    changed_.erase(changed_.begin());
    const auto& budgets = store_.objects(budgets_kind());
    std::vector<Key> here;
    for (auto at = budgets.lower_bound({ns, ""}); at != budgets.end() && at->first.ns == ns; ++at) here.push_back(at->first);
    for (const auto& key : here) observe(key);
  }
}

void DisruptionBudgets::tick() {
  const auto now = registry_.outside().now().seconds;
  for (const auto& [budget, at] : recheck_)
    if (at <= now) changed_.insert(budget.ns);
}

bool DisruptionBudgets::is_on_its_way(const Key& budget, const Tree& note, const Tree& pod) {
  const auto noted = Timestamp::parse_rfc3339(note.scalar_text());
  // Times are whole seconds: one that was made in that second is newer, because the one before it is being deleted by then.
  const auto made = time_at(pod, "metadata.creationTimestamp");
  if (!noted || !made || *made >= noted->seconds) return false;
  const auto end = noted->seconds + kNoteSeconds;
  if (end <= registry_.outside().now().seconds) return false;
  const auto known = recheck_.try_emplace(budget, end).first;
  known->second = std::min(known->second, end);
  return true;
}

void DisruptionBudgets::observe(const Key& budget) {
  recheck_.erase(budget);
  const auto found = store_.find(budgets_kind(), budget);
  if (!found) return;
  const auto tree = found->tree();
  Health health;
  const auto disrupted = tree.at("status.disruptedPods") == nullptr ? Tree::map() : *tree.at("status.disruptedPods");
  Tree still = Tree::map();
  const auto& pods = store_.objects(pods_kind());
  for (auto at = pods.lower_bound({budget.ns, ""}); at != pods.end() && at->first.ns == budget.ns; ++at) {
    const auto& pod = *at->second;
    if (!label_selector_matches(tree.at("spec.selector"), pod.labels)) continue;
    const auto phase = pod.fields.get("status.phase");
    if (phase == "Succeeded" || phase == "Failed") continue;
    ++health.expected;
    if (pod.is_deleting) continue;
    const auto pod_tree = pod.tree();
    const auto* note = disrupted.find(pod.key.name);
    if (note != nullptr && is_on_its_way(budget, *note, pod_tree))
      still[pod.key.name] = *note;
    else if (has_true_condition(pod_tree, "Ready"))
      ++health.healthy;
  }
  std::int64_t desired = 0;
  if (const auto* least = tree.at("spec.minAvailable"))
    desired = count_or_share(least, health.expected, Rounding::kUp);
  else if (const auto* most = tree.at("spec.maxUnavailable"))
    desired = std::max<std::int64_t>(0, health.expected - count_or_share(most, health.expected, Rounding::kUp));
  const auto allowed = health.expected == 0 ? 0 : std::max<std::int64_t>(0, health.healthy - desired);
  static_cast<void>(registry_.change(budgets_kind(), budget, Part::kStatus, [&](Tree now) -> Answered<Tree> {
    auto& status = now["status"];
    status["observedGeneration"] = Tree(now.integer_at("metadata.generation").value_or(1));
    status["expectedPods"] = Tree(health.expected);
    status["currentHealthy"] = Tree(health.healthy);
    status["desiredHealthy"] = Tree(desired);
    status["disruptionsAllowed"] = Tree(allowed);
    if (still.as_map()->empty())
      status.erase("disruptedPods");
    else
      status["disruptedPods"] = still;
    return now;
  }));
}

Answered<void> take_from_budgets(Registry& registry, const Object& pod) {
  std::vector<ObjectPtr> own;
  for (const auto& [key, budget] : registry.store().objects(budgets_kind()))
    if (key.ns == pod.key.ns && label_selector_matches(budget->tree().at("spec.selector"), pod.labels)) own.push_back(budget);
  if (own.empty()) return {};
  if (own.size() > 1)
    return refuse(internal("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."));
  const auto budget = own.front()->tree();
  const auto name = own.front()->key.name;
  if (budget.integer_at("status.observedGeneration").value_or(0) < budget.integer_at("metadata.generation").value_or(0)) {
    constexpr int kRetrySeconds = 10;
    return refuse(too_many(fmt::format("The disruption budget {} is still being processed by the server.", name), kRetrySeconds));
  }
  const auto allowed = bounded_at(budget, "status.disruptionsAllowed").value_or(0);
  const auto healthy = budget.integer_at("status.currentHealthy").value_or(0);
  const auto desired = budget.integer_at("status.desiredHealthy").value_or(0);
  if (!has_true_condition(pod.tree(), "Ready")) {
    const bool always = budget.text_at("spec.unhealthyPodEvictionPolicy") == "AlwaysAllow";
    if (always || (healthy >= desired && desired > 0)) return {};
  }
  if (allowed <= 0)
    return refuse(too_many(
        fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", name, desired, healthy), std::nullopt));
  const auto noted = registry.change(budgets_kind(), own.front()->key, Part::kStatus, [&](Tree now) -> Answered<Tree> {
    now["status"]["disruptionsAllowed"] = Tree(allowed - 1);
    now["status"]["disruptedPods"][pod.key.name] = Tree(registry.outside().time_text());
    return now;
  });
  if (!noted) return refuse(noted.error());
  return {};
}

}  // namespace muster::sim
