#include "daemon/uuid.h"

#include <fmt/format.h>

namespace muster::daemon {

std::string uuid_beginning(const kube::RandomSource& random) {
  const auto bits = [&](int count) {
    return static_cast<std::uint32_t>(random() * static_cast<double>(std::uint64_t{1} << count));
  };
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-", bits(32), bits(16), bits(12), 0x8000u | bits(14));
}

}  // namespace muster::daemon
