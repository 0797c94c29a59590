#include "kube/environment_proxy.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>

#include "base/lower_case.h"
#include "kube/text_file.h"

namespace muster::kube {
namespace {

constexpr std::size_t kBytesBeforeV4 = 12;  // of a v4 address in the form of v6
using Address = std::array<unsigned char, 16>;

std::optional<Address> read_address(const std::string& text) {
  Address out{};
  if (inet_pton(AF_INET6, text.c_str(), out.data()) == 1) return out;
  out = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (inet_pton(AF_INET, text.c_str(), out.data() + kBytesBeforeV4) == 1) return out;
  return std::nullopt;
}

bool is_v4(const Address& address) {
  return std::all_of(address.begin(), address.begin() + 10, [](auto byte) { return byte == 0; }) && address[10] == 0xff &&
         address[11] == 0xff;
}

bool is_loopback(const Address& address) {
  constexpr unsigned char kV4Loopback = 127;
  if (is_v4(address)) return address[kBytesBeforeV4] == kV4Loopback;
  return std::all_of(address.begin(), address.end() - 1, [](auto byte) { return byte == 0; }) && address.back() == 1;
}

struct Host {
  std::string name;  // in small letters; of an address in v6 without its brackets
  std::string port;
};

// "host", "host:port", "[v6]:port", "v6".
Host split_host(std::string_view text) {
  Host out;
  const auto bracket = text.find(']');
  const auto colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const bool has_port = colon != std::string_view::npos && text.find(':', colon + 1) == std::string_view::npos;
  auto name = has_port ? text.substr(0, colon) : text;
  if (has_port) out.port = text.substr(colon + 1);
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  out.name = lower_case(name);
  return out;
}

Host host_of(std::string_view server, bool is_secure) {
  auto rest = server.substr(server.find("://") + 3);
  rest = rest.substr(0, rest.find_first_of("/?#"));
  if (const auto user = rest.rfind('@'); user != std::string_view::npos) rest = rest.substr(user + 1);
  auto host = split_host(rest);
  if (host.port.empty()) host.port = is_secure ? "443" : "80";
  return host;
}

bool is_in_network(const Address& address, std::string_view network) {
  const auto slash = network.find('/');
  const auto base = read_address(std::string(network.substr(0, slash)));
  std::size_t bits = 0;
  const auto* const end = network.data() + network.size();
  const auto read = std::from_chars(network.data() + slash + 1, end, bits);
  if (!base || read.ec != std::errc() || read.ptr != end || is_v4(*base) != is_v4(address)) return false;
  if (is_v4(*base)) bits += kBytesBeforeV4 * 8;
  if (bits > address.size() * 8) return false;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    const auto mask = 0x80U >> (bit % 8);
    if (((address[bit / 8] ^ (*base)[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

// Whether one entry of NO_PROXY speaks of the host.
bool is_about(const std::string& entry, const Host& host, const std::optional<Address>& address) {
  if (entry == "*") return true;
  if (entry.find('/') != std::string::npos) return address && is_in_network(*address, entry);
  auto [name, port] = split_host(entry);
  if (name.empty() || (!port.empty() && port != host.port)) return false;
  if (const auto one = read_address(name)) return address && *one == *address;
  if (address) return false;
  if (name.starts_with("*.")) name.erase(0, 1);
  if (name.starts_with('.')) return host.name.ends_with(name);
  return host.name == name || host.name.ends_with("." + name);
}

bool is_excepted(std::string_view exceptions, const Host& host) {
  const auto address = read_address(host.name);
  if (host.name == "localhost" || (address && is_loopback(*address))) return true;
  while (!exceptions.empty()) {
    const auto end = std::min(exceptions.find(','), exceptions.size());
    const auto entry = lower_case(trimmed(exceptions.substr(0, end)));
    if (!entry.empty() && is_about(entry, host, address)) return true;
    exceptions.remove_prefix(std::min(end + 1, exceptions.size()));
  }
  return false;
}

// In capital letters first.
std::string variable(const Environment& environment, const std::string& name) {
  auto value = environment(name).value_or("");
  return value.empty() ? environment(lower_case(name)).value_or("") : value;
}

}  // namespace

std::string proxy_of_environment(std::string_view server, const Environment& environment) {
  const bool is_secure = server.starts_with("https://");
  if (!is_secure && !server.starts_with("http://")) return {};
  auto proxy = variable(environment, is_secure ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (proxy.empty() || is_excepted(variable(environment, "NO_PROXY"), host_of(server, is_secure))) return {};
  return proxy;
}

}  // namespace muster::kube
