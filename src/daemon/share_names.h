#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace muster::daemon {

// Names for shares of devices that several claims use: UUIDs, each of them once. Begins with what uuid_beginning() makes.
class ShareNames {
 public:
  explicit ShareNames(std::string beginning) : beginning_(std::move(beginning)) {}
  std::string next() { return fmt::format("{}{:012x}", beginning_, ++count_); }

 private:
  std::string beginning_;
  std::uint64_t count_ = 0;
};

}  // namespace muster::daemon
