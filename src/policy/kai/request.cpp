#include "policy/kai/request.h"

#include <charconv>
#include <cmath>

#include "engine/containers_total.h"
#include "engine/host_ports.h"

namespace muster::kai {
namespace {

constexpr std::string_view kGpuResource = "nvidia.com/gpu";
constexpr std::string_view kMigPrefix = "nvidia.com/mig-";

template <class T>
bool parse_whole(std::string_view text, T& out) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return !text.empty() && error == std::errc() && stop == text.data() + text.size();
}

// Annotations that ask for a part of a device.
void read_sharing(const Pod& pod, GpuRequest& gpu) {
  const auto& notes = pod.meta.annotations;
  std::int64_t memory = 0;
  if (parse_whole(notes.get("gpu-memory"), memory) && memory > 0) {
    gpu = {GpuKind::kMemory, 1, 0, memory, 0};
  } else {
    memory = 0;
  }
  double fraction = 0;
  const bool has_fraction = parse_whole(notes.get("gpu-fraction"), fraction) && fraction > 0 && fraction <= 1;
  if (has_fraction) gpu = {GpuKind::kFraction, 1, fraction, 0, 0};
  std::int64_t devices = 0;
  if (gpu.shared() && parse_whole(notes.get("gpu-fraction-num-devices"), devices))
    gpu = {gpu.kind, devices, has_fraction ? fraction : 0, memory, 0};
}

}  // namespace

double gpus_of(double portion, std::int64_t devices) {
  constexpr double kHundredths = 100;
  return static_cast<double>(static_cast<std::int64_t>(std::round(portion * kHundredths)) * devices) / kHundredths;
}

double GpuRequest::gpus() const { return gpus_of(portion, devices); }

bool is_mig(std::string_view resource) { return resource.starts_with(kMigPrefix); }
bool is_gpu(std::string_view resource) { return resource.ends_with("gpu"); }

std::int64_t mig_gpus(std::string_view resource) {
  if (!is_mig(resource)) return 0;
  resource.remove_prefix(kMigPrefix.size());
  const auto mark = resource.find("g.");
  if (mark == std::string_view::npos || !resource.ends_with("gb")) return 0;
  std::int64_t gpus = 0;
  std::int64_t gigabytes = 0;
  const auto memory = resource.substr(mark + 2, resource.size() - mark - 4);
  return parse_whole(resource.substr(0, mark), gpus) && parse_whole(memory, gigabytes) ? gpus : 0;
}

Amounts amounts_of(const ResourceList& list, Books& books) {
  Amounts amounts;
  for (const auto& [name, quantity] : list) {
    if (name == "cpu")
      amounts.add(kCpu, quantity.milli());
    else if (name == "memory")
      amounts.add(kMemory, quantity.units());
    else if (name == "pods")
      amounts.add(kPodCount, quantity.units());
    else if (is_gpu(name))
      amounts.add(books.resource(kGpuResource), quantity.units() * kWholeGpu);
    else if (name == "ephemeral-storage" || name == "storage" || is_mig(name))
      amounts.add(books.resource(name), quantity.units());
    else
      amounts.add(books.resource(name), quantity.milli());
  }
  return amounts;
}

std::int64_t books_per_unit(std::string_view resource) {
  const bool is_whole = resource == "memory" || resource == "pods" || resource == "ephemeral-storage" || resource == "storage";
  return is_whole || is_mig(resource) ? 1 : 1000;
}

Request request_of(const Pod& pod, Books& books) {
  Request request;
  auto& shape = request.shape;
  const auto gpu = books.resource(kGpuResource);
  shape.request = containers_total(pod, [&](const Container& container) { return amounts_of(container.requests, books); });
  for (const auto& [id, amount] : amounts_of(pod.spec.overhead, books))
    if (id != gpu) shape.request.add(id, amount);
  shape.request.set(kPodCount, 1);

  const auto whole = shape.request.get(gpu) / kWholeGpu;
  if (whole > 0) request.gpu = {GpuKind::kRegular, whole, 1, 0, 0, 0};
  read_sharing(pod, request.gpu);
  for (const auto& [id, amount] : shape.request)
    if (const auto& name = books.resource_name(id); is_mig(name) && amount > 0) {
      request.gpu.kind = GpuKind::kMig;
      request.gpu.mig_quota += static_cast<double>(mig_gpus(name) * amount);
    }
  if (request.gpu.shared()) shape.request.set(gpu, 0);

  shape.host_ports = host_ports_of(pod);
  shape.node_selector = pod.spec.node_selector;
  shape.node_required = pod.spec.affinity.node_required;
  shape.node_preferred = pod.spec.affinity.node_preferred;
  shape.tolerations = pod.spec.tolerations;
  for (const auto& volume : pod.spec.volumes) {
    if (!volume.claim.empty()) shape.claims.push_back(pod.meta.ns + "/" + volume.claim);
    if (volume.ephemeral) shape.claims.push_back(pod.meta.ns + "/" + pod.meta.name + "-" + volume.name);
  }
  return request;
}

Quantities quantities_of(const Amounts& request, double gpus) {
  Quantities quantities;
  quantities[Share::kCpu] = static_cast<double>(request.get(kCpu));
  quantities[Share::kMemory] = static_cast<double>(request.get(kMemory));
  quantities[Share::kGpu] = gpus;
  return quantities;
}

}  // namespace muster::kai
