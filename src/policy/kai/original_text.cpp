#include "policy/kai/original_text.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <functional>

#include "base/ascii.h"
#include "model/time.h"

namespace muster::kai {
namespace {

// What of an amount of GPUs is told: parts of one, or whole ones.
double told_gpus(double gpus) {
  if (gpus < 1) return gpus > 0 ? gpus : 0;
  return static_cast<double>(static_cast<std::int64_t>(gpus));
}

}  // namespace

std::string cut_number(double value) {
  constexpr std::size_t kCut = 3;  // of six decimals
  auto text = fmt::format("{:.6f}", value);
  text.resize(text.size() - kCut);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string short_number(double value) { return fmt::format("{:.3g}", value); }

std::string full_number(double value) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return {text.data(), end.ptr};
}

std::string queue_number(double value, double unit) { return value == kUnlimited ? "Unlimited" : cut_number(value / unit); }

std::string amounts_text(const Quantities& amounts) {
  return fmt::format("GPU: {}, CPU: {} (cores), memory: {} (GB)", queue_number(told_gpus(amounts[Share::kGpu]), 1),
                     queue_number(amounts[Share::kCpu], kMilliPerCore), queue_number(amounts[Share::kMemory], kBytesPerGb));
}

ResourceList resource_list(const Quantities& amounts) {
  constexpr double kMilli = 1000;
  return {{"cpu", Quantity::from_milli(static_cast<std::int64_t>(amounts[Share::kCpu]))},
          {"memory", Quantity::from_units(static_cast<std::int64_t>(amounts[Share::kMemory]))},
          {"nvidia.com/gpu", Quantity::from_milli(static_cast<std::int64_t>(told_gpus(amounts[Share::kGpu]) * kMilli))}};
}

std::string duration_text(std::int64_t nanos) {
  if (nanos == 0) return "0s";
  const std::string sign = nanos < 0 ? "-" : "";
  const auto left = nanos < 0 ? -static_cast<std::uint64_t>(nanos) : static_cast<std::uint64_t>(nanos);
  const auto in = [](std::uint64_t amount, std::uint64_t unit) {
    const auto text = std::to_string(amount / unit);
    if (amount % unit == 0) return text;
    auto part = std::to_string(unit + amount % unit).substr(1);  // with the zeros that it begins with
    part.erase(part.find_last_not_of('0') + 1);
    return text + "." + part;
  };
  constexpr std::uint64_t kMicro = 1000, kMilli = 1'000'000, kWhole = kNanosPerSecond, kMinute = 60 * kWhole, kHour = 60 * kMinute;
  if (left < kMicro) return sign + in(left, 1) + "ns";
  if (left < kMilli) return sign + in(left, kMicro) + "\u00b5s";
  if (left < kWhole) return sign + in(left, kMilli) + "ms";
  auto text = sign;
  if (left >= kHour) text += std::to_string(left / kHour) + "h";
  if (left >= kMinute) text += std::to_string(left % kHour / kMinute) + "m";
  return text + in(left % kMinute, kWhole) + "s";
}

}  // namespace muster::kai
