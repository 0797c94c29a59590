#include "server/address.h"

#include <arpa/inet.h>
#include <charconv>
#include <fmt/format.h>

namespace muster::server {
namespace {

bool is_address(int family, const std::string& text) {
  in6_addr binary{};
  return inet_pton(family, text.c_str(), &binary) == 1;
}

tl::unexpected<Error> refused(std::string_view text, std::string_view why) {
  return fail(fmt::format(R"(cannot listen on "{}": {})", text, why));
}

}  // namespace

Result<ListenAddress> parse_listen_address(std::string_view text) {
  const auto colon = text.rfind(':');
  const bool closed = text.starts_with('[') && text.find("]:") == std::string_view::npos;
  if (colon == std::string_view::npos || closed)
    return refused(text, R"(there is no port; it is written as ":8080", "127.0.0.1:8080" or "[::1]:8080")");

  ListenAddress out;
  const auto digits = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    return refused(text, "the port is a number from 0 to 65535");

  auto host = text.substr(0, colon);
  const bool brackets = host.starts_with('[') && host.ends_with(']');
  if (brackets) host = host.substr(1, host.size() - 2);
  out.host = host == "localhost" ? "127.0.0.1" : host;
  if (brackets && !is_address(AF_INET6, out.host)) return refused(text, "between the brackets is no IPv6 address");
  if (!brackets && out.host.find(':') != std::string::npos) return refused(text, "an IPv6 address stands in brackets");
  if (!brackets && !out.host.empty() && !is_address(AF_INET, out.host))
    return refused(text, "the host is an IP address, \"localhost\" or nothing");
  return out;
}

}  // namespace muster::server
