#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/fits_if.h"
#include "app/whatif.h"

namespace muster {

// What the pods of a job of a question ask for, and less of it.

// Resources that containers of its pods ask for, by name.
std::vector<std::string> asked_resources(const WhatIfQuestion& question, std::size_t job);

// Of one of them: the most that a container asks for, and amounts below that, the largest first; one of them is the most that a
// node has, if that is less.
struct SmallerAmounts {
  Quantity largest;
  std::vector<Quantity> amounts;
};
SmallerAmounts smaller_amounts(const WhatIfQuestion& question, std::size_t job, const std::string& resource,
                               const std::optional<Quantity>& largest_node = {});

// Has no container ask for more; spec.minResources of the PodGroup follows in proportion.
std::vector<FitsIf::Part> cap_amounts(WhatIfQuestion& question, std::size_t job, const std::string& resource, const Quantity& cap);

// An amount of spec.minResources in the proportion of `part` to `whole`, rounded up, and how that is told; as it is where there is
// no whole.
FitsIf::Part scale_minimum(const std::string& resource, Quantity& amount, std::int64_t part, std::int64_t whole);

}  // namespace muster
