#pragma once

#include <cstdint>
#include <string>

#include "engine/books.h"
#include "model/objects.h"
#include "policy/kai/quantities.h"

namespace muster::kai {

// The engine's ids of KAI's resources: any name that ends in "gpu" is a GPU, counted in thousandths.
inline constexpr std::int64_t kWholeGpu = 1000;

enum class GpuKind : std::uint8_t {
  kRegular,   // whole devices, or none
  kFraction,  // part of one device or of several
  kMemory,    // the same, by memory
  kMig,       // instances of a partitioned device
};

// What a task asks of GPUs, beside what its shape asks of the node's ledgers.
struct GpuRequest {
  GpuKind kind = GpuKind::kRegular;
  std::int64_t devices = 0;  // each giving the portion
  double portion = 0;        // 1: the whole device
  std::int64_t memory = 0;   // MiB of each device; 0: not asked by memory
  double mig_quota = 0;      // GPUs that its MIG instances stand for
  std::int64_t claimed = 0;  // GPUs that it has by claims

  bool shared() const { return kind == GpuKind::kFraction || kind == GpuKind::kMemory; }
  // Whole and fractional devices; a portion counts in hundredths.
  double gpus() const;
  // The amount that counts against quotas.
  double quota() const { return mig_quota + on_node(); }
  // What it takes of a node's GPUs, unless it shares them with others.
  double on_node() const { return gpus() + static_cast<double>(claimed); }
  bool any() const { return on_node() > 0 || kind == GpuKind::kMemory || kind == GpuKind::kMig; }
  bool operator==(const GpuRequest&) const = default;
};

double gpus_of(double portion, std::int64_t devices);

// Amounts of a resource list in the books' units: thousandths of cores and of devices, bytes, thousandths of what else is counted.
Amounts amounts_of(const ResourceList& list, Books& books);

// How many of the books' units are one of the resource.
std::int64_t books_per_unit(std::string_view resource);

// What a pod asks for: the shape without the part that shared devices give, and its GPUs.
struct Request {
  PodShape shape;
  GpuRequest gpu;
};
Request request_of(const Pod& pod, Books& books);

// How many GPUs a MIG profile stands for, as "nvidia.com/mig-3g.20gb" for 3; 0 for names of another form.
std::int64_t mig_gpus(std::string_view resource);
bool is_mig(std::string_view resource);
bool is_gpu(std::string_view resource);

// What counts against queues: cpu and memory of the shape, and these GPUs.
Quantities quantities_of(const Amounts& request, double gpus);

}  // namespace muster::kai
