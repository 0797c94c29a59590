#include "sim/controllers/pods.h"

#include <algorithm>
#include <tuple>

#include "sim/conditions.h"
#include "sim/fields.h"

namespace muster::sim {
namespace {

constexpr std::int64_t kCreateAgainSeconds = 10;

// Less goes first.
auto deletion_rank(const Object& pod) {
  const bool has_node = !pod.fields.get("spec.nodeName").empty();
  const bool has_started = phase_of(pod) == "Running";
  const auto made = time_at(pod.tree(), "metadata.creationTimestamp").value_or(0);
  return std::tuple(has_node, has_started, is_ready_pod(pod), -made, pod.key);
}

}  // namespace

const Kind& pod_kind() {
  static const Kind& kind = kind_named("", "pods");
  return kind;
}

std::string_view phase_of(const Object& pod) { return pod.fields.get("status.phase"); }

bool has_ended(const Object& pod) { return phase_of(pod) == "Succeeded" || phase_of(pod) == "Failed"; }

bool is_active(const Object& pod) { return !pod.is_deleting && !has_ended(pod); }

bool is_ready_pod(const Object& pod) { return phase_of(pod) == "Running" && has_true_condition(pod.tree(), "Ready"); }

ObjectPtr create_pod(Workbench& bench, const Kind& kind, const Object& owner, Tree pod) {
  if (bench.is_held(owner.uid)) {
    bench.look_again(kind, owner.key, bench.held_until(owner.uid));
    return nullptr;
  }
  auto made = bench.registry().create(pod_kind(), owner.key.ns, std::move(pod));
  if (made) {
    bench.note_made(owner.uid);
    return *made;
  }
  bench.warn(kind, owner, "FailedCreate", "Error creating: " + made.error().message);
  bench.hold(owner.uid, bench.now() + kCreateAgainSeconds);
  bench.look_again(kind, owner.key, bench.now() + kCreateAgainSeconds);
  return nullptr;
}

void delete_pod(Workbench& bench, const Object& pod) {
  static_cast<void>(bench.registry().remove(pod_kind(), pod.key, {.uid = pod.uid}));  // gone already is as well
}

void order_for_deletion(std::vector<ObjectPtr>& pods) {
  std::vector<std::pair<decltype(deletion_rank(*pods.front())), ObjectPtr>> ranked;
  for (const auto& pod : pods) ranked.emplace_back(deletion_rank(*pod), pod);
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(ranked.begin(), ranked.end(), pods.begin(), [](const auto& one) { return one.second; });
}

}  // namespace muster::sim
