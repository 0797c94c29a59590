#include "server/wire.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace muster::server {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "";
  }
}

bool is_token(std::string_view text) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  if (!is_token(name)) return;
  out.append(name).append(": ");
  for (const char c : value) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  out += "\r\n";
}

std::string date_text(std::time_t now) {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm date{};
  gmtime_r(&now, &date);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays.at(static_cast<std::size_t>(date.tm_wday)), date.tm_mday,
                     kMonths.at(static_cast<std::size_t>(date.tm_mon)), date.tm_year + 1900, date.tm_hour, date.tm_min,
                     date.tm_sec);
}

}  // namespace

bool is_bodiless(int status) { return status < 200 || status == 204 || status == 304; }

std::string head_text(const Response& response, Framing framing, std::size_t body_bytes, bool keep_alive, std::time_t now) {
  const int status = response.status >= 200 && response.status <= 999 ? response.status : 500;
  auto out = fmt::format("HTTP/1.1 {} {}\r\n", status, reason_of(status));
  append_field(out, "Date", date_text(now));
  if (!is_bodiless(status)) {
    append_field(out, "Content-Type", response.content_type);
    if (framing == Framing::kLength) append_field(out, "Content-Length", std::to_string(body_bytes));
    if (framing == Framing::kChunks) append_field(out, "Transfer-Encoding", "chunked");
  }
  append_field(out, "X-Content-Type-Options", "nosniff");
  append_field(out, "Connection", keep_alive ? "keep-alive" : "close");
  for (const auto& [name, value] : response.headers) append_field(out, name, value);
  return out + "\r\n";
}

std::string chunk_text(std::string_view bytes) {
  if (bytes.empty()) return {};  // an empty chunk would be the last one
  return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

}  // namespace muster::server
