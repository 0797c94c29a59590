#include "policy/volcano/devices/device_books.h"

#include <algorithm>

#include "policy/volcano/devices/gpu_share.h"
#include "policy/volcano/devices/hami_npu.h"
#include "policy/volcano/devices/mindcluster_npu.h"
#include "policy/volcano/devices/vgpu.h"

namespace muster::volcano {
namespace {

constexpr std::int64_t kLockSeconds = 5 * 60;
constexpr std::string_view kNoSuchDevice = "node(s) didn't have the requested devices";

Node facts_of(const Node& node) {
  Node facts;
  facts.meta.name = node.meta.name;
  facts.meta.labels = node.meta.labels;
  facts.meta.annotations = node.meta.annotations;
  facts.allocatable = node.allocatable;
  facts.capacity = node.capacity;
  return facts;
}

StringMap without_key(const StringMap& map, const std::string& key) {
  std::vector<std::pair<std::string, std::string>> items;
  for (const auto& item : map)
    if (item.first != key) items.push_back(item);
  return StringMap(std::move(items));
}

bool holds(PodState state) { return state != PodState::kReleasing && state != PodState::kPipelined; }

}  // namespace

DeviceBooks::DeviceBooks(DeviceSettings settings, Books& books)
    : settings_(std::move(settings)),
      books_(books),
      mindcluster_(settings_.cluster_info ? MindClusterInfo::Source::kClusterWide : MindClusterInfo::Source::kPerNode) {
  make_families();
}

// -------------------------------------------------------------------------------------------------------- objects

void DeviceBooks::make_families() {
  families_.clear();
  if (settings_.gpu_share || settings_.gpu_number) families_.push_back(make_gpu_share(settings_));
  if (settings_.vgpu) families_.push_back(make_vgpu(settings_, config_.vgpu));
  if (settings_.mindcluster_npu) families_.push_back(make_mindcluster_npu(books_, mindcluster_, settings_.own_chip_list));
  if (settings_.hami_npu)
    for (const auto& npu : config_.npus) families_.push_back(make_hami_npu(npu, config_.npu_core));
}

void DeviceBooks::set_config(DeviceConfig config) {
  for (auto& entry : nodes_)
    if (entry) entry->devices.clear(), entry->made = false;
  families_.clear();
  config_ = std::move(config);
  make_families();
  for (std::size_t i = 0; i < requests_.size(); ++i) wanting_[i] = families_for(*requests_[i]);
  for (const auto id : IdRange<NodeId>(nodes_.size())) mark(id);
}

void DeviceBooks::take_config_map(const ConfigMap& map) {
  if (!settings_.mindcluster_npu) return;
  for (const auto& name : mindcluster_.take(map)) mark(books_.find_node(name));
}

void DeviceBooks::forget_config_map(const std::string& ns, const std::string& name) {
  for (const auto& node : mindcluster_.forget(ns, name)) mark(books_.find_node(node));
}

DeviceBooks::FamilyList DeviceBooks::families_for(const DeviceRequest& request) const {
  FamilyList wanting;
  for (std::uint32_t f = 0; f < families_.size(); ++f)
    if (families_[f]->wants(request)) wanting.push_back(f);
  return wanting;
}

void DeviceBooks::take_node(NodeId id, const Node& node) {
  if (nodes_.size() <= id.index()) nodes_.resize(id.index() + 1);
  auto& entry = nodes_[id];
  if (!entry) entry = std::make_unique<NodeEntry>();
  entry->facts = facts_of(node);
  entry->made = false;
  mark(id);
  looked_at_ = std::min<std::size_t>(looked_at_, id.index());
}

void DeviceBooks::forget_node(NodeId id) {
  if (entry_of(id) == nullptr) return;
  nodes_[id].reset();
  std::erase(stale_, id);
}

void DeviceBooks::move_node(NodeId from, NodeId to) {
  if (nodes_.size() <= to.index()) nodes_.resize(to.index() + 1);
  if (!nodes_.contains(from)) return nodes_[to].reset();
  nodes_[to] = std::move(nodes_[from]);
  std::replace(stale_.begin(), stale_.end(), from, to);
  looked_at_ = std::min<std::size_t>(looked_at_, to.index());
}

void DeviceBooks::take_pod(PodId id, const Pod& pod) {
  if (!concerns_devices(pod)) return;
  auto entry = std::make_unique<PodEntry>();
  auto request = device_request_of(pod);
  const auto [known, added] = request_keys_.try_emplace(request.key(), static_cast<std::uint32_t>(requests_.size()));
  entry->request = known->second;
  if (added) {
    wanting_.push_back(families_for(request));
    requests_.push_back(std::make_unique<const DeviceRequest>(std::move(request)));
  }
  entry->notes = device_notes_of(pod);
  pods_[id] = std::move(entry);
}

void DeviceBooks::forget_pod(PodId id) {
  pods_.erase(id);
  placed_.erase(id);
}

void DeviceBooks::pod_runs(PodId pod) {
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return;
  auto& entry = *found->second;
  if (entry.carried)
    for (const auto& [key, value] : *entry.carried) entry.notes.annotations.set(key, value);
  entry.carried.reset();
  mark(books_.pod(pod).node);
}

bool DeviceBooks::find_managed() {
  const auto before = managed_.size();
  for (; looked_at_ < nodes_.size(); ++looked_at_) {
    auto* entry = nodes_[NodeId(looked_at_)].get();
    if (entry == nullptr) continue;
    make(*entry);
    for (std::size_t f = 0; f < families_.size(); ++f) {
      if (!entry->devices[f]) continue;
      for (auto& name : families_[f]->managed_resources())
        if (std::find(managed_.begin(), managed_.end(), name) == managed_.end()) managed_.push_back(std::move(name));
    }
  }
  return managed_.size() != before;
}

void DeviceBooks::strip(ResourceList& list) const {
  for (const auto& name : managed_) list.erase(name);
}

void DeviceBooks::strip(Pod& pod) const {
  for (auto* containers : {&pod.spec.containers, &pod.spec.init_containers})
    for (auto& container : *containers) strip(container.requests), strip(container.limits);
  for (auto& resized : pod.status.resized) strip(resized.requests), strip(resized.allocated);
  if (pod.spec.pod_requests) strip(*pod.spec.pod_requests);
  strip(pod.spec.overhead);
}

// -------------------------------------------------------------------------------------------------- state of nodes

void DeviceBooks::mark(NodeId node) {
  auto* entry = entry_of(node);
  if (entry == nullptr || entry->stale) return;
  entry->stale = true;
  stale_.push_back(node);
}

void DeviceBooks::make(NodeEntry& entry) {
  if (entry.made) return;
  entry.made = true;
  entry.devices.clear();
  for (const auto& family : families_) entry.devices.push_back(family->on(entry.facts));
}

void DeviceBooks::renew(NodeId node) {
  auto& entry = *nodes_[node];
  entry.stale = false;
  make(entry);
  for (auto& devices : entry.devices)
    if (devices) devices->clear();
  for (const auto pod : books_.pods_on(node)) {
    const auto found = pods_.find(pod);
    if (found == pods_.end()) continue;
    const auto ask = ask_for(pod, *found->second);
    const auto state = books_.pod(pod).accounted_as;
    auto notes = found->second->notes;
    // A pod that is being bound has its devices, though its object does not say so yet.
    if (found->second->carried && !cycle_.behaviour.keeps(Quirk::kForgetsAssumedDevices))
      for (const auto& [key, value] : *found->second->carried) notes.annotations.set(key, value);
    for (auto& devices : entry.devices) {
      if (!devices) continue;
      if (holds(state)) devices->hold(ask, notes, cycle_);
      if (state == PodState::kReleasing) devices->linger(ask);
    }
  }
  for (auto& devices : entry.devices)
    if (devices) devices->complete();
  books_.touch_node(node);
}

void DeviceBooks::begin_cycle(DeviceCycle cycle) {
  cycle.number = cycle_.number + 1;
  cycle_ = std::move(cycle);
  cycle_.policy = settings_.policy;
  placed_.clear();
  locks_.clear();
  for (const auto node : std::exchange(stale_, {})) renew(node);
}

// -------------------------------------------------------------------------------------------------------- questions

const DeviceBooks::FamilyList& DeviceBooks::wanting(PodId pod) const {
  static const FamilyList kNone;
  const auto found = pods_.find(pod);
  return found == pods_.end() ? kNone : wanting_[found->second->request];
}

DeviceAsk DeviceBooks::ask_for(PodId pod, const PodEntry& entry) const {
  const auto& record = books_.pod(pod);
  return {pod, *requests_[entry.request], entry.notes, books_.label_set(record.labels).labels, record.name};
}

Dependence DeviceBooks::filter_dependence(PodId pod) const {
  const auto& wanting = this->wanting(pod);
  if (wanting.empty()) return Dependence::kNothing;
  const auto ask = ask_for(pod, *pods_.find(pod)->second);
  for (const auto f : wanting)
    if (families_[f]->filter_has_history(ask.request, ask.labels)) return Dependence::kHistory;
  return Dependence::kNode;
}

Dependence DeviceBooks::score_dependence(PodId pod) const {
  auto widest = Dependence::kNothing;
  for (const auto f : wanting(pod)) {
    const bool together = families_[f]->scores_together() || families_[f]->score_has_history(cycle_);
    if (together)
      widest = Dependence::kCandidates;
    else if (families_[f]->scores(cycle_))
      widest = std::max(widest, Dependence::kNode);
  }
  return widest;
}

std::uint64_t DeviceBooks::class_key(PodId pod) const {
  const auto& wanting = this->wanting(pod);
  if (wanting.empty()) return 0;
  std::uint64_t key = std::uint64_t{pods_.find(pod)->second->request + 1} << 32;
  for (const auto f : wanting)
    if (families_[f]->reads_labels()) return key | (books_.pod(pod).labels.index() + 1);
  return key;
}

void DeviceBooks::filter(PodId pod, NodeId node, FitTable& fits, Verdict& verdict) const {
  const auto& wanting = this->wanting(pod);
  const auto* entry = entry_of(node);
  if (wanting.empty() || entry == nullptr) return;
  const auto ask = ask_for(pod, *pods_.find(pod)->second);
  for (const auto f : wanting) {
    DeviceAnswer answer;
    if (entry->devices[f])
      answer = entry->devices[f]->filter(ask, cycle_);
    else if (!families_[f]->managed_resources().empty() && !cycle_.behaviour.keeps(Quirk::kNpuAnywhere))
      answer = {FitCode::kUnresolvable, kNoSuchDevice};
    if (answer.code == FitCode::kSuccess) continue;
    verdict.push_back(fits.status(answer.code, answer.reason));
    return;
  }
}

double DeviceBooks::score(PodId pod, NodeId node) {
  const auto& wanting = this->wanting(pod);
  auto* entry = entry_of(node);
  if (wanting.empty() || entry == nullptr) return 0;
  const auto ask = ask_for(pod, *pods_.find(pod)->second);
  double sum = 0;
  for (const auto f : wanting)
    if (entry->devices[f]) sum += entry->devices[f]->score(ask, cycle_);
  return sum;
}

void DeviceBooks::add_scores_together(PodId pod, std::span<const NodeId> nodes, double weight, std::span<double> totals) {
  for (const auto f : wanting(pod)) {
    if (!families_[f]->scores_together()) continue;
    std::vector<NodeDevices*> devices;
    for (const auto node : nodes)
      if (auto* entry = entry_of(node); entry != nullptr && entry->devices[f]) devices.push_back(entry->devices[f].get());
    if (devices.size() != nodes.size()) continue;
    const auto scores = families_[f]->score_together(ask_for(pod, *pods_.find(pod)->second), devices);
    for (std::size_t i = 0; i < scores.size(); ++i) totals[i] += scores[i] * weight;
  }
}

// --------------------------------------------------------------------------------------------------------- effects

// A lock that is held for less than five minutes stands; an older one is taken over.
bool DeviceBooks::lock(PodId pod, NodeId node, std::string_view name) {
  if (!settings_.node_lock || name.empty()) return true;
  auto& annotations = nodes_[node]->facts.meta.annotations;
  std::optional<std::string> before;
  if (const auto* held = annotations.find(name)) {
    before = *held;
    const auto since = Timestamp::parse_rfc3339(*held);
    if (!since || cycle_.now.seconds - since->seconds <= kLockSeconds) return false;
  }
  annotations.set(std::string(name), cycle_.now.rfc3339());
  locks_.push_back({pod, {node, std::string(name), cycle_.now.rfc3339()}, std::move(before)});
  return true;
}

void DeviceBooks::unlock(PodId pod) {
  if (locks_.empty() || cycle_.behaviour.keeps(Quirk::kLocksStay)) return;
  std::erase_if(locks_, [&](const Lock& lock) {
    if (lock.pod != pod) return false;
    auto& annotations = nodes_[lock.annotation.node]->facts.meta.annotations;
    if (lock.before)
      annotations.set(lock.annotation.key, *lock.before);
    else
      annotations = without_key(annotations, lock.annotation.key);
    return true;
  });
}

std::vector<NodeAnnotation> DeviceBooks::take_locks() {
  std::vector<NodeAnnotation> taken;
  for (const auto& lock : locks_)
    if (cycle_.behaviour.keeps(Quirk::kLocksStay) || books_.pod(lock.pod).state == PodState::kBinding)
      taken.push_back(lock.annotation);
  return taken;
}

bool DeviceBooks::allocate(PodId pod, NodeId node, PodState state) {
  const auto found = pods_.find(pod);
  auto* entry = entry_of(node);
  if (found == pods_.end() || entry == nullptr || wanting_[found->second->request].empty()) return true;
  auto& own = *found->second;
  const auto ask = ask_for(pod, own);
  const bool held = holds(state);
  placed_[pod] = {node, held};
  mark(node);
  if (held)
    for (auto& devices : entry->devices)
      if (devices) devices->hold(ask, own.notes, cycle_);
  const bool stays = state != PodState::kAllocated && state != PodState::kPipelined;
  if (stays && !cycle_.behaviour.keeps(Quirk::kRegainsDevicesTwice)) return true;
  StringMap annotations;
  for (const auto f : wanting_[own.request]) {
    if (!entry->devices[f]) continue;
    const auto name = families_[f]->lock_name(ask.request);
    if (!families_[f]->locks_last() && !lock(pod, node, name)) return false;
    const auto given = entry->devices[f]->allocate(ask, cycle_);
    if (!given || (families_[f]->locks_last() && !lock(pod, node, name))) return false;
    for (const auto& [key, value] : *given) annotations.set(key, value);
  }
  if (!annotations.empty()) own.carried = std::make_shared<const StringMap>(std::move(annotations));
  return true;
}

void DeviceBooks::release(PodId pod, NodeId node) {
  const auto found = pods_.find(pod);
  if (found == pods_.end() || wanting_[found->second->request].empty()) return;
  bool held = true;  // a pod that was there before the cycle
  if (const auto placed = placed_.find(pod); placed != placed_.end()) {
    node = placed->second.node;
    held = placed->second.held;
    placed_.erase(placed);
    unlock(pod);
  }
  found->second->carried.reset();
  auto* entry = entry_of(node);
  if (entry == nullptr) return;
  mark(node);
  const auto ask = ask_for(pod, *found->second);
  const auto& wanting = wanting_[found->second->request];
  for (std::uint32_t f = 0; f < families_.size(); ++f) {
    auto& devices = entry->devices[f];
    if (!devices) continue;
    if (held) devices->drop(ask);
    if (std::binary_search(wanting.begin(), wanting.end(), f)) devices->release(ask, cycle_);
  }
}

std::vector<CardUse> DeviceBooks::cards_on(NodeId node) const {
  std::vector<CardUse> all;
  const auto* entry = entry_of(node);
  if (entry == nullptr) return all;
  for (const auto& devices : entry->devices)
    if (devices)
      for (auto& card : devices->cards()) all.push_back(std::move(card));
  return all;
}

std::shared_ptr<const StringMap> DeviceBooks::bind_annotations(PodId pod) const {
  const auto found = pods_.find(pod);
  return found == pods_.end() ? nullptr : found->second->carried;
}

std::vector<std::pair<std::string, std::int64_t>> DeviceBooks::queue_amounts(PodId pod, const PodEntry& entry) const {
  const auto* node = entry_of(books_.pod(pod).node);
  if (entry.notes.annotations.empty() || node == nullptr) return {};
  std::vector<std::pair<std::string, std::int64_t>> amounts;
  for (const auto f : wanting_[entry.request])
    if (f < node->devices.size() && node->devices[f])
      for (auto& amount : node->devices[f]->queue_amounts(entry.notes)) amounts.push_back(std::move(amount));
  return amounts;
}

}  // namespace muster::volcano
