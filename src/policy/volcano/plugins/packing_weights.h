#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/books.h"
#include "policy/volcano/arguments.h"

namespace muster::volcano {

// An integer argument that is 1 when it is missing or negative.
std::int64_t weight_or_one(const Arguments& arguments, std::string_view key);

// The resources that `<prefix>.resources` lists, separated by commas, each with the weight that `<prefix>.resources.<name>` gives
// it.
std::vector<std::pair<ResourceId, std::int64_t>> listed_weights(const Arguments& arguments, std::string_view prefix, Books& books);

}  // namespace muster::volcano
