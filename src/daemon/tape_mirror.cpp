#include "daemon/tape_mirror.h"

#include <algorithm>

#include "base/assert.h"
#include "codec/kinds.h"
#include "daemon/gone_objects.h"

namespace muster::daemon::tape {
namespace {

constexpr const char* kOrderVersion = "scheduling.run.ai/v1alpha2";

std::string key_text(std::size_t kind, const std::string& ns, const std::string& name) {
  return std::to_string(kind) + " " + ns + "/" + name;
}

}  // namespace

std::string key_of_object(const Object& object) {
  return std::visit([&](const auto& known) { return key_text(object.index(), known.meta.ns, known.meta.name); }, object);
}

std::string key_of_gone(const kube::ResourceKind& kind, const kube::Identity& id) {
  return key_text(gone_object(kind, id).index(), id.ns, id.name);
}

std::string key_of_pod(const kube::Identity& pod) { return key_text(Object(Pod()).index(), pod.ns, pod.name); }

std::vector<Assumption> assumptions_of(const Effects& effects, const Timestamp& now) {
  std::vector<Assumption> out;
  for (const auto& bind : effects.binds)
    out.push_back({bind.pod, bind.order ? std::string() : bind.node, bind.order ? bind.order->body : std::string(), {}});
  for (const auto& evict : effects.evictions) out.push_back({evict.pod, {}, {}, now});
  return out;
}

void Mirror::begin(const Opening& opening) {
  *this = Mirror();
  config_ = opening.config;
  config_file_ = opening.config_file;
}

void Mirror::put(const std::string& key, std::string bytes) {
  const auto [slot, is_new] = objects_.try_emplace(key);
  if (is_new) slot->second.place = places_++;
  slot->second.bytes = std::move(bytes);
}

void Mirror::take(std::string_view entry, const std::string& key) {
  if (is_applied(entry)) return put(key, as_state(entry));
  auto read = read_entry(entry);
  MUSTER_ASSERT(read.has_value());  // we have written it ourselves
  if (std::holds_alternative<Removed>(*read)) {
    objects_.erase(key);
    orders_.erase(key);
  } else if (const auto* back = std::get_if<TakenBack>(&*read)) {
    take_back(back->pod);
  } else if (const auto* cycle = std::get_if<Cycle>(&*read)) {
    cycles_ = cycle->number;
  } else if (auto* config = std::get_if<ConfigGiven>(&*read); config != nullptr && config->good) {
    config_ = std::move(config->text);
    config_file_ = std::move(config->file);
  } else if (const auto* evictions = std::get_if<EvictionsSet>(&*read)) {
    may_evict_ = evictions->allowed;
  } else if (std::holds_alternative<UsageTold>(*read)) {
    usage_ = entry;
  } else if (std::holds_alternative<Settled>(*read)) {
    settled_ = true;
  }
}

// What was decided for the pod has not come true. Its object follows.
void Mirror::take_back(const kube::Identity& pod) {
  const auto key = key_of_pod(pod);
  objects_.erase(key);
  const auto order = orders_.find(key);
  if (order == orders_.end()) return;
  objects_.erase(order->second);
  orders_.erase(order);
}

void Mirror::assume(const Assumption& assumption) {
  const auto key = key_of_pod(assumption.pod);
  if (!assumption.order.empty()) {
    kube::ObjectDecoder decoder(*find_kind(kOrderVersion, "BindRequest"));
    auto request = decoder.decode_whole(assumption.order);
    if (!MUSTER_EXPECT(request.has_value())) return;
    const auto order = key_of_object(*request);
    orders_[key] = order;
    put(order, as_state(bytes_of(Applied{std::move(*request)})));
    return;
  }
  const auto slot = objects_.find(key);
  if (slot == objects_.end()) return;
  auto known = read_entry(slot->second.bytes);
  MUSTER_ASSERT(known.has_value());
  auto& pod = std::get<Pod>(std::get<StateObject>(*known).object);
  if (pod.meta.uid != assumption.pod.uid) return;
  if (!assumption.node.empty()) pod.spec.node_name = assumption.node;
  if (assumption.leaves && !pod.meta.deleted) pod.meta.deleted = assumption.leaves;
  slot->second.bytes = bytes_of(std::get<StateObject>(*known));
}

void Mirror::for_each_entry(const std::function<void(std::string_view)>& visit) const {
  std::vector<const Slot*> slots;
  slots.reserve(objects_.size());
  for (const auto& [key, slot] : objects_) slots.push_back(&slot);
  std::ranges::sort(slots, {}, &Slot::place);
  for (const auto* slot : slots) visit(slot->bytes);
  if (!may_evict_) visit(bytes_of(EvictionsSet{false}));
  if (!usage_.empty()) visit(usage_);
  visit(bytes_of(StateComplete{settled_}));
}

}  // namespace muster::daemon::tape
