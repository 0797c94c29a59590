#include "daemon/uuid.h"

#include <fmt/format.h>

namespace muster::daemon {

namespace {

std::uint32_t bits(const kube::RandomSource& random, int count) {
  return static_cast<std::uint32_t>(random() * static_cast<double>(std::uint64_t{1} << count));
}

}  // namespace

std::string uuid_beginning(const kube::RandomSource& random) {
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-", bits(random, 32), bits(random, 16), bits(random, 12),
                     0x8000u | bits(random, 14));
}

std::string uuid(const kube::RandomSource& random) {
  return uuid_beginning(random) + fmt::format("{:08x}{:04x}", bits(random, 32), bits(random, 16));
}

}  // namespace muster::daemon
