#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster {

// Packs pieces one after the other. What earlier pieces said makes later ones short; each can be unpacked when it is there, after
// all before it.
class DeflateStream {
 public:
  DeflateStream();
  ~DeflateStream();
  std::string pack(std::string_view piece);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class InflateStream {
 public:
  InflateStream();
  ~InflateStream();
  // The piece, which has to be of that size.
  Result<std::string> unpack(std::string_view packed, std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// CRC-32, as in zip archives: tells bytes that have changed by accident.
std::uint32_t checksum(std::string_view bytes);

}  // namespace muster
