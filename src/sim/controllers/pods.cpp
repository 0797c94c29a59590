#include "sim/controllers/pods.h"

#include <algorithm>
#include <tuple>

#include "sim/list_keys.h"

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
  if (bench.is_held(owner.uid)) return nullptr;
  auto made = bench.registry().create(pod_kind(), owner.key.ns, std::move(pod));
  if (made) return *made;
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

const Tree* status_condition(const Tree& object, std::string_view type) {
  const auto* conditions = object.at("status.conditions");
  if (conditions == nullptr || !conditions->is_list()) return nullptr;
  const auto& items = *conditions->as_list();
  const auto found = std::find_if(items.begin(), items.end(), [&](const Tree& one) { return one.text_at("type") == type; });
  return found == items.end() ? nullptr : &*found;
}

bool has_true_condition(const Tree& object, std::string_view type) {
  const auto* condition = status_condition(object, type);
  return condition != nullptr && condition->text_at("status") == "True";
}

void put_condition(Tree& object, std::string_view type, std::string_view status, std::string_view reason, std::string_view message,
                   const std::string& now) {
  auto& conditions = object["status"]["conditions"];
  if (!conditions.is_list()) conditions = Tree::list();
  auto* condition = item_with(*conditions.as_list(), "type", Tree(type));
  if (condition == nullptr) {
    conditions.push_back(Tree::map());
    condition = &conditions.as_list()->back();
    (*condition)["type"] = Tree(type);
  }
  if (condition->text_at("status") != status) (*condition)["lastTransitionTime"] = Tree(now);
  (*condition)["status"] = Tree(status);
  (*condition)["reason"] = Tree(reason);
  (*condition)["message"] = Tree(message);
}

std::optional<std::int64_t> time_at(const Tree& object, std::string_view path) {
  const auto time = Timestamp::parse_rfc3339(object.text_at(path));
  return time ? std::optional(time->seconds) : std::nullopt;
}

std::string short_hash(const std::string& text) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";  // that form no words
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  std::string out;
  constexpr int kLength = 10;
  for (int i = 0; i < kLength; ++i, hash /= kLetters.size()) out += kLetters[hash % kLetters.size()];
  return out;
}

}  // namespace muster::sim
