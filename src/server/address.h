#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::server {

// Where a server listens.
struct ListenAddress {
  std::string host;        // a numeric address without brackets; empty for all of this machine's
  std::uint16_t port = 0;  // 0: any that is free
};

// ":8080", "127.0.0.1:0", "[::1]:80", "localhost:8080", "0.0.0.0:8080".
Result<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace muster::server
