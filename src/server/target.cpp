#include "server/target.h"

#include <algorithm>

#include "base/percent_encoding.h"
#include "base/split.h"

namespace muster::server {
namespace {

// A proxy may name the whole address; what is before the path does not matter here.
std::string without_origin(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    text.remove_prefix(std::min(text.find_first_of("/?", scheme.size()), text.size()));
    return (text.starts_with('/') ? "" : "/") + std::string(text);
  }
  return std::string(text);
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool climbs(std::string_view path) {
  const auto segments = split(path, '/');
  return std::any_of(segments.begin(), segments.end(), [](auto segment) { return segment == "." || segment == ".."; });
}

Result<std::string> decoded_path(std::string_view text) {
  auto path = percent_decoded(text);
  if (!path) return fail("a \"%\" in the path is not followed by two hexadecimal digits");
  if (std::any_of(path->begin(), path->end(), is_control)) return fail("a control character in the path");
  if (climbs(*path)) return fail("a \".\" or \"..\" in the path");
  return *path;
}

std::optional<std::string> decoded_parameter(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return percent_decoded(spaced);
}

}  // namespace

Result<Target> parse_target(std::string_view target) {
  const auto shortened = without_origin(target);
  const std::string_view text = shortened;
  const auto mark = text.find('?');
  const auto path = text.substr(0, mark);
  if (!path.starts_with('/')) return fail("the target of a request begins with \"/\"");

  Target out;
  auto decoded = decoded_path(path);
  if (!decoded) return fail(decoded.error());
  out.path = std::move(*decoded);
  if (mark == std::string_view::npos) return out;
  for (const auto parameter : split(text.substr(mark + 1), '&')) {
    if (parameter.empty()) continue;
    const auto equals = parameter.find('=');
    auto name = decoded_parameter(parameter.substr(0, equals));
    auto value = decoded_parameter(equals == std::string_view::npos ? "" : parameter.substr(equals + 1));
    if (!name || !value) return fail("a \"%\" in the query is not followed by two hexadecimal digits");
    out.query.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

}  // namespace muster::server
