#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "server/message.h"

namespace muster::server {

// How the end of a body is told.
enum class Framing {
  kLength,
  kChunks,
  kUntilClose,  // clients of HTTP/1.0 know no chunks
};

// Status line and header fields of an answer, up to and with the empty line. `body_bytes` counts for kLength alone. What handlers
// put into header fields cannot begin another one.
std::string head_text(const Response& response, Framing framing, std::size_t body_bytes, bool keep_alive, std::time_t now);

// Statuses that never have a body.
bool is_bodiless(int status);

std::string chunk_text(std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace muster::server
