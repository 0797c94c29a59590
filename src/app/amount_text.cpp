#include "app/amount_text.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace muster {
namespace {

bool counts_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
}

std::string short_number(double value, int decimals) {
  auto text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  std::size_t unit = 0;
  while (std::fabs(bytes) >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return short_number(bytes, 1) + std::string(kUnits[unit]);
}

}  // namespace

double amount_in_units(std::string_view resource, double stored) {
  return resource == "memory" || resource == "pods" ? stored : stored / 1000;
}

std::string amount_text(std::string_view resource, double stored) {
  const auto units = amount_in_units(resource, stored);
  return counts_bytes(resource) ? bytes_text(units) : short_number(units, 2);
}

}  // namespace muster
