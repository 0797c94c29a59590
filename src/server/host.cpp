#include "server/host.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <netinet/in.h>

namespace muster::server {
namespace {

bool is_port(std::string_view text) {
  constexpr std::size_t kLongest = 5;
  return text.size() <= kLongest && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string small_letters(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

std::string host_name(std::string_view field) {
  const bool brackets = field.starts_with('[');
  const auto end = brackets ? field.find(']') : std::min(field.find(':'), field.size());
  if (end == std::string_view::npos) return {};
  const auto name = brackets ? field.substr(1, end - 1) : field.substr(0, end);
  const auto rest = field.substr(brackets ? end + 1 : end);
  if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return {};
  return small_letters(name);
}

bool is_loopback_name(const std::string& name) {
  constexpr unsigned kLoopbackNet = 127;
  in_addr four{};
  in6_addr six{};
  if (inet_pton(AF_INET, name.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24U == kLoopbackNet;
  if (inet_pton(AF_INET6, name.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six) != 0;
  return name == "localhost";
}

}  // namespace muster::server
