#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/devices.h"

namespace muster {

// The request, and the alternative if it is one, for which a device is taken.
struct RequestName {
  std::string_view request;
  std::string_view alternative;  // empty: none
};

// A constraint of a claim while devices are chosen for it: an attribute that is the same in all of them, or different in all.
class ActiveConstraint {
 public:
  explicit ActiveConstraint(const DeviceConstraint& constraint) : constraint_(&constraint) {}

  // Takes a device in; false: it does not go with those that are in, and nothing changes.
  bool add(RequestName name, std::string_view driver, const Device& device);
  // Takes out a device that was taken in last.
  void remove(RequestName name);

 private:
  bool concerns(RequestName name) const;
  bool add_matching(const DeviceAttribute& attribute);
  bool add_distinct(RequestName name, const DeviceAttribute& attribute);

  const DeviceConstraint* constraint_;
  std::size_t devices_ = 0;
  const DeviceAttribute* common_ = nullptr;
  // By request: of several devices of one request only the last is remembered, as in Kubernetes.
  std::map<std::string, const DeviceAttribute*, std::less<>> seen_;
};

// An attribute by its full name ("domain/id"); nullptr when the device has none.
const DeviceAttribute* find_attribute(std::string_view driver, const Device& device, const std::string& name);

}  // namespace muster
