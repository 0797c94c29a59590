#include "server/conditional.h"

#include <algorithm>

namespace muster::server {
namespace {

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view kSpaces = " \t";
  const auto first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

// Whether a list of tags has this one. A tag of ours holds no comma. Weak ones are as good: who asks compares what it has, not
// bytes.
bool names(std::string_view list, std::string_view etag) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    auto one = without_spaces(list.substr(0, comma));
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == etag || one == "*") return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

Response tagged(const Request& request, std::string etag, Response response) {
  const bool is_known = names(request.headers.find("If-None-Match").value_or(""), etag);
  response.headers.add("ETag", std::move(etag));
  if (!is_known) return response;
  response.status = 304;
  response.body.clear();
  return response;
}

}  // namespace muster::server
