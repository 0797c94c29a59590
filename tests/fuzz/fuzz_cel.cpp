// Any text is a selector or it is none, its evaluation always ends, and the same evaluation ends in the same way.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "cel/selector.h"

namespace {

muster::Device a_device() {
  muster::Device device;
  device.name = "gpu-0";
  device.attributes["model"] = std::string("a100");
  device.attributes["index"] = std::int64_t{3};
  device.attributes["healthy"] = true;
  device.attributes["version"] = muster::VersionText{"1.2.3"};
  device.capacity["memory"].value = muster::Quantity::from_units(std::int64_t{80} << 30);
  return device;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  static const Device kDevice = a_device();
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  constexpr std::uint64_t kLimit = 100'000;
  if (const auto selector = cel::DeviceSelector::compile(text)) {
    const auto first = selector->matches("d", kDevice, kLimit);
    const auto again = selector->matches("d", kDevice, kLimit);
    MUSTER_ASSERT(first.has_value() == again.has_value());
    MUSTER_ASSERT(!first || *first == *again);
    MUSTER_ASSERT(first || !first.error().message.empty());
  } else {
    MUSTER_ASSERT(!selector.error().message.empty());
  }
  return 0;
}
