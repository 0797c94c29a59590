#include "policy/volcano/numa/numa_books.h"

#include <algorithm>
#include <utility>

namespace muster::volcano {

void NumaBooks::set(const Numatopology& topology) {
  auto& entry = entries_[topology.meta.name];
  if (!entry) entry = std::make_unique<Entry>();
  auto node = numa_node_of(topology);
  entry->described = node.has_value();
  entry->node = node ? std::move(*node) : NumaNode();
  mark(topology.meta.name, *entry);
}

// What is kept for pods that are on their way stays: the description may come back.
void NumaBooks::remove(const std::string& name) {
  const auto known = entries_.find(name);
  if (known == entries_.end()) return;
  known->second->described = false;
  known->second->node = NumaNode();
  mark(name, *known->second);
}

void NumaBooks::renumber() {
  by_node_.clear();
  for (auto& [name, entry] : entries_) mark(name, *entry);
}

void NumaBooks::mark(const std::string& name, Entry& entry) {
  if (!std::exchange(entry.changed, true)) changed_.push_back(name);
}

void NumaBooks::take_pod(PodId id, const Pod& pod) {
  auto request = numa_request_of(pod);
  if (!request.guaranteed) return;
  const auto [known, added] = request_keys_.try_emplace(request.key(), static_cast<std::uint32_t>(requests_.size()));
  if (added) requests_.push_back(std::make_unique<const NumaRequest>(std::move(request)));
  requests_of_[id] = known->second;
}

void NumaBooks::pod_gone(PodId id) {
  const auto& record = books_.pod(id);
  if (!record.node) return;
  const auto known = entries_.find(books_.node(record.node).name);  // nodes may have other ids than when the cycle began
  if (known == entries_.end()) return;
  auto& on = *known->second;
  const auto& ns = books_.symbols().text(record.ns);
  const auto freed =
      std::erase_if(on.kept, [&](const Kept& kept) { return kept.uid == record.uid && kept.name == record.name && kept.ns == ns; });
  if (freed != 0) mark(known->first, on);
}

bool NumaBooks::has_its_cpus(const NumaNode& node, const Kept& pod) {
  return std::any_of(node.allocations.begin(), node.allocations.end(), [&](const Numatopology::Allocation& allocation) {
    return allocation.uid == pod.uid || (allocation.name == pod.name && allocation.ns == pod.ns);
  });
}

// All or none: the kubelet may have chosen other CPUs than were kept, so the node's account only holds once it is complete.
void NumaBooks::update(Entry& entry) {
  if (std::all_of(entry.kept.begin(), entry.kept.end(), [&](const Kept& kept) { return has_its_cpus(entry.node, kept); }))
    entry.kept.clear();
  entry.available = entry.node.allocatable;
  for (const auto& kept : entry.kept) entry.available.subtract(kept.cpus);
}

void NumaBooks::begin_cycle() {
  by_node_.resize(books_.node_count());
  for (const auto& name : std::exchange(changed_, {})) {
    const auto id = books_.find_node(name);
    auto& entry = *entries_.at(name);
    if (!entry.described && entry.kept.empty()) {
      if (id) by_node_[id] = nullptr, books_.touch_node(id);
      entries_.erase(name);
      continue;
    }
    if (!id) {
      changed_.push_back(name);
      continue;
    }
    entry.changed = false;
    by_node_[id] = &entry;
    update(entry);
    books_.touch_node(id);
  }
}

const NumaRequest* NumaBooks::request(PodId pod) const {
  const auto found = requests_of_.find(pod);
  return found == requests_of_.end() ? nullptr : requests_[found->second].get();
}

std::uint64_t NumaBooks::key(PodId pod) const {
  const auto found = requests_of_.find(pod);
  return found == requests_of_.end() ? 0 : found->second + 1;
}

const NumaNode* NumaBooks::node(NodeId id) const {
  const auto* known = entry(id);
  return known != nullptr && known->described ? &known->node : nullptr;
}

const CpuSet& NumaBooks::available(NodeId id) const {
  static const CpuSet kNone;
  const auto* known = entry(id);
  return known == nullptr ? kNone : known->available;
}

void NumaBooks::keep(NodeId node, PodId pod, CpuSet cpus) {
  auto* on = entry(node);
  if (on == nullptr) return;
  const auto& record = books_.pod(pod);
  Kept kept{record.uid, books_.symbols().text(record.ns), record.name, std::move(cpus)};
  const auto known = std::find_if(on->kept.begin(), on->kept.end(), [&](const Kept& other) {
    return other.uid == kept.uid && other.name == kept.name && other.ns == kept.ns;
  });
  if (known == on->kept.end())
    on->kept.push_back(std::move(kept));
  else
    *known = std::move(kept);
  mark(books_.node(node).name, *on);
}

}  // namespace muster::volcano
