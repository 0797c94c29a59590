#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::cli {

// What the value of an option may be, for Option::check. A wrong one is answered with what would be right, and with the nearest
// name; the library's own words for the same run to hundreds of digits.
CLI::Validator one_of(std::vector<std::string> known);
CLI::Validator whole_number(std::int64_t least, std::optional<std::int64_t> most = {});
CLI::Validator real_number(double least, std::optional<double> most = {});

}  // namespace muster::cli
