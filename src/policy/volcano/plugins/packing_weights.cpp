#include "policy/volcano/plugins/packing_weights.h"

#include <string>

namespace muster::volcano {
namespace {

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::int64_t weight_or_one(const Arguments& arguments, std::string_view key) {
  const auto weight = arguments.get_int(key, 1);
  return weight < 0 ? 1 : weight;
}

std::vector<std::pair<ResourceId, std::int64_t>> listed_weights(const Arguments& arguments, std::string_view prefix, Books& books) {
  std::vector<std::pair<ResourceId, std::int64_t>> weights;
  const auto key = std::string(prefix) + ".resources";
  const auto list = arguments.get_string(key, "");
  for (std::string_view rest = list; !rest.empty();) {
    const auto comma = rest.find(',');
    if (const auto name = without_blanks(rest.substr(0, comma)); !name.empty())
      weights.emplace_back(books.resource(name), weight_or_one(arguments, key + "." + std::string(name)));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return weights;
}

}  // namespace muster::volcano
