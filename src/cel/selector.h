#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/devices.h"

namespace muster::cel {

// What one evaluation may cost. Kubernetes' own limit for selectors.
inline constexpr std::uint64_t kSelectorCostLimit = 1'000'000;

struct SyntaxTree;

// A compiled CEL expression that chooses devices: the part of CEL that Kubernetes offers for it, over the variable `device` with
// driver, allowMultipleAllocations, attributes and capacity. An evaluation always ends: nesting is bounded and work has a limit.
class DeviceSelector {
 public:
  // Errors are texts as Kubernetes gives them: "compilation failed: ERROR: <input>:1:8: ...", with a mark under the place.
  static Result<DeviceSelector> compile(std::string_view expression);

  // Whether a device of this driver is chosen.
  Result<bool> matches(std::string_view driver, const Device& device, std::uint64_t cost_limit = kSelectorCostLimit) const;

 private:
  explicit DeviceSelector(std::shared_ptr<const SyntaxTree> tree) : tree_(std::move(tree)) {}
  std::shared_ptr<const SyntaxTree> tree_;
};

}  // namespace muster::cel
