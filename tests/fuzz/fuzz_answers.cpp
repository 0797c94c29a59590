// What services answer, an extender or Prometheus, may be anything: it is understood or refused, and numbers are numbers.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "app/extender_http.h"
#include "app/prometheus_usage.h"
#include "base/assert.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  constexpr auto kLast = static_cast<int>(volcano::ExtenderTopic::kDeallocate);
  for (int topic = 0; topic <= kLast; ++topic) {
    const auto answer = extender_answer(static_cast<volcano::ExtenderTopic>(topic), body);
    MUSTER_ASSERT(answer || (!answer.error().message.empty() && !answer.error().unreachable));
  }
  if (const auto number = prometheus_value(body)) MUSTER_ASSERT(std::isfinite(*number));
  return 0;
}
