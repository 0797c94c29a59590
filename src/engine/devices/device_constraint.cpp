#include "engine/devices/device_constraint.h"

#include <algorithm>

namespace muster {
namespace {

bool is_known(const DeviceAttribute& attribute) { return !std::holds_alternative<std::monostate>(attribute); }

}  // namespace

const DeviceAttribute* find_attribute(std::string_view driver, const Device& device, const std::string& name) {
  if (const auto found = device.attributes.find(name); found != device.attributes.end()) return &found->second;
  const auto slash = name.find('/');
  if (slash == std::string::npos || std::string_view(name).substr(0, slash) != driver) return nullptr;
  const auto found = device.attributes.find(std::string_view(name).substr(slash + 1));
  return found == device.attributes.end() ? nullptr : &found->second;
}

bool ActiveConstraint::concerns(RequestName name) const {
  const auto& requests = constraint_->requests;
  if (requests.empty()) return true;
  const auto names = [&](std::string_view wanted) { return std::find(requests.begin(), requests.end(), wanted) != requests.end(); };
  return names(name.request) ||
         (!name.alternative.empty() && names(std::string(name.request).append("/").append(name.alternative)));
}

bool ActiveConstraint::add(RequestName name, std::string_view driver, const Device& device) {
  if (!concerns(name)) return true;
  const auto& wanted = constraint_->match_attribute ? *constraint_->match_attribute : *constraint_->distinct_attribute;
  const auto* attribute = find_attribute(driver, device, wanted);
  if (attribute == nullptr) return false;
  return constraint_->match_attribute ? add_matching(*attribute) : add_distinct(name, *attribute);
}

bool ActiveConstraint::add_matching(const DeviceAttribute& attribute) {
  if (devices_ == 0)
    common_ = &attribute;
  else if (!is_known(attribute) || attribute != *common_)
    return false;
  ++devices_;
  return true;
}

bool ActiveConstraint::add_distinct(RequestName name, const DeviceAttribute& attribute) {
  if (devices_ != 0)
    for (const auto& [request, other] : seen_)
      if (!is_known(attribute) || attribute == *other) return false;
  seen_.insert_or_assign(std::string(name.request), &attribute);
  ++devices_;
  return true;
}

void ActiveConstraint::remove(RequestName name) {
  if (!concerns(name)) return;
  if (const auto found = seen_.find(name.request); found != seen_.end()) seen_.erase(found);
  --devices_;
}

}  // namespace muster
