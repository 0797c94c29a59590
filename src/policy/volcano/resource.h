#pragma once

#include <boost/container/small_vector.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/amounts.h"
#include "engine/books.h"
#include "model/quantity.h"

namespace muster::volcano {

// Amounts below this are nothing, and differences below it are none (in stored units).
inline constexpr double kMinResource = 0.1;

inline constexpr double kMiB = 1024.0 * 1024.0;

// How a scalar that one side of an operation does not name is read.
enum class Missing { kZero, kInfinity };

// A queue's or job's resources as the original computes with them: double precision, cpu in thousandths, memory in bytes, other
// resources ("scalars") in thousandths except `pods`. Whether a scalar is named at all, and whether there is any map of scalars, is
// visible in several comparisons, so both are kept.
class Resource {
 public:
  Resource() = default;
  explicit Resource(const Amounts& amounts);

  double get(ResourceId id) const;
  bool names(ResourceId id) const;  // cpu and memory are always named
  void set(ResourceId id, double value);
  bool has_scalar_map() const { return scalar_map_; }
  void ensure_scalar_map() { scalar_map_ = true; }

  struct Scalar {
    ResourceId id;
    double value = 0;
    bool operator==(const Scalar&) const = default;
  };
  using Scalars = boost::container::small_vector<Scalar, 4>;
  const Scalars& scalars() const { return scalars_; }
  double cpu() const { return cpu_; }
  double memory() const { return memory_; }

  Resource& add(const Resource& other);
  // Plain subtraction; scalars are only touched when this side has a map of them.
  Resource& subtract(const Resource& other);
  Resource& scale(double ratio);
  // Element-wise minimum into this; a scalar that the other side does not name becomes 0 or stays.
  Resource& clamp_to(const Resource& other, Missing missing);

  // Nothing but perhaps a number of pods.
  bool is_empty() const;
  // Dimensions that hold at least kMinResource, cpu and memory first, then by id.
  std::vector<ResourceId> significant() const;
  template <class F>
  void for_each_significant(F f) const {
    if (cpu_ >= kMinResource) f(kCpu, cpu_);
    if (memory_ >= kMinResource) f(kMemory, memory_);
    for (const auto& scalar : scalars_)
      if (scalar.value >= kMinResource) f(scalar.id, scalar.value);
  }
  // Same amounts under the same names.
  bool operator==(const Resource& other) const {
    return cpu_ == other.cpu_ && memory_ == other.memory_ && scalars_ == other.scalars_;
  }

 private:
  Scalars::iterator slot(ResourceId id);
  double cpu_ = 0;
  double memory_ = 0;
  bool scalar_map_ = false;
  Scalars scalars_;  // by id
};

bool less_equal(const Resource& left, const Resource& right, Missing missing);

// The dimensions, among those that `request` asks for (without `pods`), in which left exceeds right; no tolerance. Cpu, memory,
// then scalars by name.
std::vector<ResourceId> exceeded_dimensions(const Resource& left, const Resource& right, const Resource& request,
                                            const Books& books);

// The same dimensions, those aside that neither side has any of: whether left stays within right, with tolerance, in at least one.
bool any_within(const Resource& left, const Resource& right, const Amounts& request);
// The same dimensions, those alone of which right has some or names: whether left exceeds right in at least one; no tolerance.
bool any_exceeded(const Resource& left, const Resource& right, const Amounts& request);
// Whether some resource, pods included, is asked for and among the limits.
bool any_limited(const Resource& limits, const Amounts& request);

// What left has more than right. Only scalars of which it has more are named.
Resource exceeded_part(const Resource& left, const Resource& right);
Resource max_of(const Resource& left, const Resource& right);
double share_of(double part, double whole);

// Resource lists as the original reads them: names that it drops are dropped.
Amounts amounts_of(const ResourceList& list, Books& books);
bool is_scalar_resource(std::string_view name);
// Larger amounts count as this much, so that sums stay within 64 bits.
inline constexpr std::int64_t kLargestAmount = std::int64_t{1} << 56;

}  // namespace muster::volcano
