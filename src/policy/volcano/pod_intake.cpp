#include "policy/volcano/pod_intake.h"

#include <charconv>

#include "engine/containers_total.h"
#include "engine/host_ports.h"
#include "policy/volcano/annotation_keys.h"
#include "policy/volcano/resource.h"

namespace muster::volcano {
namespace {

// What scores assume of a container that names no request.
constexpr std::int64_t kDefaultMilliCpu = 100;
constexpr std::int64_t kDefaultMemory = 200LL * 1024 * 1024;

// Requests of a container: what its spec says, raised by what an in-place resize has already given it.
Amounts container_request(const Container& container, const Pod& pod, Books& books) {
  auto request = amounts_of(container.requests, books);
  for (const auto& resized : pod.status.resized) {
    if (resized.name != container.name) continue;
    auto given = amounts_of(resized.requests, books);
    raise_all(given, amounts_of(resized.allocated, books));
    if (pod.status.resize_infeasible) return given;
    raise_all(request, given);
  }
  return request;
}

template <class RequestOf>
Amounts pod_total(const Pod& pod, Books& books, RequestOf request_of) {
  auto sum = containers_total(pod, request_of);
  if (pod.spec.pod_requests)
    for (const auto& [id, amount] : amounts_of(*pod.spec.pod_requests, books))
      if (id == kCpu || id == kMemory || books.resource_name(id).rfind("hugepages-", 0) == 0) sum.set(id, amount);
  return sum;
}

bool asks_for_nothing(const Amounts& request) {
  for (const auto& [id, amount] : request)
    if (id != kPodCount && amount != 0) return false;
  return true;
}

void fill_requests(PodShape& shape, const Pod& pod, const Amounts& attachments, Books& books) {
  const auto overhead = amounts_of(pod.spec.overhead, books);
  shape.request = pod_total(pod, books, [&](const Container& c) { return container_request(c, pod, books); });
  shape.request.add(kPodCount, 1);
  shape.request += overhead;
  shape.request += attachments;
  shape.best_effort = asks_for_nothing(shape.request);

  const auto nonzero = pod_total(pod, books, [&](const Container& c) {
    auto request = container_request(c, pod, books);
    if (c.requests.find("cpu") == c.requests.end()) request.raise(kCpu, kDefaultMilliCpu);
    if (c.requests.find("memory") == c.requests.end()) request.raise(kMemory, kDefaultMemory);
    return request;
  });
  shape.nonzero_milli_cpu = nonzero.get(kCpu) + overhead.get(kCpu);
  shape.nonzero_memory = nonzero.get(kMemory) + overhead.get(kMemory);

  shape.limits = pod_total(pod, books, [&](const Container& c) { return amounts_of(c.limits, books); });
  for (const auto& [id, amount] : overhead)
    if (shape.limits.get(id) != 0) shape.limits.add(id, amount);
}

void fill_images(PodShape& shape, const Pod& pod) {
  for (const auto* list : {&pod.spec.init_containers, &pod.spec.containers})
    for (const auto& container : *list) {
      shape.images.push_back(container.image);
      ++shape.image_containers;
    }
  for (const auto& volume : pod.spec.volumes)
    if (!volume.image.empty()) shape.images.push_back(volume.image);
}

}  // namespace

PodShape shape_of(const Pod& pod, const Amounts& attachments, Books& books) {
  PodShape shape;
  fill_requests(shape, pod, attachments, books);
  fill_images(shape, pod);
  shape.host_ports = host_ports_of(pod);
  shape.node_selector = pod.spec.node_selector;
  shape.node_required = pod.spec.affinity.node_required;
  shape.node_preferred = pod.spec.affinity.node_preferred;
  shape.tolerations = pod.spec.tolerations;
  for (const auto& volume : pod.spec.volumes) {
    if (!volume.claim.empty()) shape.claims.push_back(pod.meta.ns + "/" + volume.claim);
    if (volume.ephemeral) shape.claims.push_back(pod.meta.ns + "/" + pod.meta.name + "-" + volume.name);
  }
  for (const auto& container : pod.spec.init_containers) shape.restartable_init |= container.restartable;
  return shape;
}

PodShape with_attachments(PodShape shape, const Amounts& before, const Amounts& now) {
  Amounts request;
  for (const auto& [id, amount] : shape.request)
    if (!before.has(id)) request.set(id, amount);  // nothing else counts volumes of storage drivers
  request += now;
  shape.request = request;
  shape.best_effort = asks_for_nothing(request);
  return shape;
}

PodTerms terms_of(const Pod& pod) {
  const auto& affinity = pod.spec.affinity;
  return PodTerms{affinity.pod_required, affinity.anti_required, affinity.pod_preferred, affinity.anti_preferred, pod.spec.spread};
}

std::string_view group_name_of(const Pod& pod) { return pod.meta.annotations.get("scheduling.k8s.io/group-name"); }

std::string_view role_name_of(const Pod& pod) {
  const auto annotated = pod.meta.annotations.get(kTaskSpecKey);
  return annotated.empty() ? pod.meta.labels.get(kTaskSpecKey) : annotated;
}

PodState state_of(const Pod& pod) {
  const auto& phase = pod.status.phase;
  if (phase == "Running") return pod.meta.deleted ? PodState::kReleasing : PodState::kRunning;
  if (phase == "Succeeded") return PodState::kSucceeded;
  if (phase == "Failed") return PodState::kFailed;
  if (phase != "Pending" && !phase.empty()) return PodState::kUnknown;
  if (pod.meta.deleted) return PodState::kReleasing;
  return pod.spec.node_name.empty() ? PodState::kPending : PodState::kBound;
}

std::optional<std::int64_t> name_index(const std::string& name) {
  const auto last = name.rfind('-');
  if (last == std::string::npos || last == 0 || name.find('-') == last) return std::nullopt;
  std::int64_t value = 0;
  const auto* begin = name.data() + last + 1;
  const auto* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || begin == end) return std::nullopt;
  return value;
}

bool parses_true(std::string_view text) {
  return text == "1" || text == "t" || text == "T" || text == "true" || text == "TRUE" || text == "True";
}

}  // namespace muster::volcano
