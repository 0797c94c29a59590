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

// The parts of a list that has commas between them.
template <class F>
bool any_in(std::string_view list, F holds) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (holds(without_spaces(list.substr(0, comma)))) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

std::string_view without_weakness(std::string_view etag) {
  if (etag.starts_with("W/")) etag.remove_prefix(2);
  return etag;
}

// Who asks has what we have, or not: whether the bytes are the same does not matter. A tag of ours holds no comma.
bool names(std::string_view list, std::string_view etag) {
  return any_in(list, [&](std::string_view one) { return one == "*" || without_weakness(one) == without_weakness(etag); });
}

// "gzip;q=0" and "gzip; q=0.0" do not want it.
bool is_of_worth(std::string_view parameters) {
  const auto at = parameters.find("q=");
  if (at == std::string_view::npos) return true;
  return parameters.substr(at + 2).find_first_of("123456789") != std::string_view::npos;
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

bool accepts_coding(const Request& request, std::string_view coding) {
  return any_in(request.headers.find("Accept-Encoding").value_or(""), [&](std::string_view one) {
    const auto semicolon = std::min(one.find(';'), one.size());
    return equal_ignoring_case(without_spaces(one.substr(0, semicolon)), coding) && is_of_worth(one.substr(semicolon));
  });
}

}  // namespace muster::server
