#include "policy/volcano/devices/device_request.h"

#include <algorithm>
#include <array>

namespace muster::volcano {
namespace {

// Annotations by which a pod chooses among cards.
constexpr std::array<std::string_view, 7> kChoosing = {
    "huawei.com/vnpu-mode",        "nvidia.com/nouse-gputype", "nvidia.com/use-gputype",         "volcano.sh/vgpu-nouse-gpuuuid",
    "volcano.sh/vgpu-use-gpuuuid", "volcano.sh/vgpu-mode",     "volcano.sh/vgpu-podgroup-policy"};

// Annotations that a device plugin or a scheduler left.
bool is_note(std::string_view key) {
  return key == "volcano.sh/gpu-index" || key == "volcano.sh/vgpu-ids-new" || key == "volcano.sh/bind-phase" ||
         key.starts_with("huawei.com/") || key.starts_with("hami.io/");
}

ResourceList with_domain(const ResourceList& list) {
  ResourceList out;
  for (const auto& [name, amount] : list)
    if (name.find('/') != std::string::npos) out.emplace(name, amount);
  return out;
}

std::vector<DeviceRequest::Container> containers_of(const std::vector<Container>& containers) {
  std::vector<DeviceRequest::Container> out;
  for (const auto& container : containers) out.push_back({with_domain(container.limits), with_domain(container.requests)});
  return out;
}

std::string group_of(const Pod& pod) {
  auto name = pod.meta.annotations.get("scheduling.k8s.io/group-name");
  if (name.empty()) name = pod.meta.annotations.get("scheduling.volcano.sh/group-name");
  return name.empty() ? std::string() : pod.meta.ns + "/" + std::string(name);
}

// A whole number; one with a fraction counts as none.
std::int32_t whole_amount(const Quantity& quantity) {
  const auto milli = quantity.milli();
  return milli % 1000 == 0 ? static_cast<std::int32_t>(quantity.units()) : 0;
}

const Quantity* find(const ResourceList& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() ? nullptr : &found->second;
}

const Quantity* limit_or_request(const DeviceRequest::Container& container, std::string_view name) {
  if (name.empty()) return nullptr;
  const auto* limit = find(container.limits, name);
  return limit != nullptr ? limit : find(container.requests, name);
}

void append(std::string& key, std::string_view text) { key.append(std::to_string(text.size())).append(":").append(text); }

void append(std::string& key, const ResourceList& list) {
  key.append(std::to_string(list.size())).append("[");
  for (const auto& [name, amount] : list) append(key, name), append(key, amount.text());
}

}  // namespace

bool DeviceRequest::limits(std::string_view resource) const {
  return std::any_of(containers.begin(), containers.end(),
                     [&](const Container& container) { return container.limits.contains(resource); });
}

std::string DeviceRequest::key() const {
  std::string key;
  for (const auto* list : {&containers, &init_containers}) {
    key.append(std::to_string(list->size())).append("{");
    for (const auto& container : *list) append(key, container.limits), append(key, container.requests);
  }
  for (const auto& [name, value] : annotations) append(key, name), append(key, value);
  append(key, group);
  return key;
}

DeviceRequest device_request_of(const Pod& pod) {
  DeviceRequest request;
  request.containers = containers_of(pod.spec.containers);
  request.init_containers = containers_of(pod.spec.init_containers);
  for (const auto key : kChoosing)
    if (const auto* value = pod.meta.annotations.find(key)) request.annotations.set(std::string(key), *value);
  if (request.annotations.get("volcano.sh/vgpu-podgroup-policy") == "spread") request.group = group_of(pod);
  return request;
}

DeviceNotes device_notes_of(const Pod& pod) {
  DeviceNotes notes;
  for (const auto& [key, value] : pod.meta.annotations)
    if (is_note(key)) notes.annotations.set(key, value);
  notes.group = group_of(pod);
  return notes;
}

bool concerns_devices(const Pod& pod) {
  const auto has_limit = [](const Container& container) {
    return std::any_of(container.limits.begin(), container.limits.end(),
                       [](const auto& limit) { return limit.first.find('/') != std::string::npos; });
  };
  const auto& spec = pod.spec;
  return std::any_of(spec.containers.begin(), spec.containers.end(), has_limit) ||
         std::any_of(spec.init_containers.begin(), spec.init_containers.end(), has_limit) ||
         std::any_of(pod.meta.annotations.begin(), pod.meta.annotations.end(),
                     [](const auto& note) { return is_note(note.first); });
}

std::vector<CardRequest> card_requests(const DeviceRequest& request, const CardResources& names) {
  std::vector<CardRequest> out;
  for (const auto& container : request.containers) {
    const auto* count = find(container.limits, names.count);
    if (count == nullptr && find(container.limits, names.memory) == nullptr) continue;
    CardRequest card;
    card.count = count == nullptr ? 1 : whole_amount(*count);
    if (const auto* memory = limit_or_request(container, names.memory)) card.memory = whole_amount(*memory);
    card.percentage = CardRequest::kByMemory;
    if (const auto* percentage = limit_or_request(container, names.percentage)) {
      if (const auto value = whole_amount(*percentage); value != 0 || percentage->is_zero()) card.percentage = value;
    }
    if (card.percentage == CardRequest::kByMemory && card.memory == 0) card.percentage = 100;
    if (const auto* cores = limit_or_request(container, names.cores)) card.cores = whole_amount(*cores);
    out.push_back(card);
  }
  return out;
}

}  // namespace muster::volcano
