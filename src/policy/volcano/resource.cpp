#include "policy/volcano/resource.h"

#include <algorithm>
#include <cmath>

namespace muster::volcano {
namespace {

bool le(double left, double right) { return left < right || std::fabs(left - right) < kMinResource; }

}  // namespace

Resource::Resource(const Amounts& amounts) {
  for (const auto& [id, amount] : amounts) set(id, static_cast<double>(amount));
}

Resource::Scalars::iterator Resource::slot(ResourceId id) {
  scalar_map_ = true;
  auto at = std::find_if(scalars_.begin(), scalars_.end(), [&](const Scalar& s) { return s.id >= id; });
  if (at == scalars_.end() || at->id != id) at = scalars_.insert(at, Scalar{id, 0});
  return at;
}

double Resource::get(ResourceId id) const {
  if (id == kCpu) return cpu_;
  if (id == kMemory) return memory_;
  for (const auto& scalar : scalars_)
    if (scalar.id == id) return scalar.value;
  return 0;
}

bool Resource::names(ResourceId id) const {
  if (id == kCpu || id == kMemory) return true;
  return std::any_of(scalars_.begin(), scalars_.end(), [&](const Scalar& s) { return s.id == id; });
}

void Resource::set(ResourceId id, double value) {
  if (id == kCpu)
    cpu_ = value;
  else if (id == kMemory)
    memory_ = value;
  else
    slot(id)->value = value;
}

Resource& Resource::add(const Resource& other) {
  cpu_ += other.cpu_;
  memory_ += other.memory_;
  for (const auto& scalar : other.scalars_) slot(scalar.id)->value += scalar.value;
  return *this;
}

Resource& Resource::subtract(const Resource& other) {
  cpu_ -= other.cpu_;
  memory_ -= other.memory_;
  if (!scalar_map_) return *this;
  for (const auto& scalar : other.scalars_) slot(scalar.id)->value -= scalar.value;
  return *this;
}

Resource& Resource::scale(double ratio) {
  cpu_ *= ratio;
  memory_ *= ratio;
  for (auto& scalar : scalars_) scalar.value *= ratio;
  return *this;
}

Resource& Resource::clamp_to(const Resource& other, Missing missing) {
  cpu_ = std::min(cpu_, other.cpu_);
  memory_ = std::min(memory_, other.memory_);
  for (auto& scalar : scalars_) {
    if (other.names(scalar.id))
      scalar.value = std::min(scalar.value, other.get(scalar.id));
    else if (missing == Missing::kZero)
      scalar.value = 0;
  }
  return *this;
}

bool Resource::is_empty() const {
  if (cpu_ >= kMinResource || memory_ >= kMinResource) return false;
  return std::none_of(scalars_.begin(), scalars_.end(),
                      [](const Scalar& s) { return s.id != kPodCount && s.value >= kMinResource; });
}

std::vector<ResourceId> Resource::significant() const {
  std::vector<ResourceId> ids;
  for_each_significant([&](ResourceId id, double) { ids.push_back(id); });
  return ids;
}

bool less_equal(const Resource& left, const Resource& right, Missing missing) {
  if (!le(left.cpu(), right.cpu()) || !le(left.memory(), right.memory())) return false;
  if (missing == Missing::kInfinity)
    for (const auto& scalar : right.scalars())
      if (!left.names(scalar.id)) return false;
  for (const auto& scalar : left.scalars()) {
    if (missing == Missing::kInfinity && !right.names(scalar.id)) continue;
    if (!le(scalar.value, right.get(scalar.id))) return false;
  }
  return true;
}

std::vector<ResourceId> exceeded_dimensions(const Resource& left, const Resource& right, const Resource& request,
                                            const Books& books) {
  std::vector<ResourceId> exceeded;
  for (const auto id : {kCpu, kMemory})
    if (request.get(id) > 0 && left.get(id) > right.get(id)) exceeded.push_back(id);
  if (!left.has_scalar_map()) return exceeded;
  const auto scalars_from = exceeded.size();
  for (const auto& scalar : request.scalars())
    if (scalar.id != kPodCount && scalar.value > 0 && left.get(scalar.id) > right.get(scalar.id)) exceeded.push_back(scalar.id);
  std::sort(exceeded.begin() + static_cast<std::ptrdiff_t>(scalars_from), exceeded.end(),
            [&](ResourceId a, ResourceId b) { return books.resource_name(a) < books.resource_name(b); });
  return exceeded;
}

bool any_within(const Resource& left, const Resource& right, const Amounts& request) {
  return std::any_of(request.begin(), request.end(), [&](const Amounts::Entry& asked) {
    if (asked.resource == kPodCount || asked.amount <= 0) return false;
    const double l = left.get(asked.resource);
    const double r = right.get(asked.resource);
    return (l >= kMinResource || r >= kMinResource) && le(l, r);
  });
}

bool any_exceeded(const Resource& left, const Resource& right, const Amounts& request) {
  return std::any_of(request.begin(), request.end(), [&](const Amounts::Entry& asked) {
    const auto id = asked.resource;
    if (id == kPodCount || asked.amount <= 0) return false;
    const bool relevant = id == kCpu || id == kMemory ? right.get(id) >= kMinResource : right.names(id);
    return relevant && left.get(id) > right.get(id);
  });
}

bool any_limited(const Resource& limits, const Amounts& request) {
  return std::any_of(request.begin(), request.end(),
                     [&](const Amounts::Entry& asked) { return asked.amount > 0 && limits.get(asked.resource) >= kMinResource; });
}

Resource exceeded_part(const Resource& left, const Resource& right) {
  Resource out;
  out.ensure_scalar_map();
  for (const auto id : {kCpu, kMemory}) out.set(id, std::max(left.get(id) - right.get(id), 0.0));
  for (const auto& scalar : left.scalars())
    if (scalar.value > right.get(scalar.id)) out.set(scalar.id, scalar.value - right.get(scalar.id));
  for (const auto& scalar : right.scalars())
    if (!left.names(scalar.id) && scalar.value < 0) out.set(scalar.id, -scalar.value);
  return out;
}

Resource max_of(const Resource& left, const Resource& right) {
  Resource out;
  for (const auto id : {kCpu, kMemory}) out.set(id, std::max(left.get(id), right.get(id)));
  for (const auto* side : {&left, &right})
    for (const auto& scalar : side->scalars())
      if (scalar.value >= 0) out.set(scalar.id, std::max(scalar.value, out.get(scalar.id)));
  return out;
}

double share_of(double part, double whole) {
  if (whole == 0) return part == 0 ? 0 : 1;
  return part / whole;
}

bool is_scalar_resource(std::string_view name) {
  const auto starts = [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; };
  if (starts("hugepages-") || starts("attachable-volumes-")) return true;
  if (name.find("kubernetes.io/") != std::string_view::npos) return true;
  return name.find('/') != std::string_view::npos && !starts("requests.");
}

Amounts amounts_of(const ResourceList& list, Books& books) {
  Amounts amounts;
  for (const auto& [name, quantity] : list) {
    const auto units = std::clamp(quantity.units(), -kLargestAmount, kLargestAmount);
    const auto milli = std::clamp(quantity.milli(), -kLargestAmount, kLargestAmount);
    if (name == "cpu") {
      amounts.add(kCpu, milli);
    } else if (name == "memory") {
      amounts.add(kMemory, units);
    } else if (name == "pods") {
      amounts.add(kPodCount, units);
    } else if (name == "ephemeral-storage" || (name.rfind("count/", 0) != 0 && is_scalar_resource(name))) {
      amounts.add(books.resource(name), milli);
    }
  }
  return amounts;
}

}  // namespace muster::volcano
