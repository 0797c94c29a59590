#include "server/message.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace muster::server {
namespace {

constexpr std::array<std::string_view, 7> kMethods = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};

// How many bytes the UTF-8 character at the front has; 0 when it is none. Surrogates and needlessly long forms are none.
std::size_t character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  const bool too_long = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool no_character = (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
  return too_long || no_character ? 0 : length;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto length = character_at(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (length == 0)
      out += "\\ufffd";
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\u{:04x}", byte);
    else
      out.append(byte == '"' || byte == '\\' ? "\\" : "").append(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out + "\"";
}

}  // namespace

Method method_from(std::string_view text) {
  return static_cast<Method>(std::find(kMethods.begin(), kMethods.end(), text) - kMethods.begin());
}

std::string_view text_of(Method method) { return method == Method::kOther ? "?" : kMethods.at(static_cast<std::size_t>(method)); }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  const auto found = std::find_if(begin(), end(), [&](const auto& field) { return equal_ignoring_case(field.first, name); });
  if (found == end()) return std::nullopt;
  return found->second;
}

std::size_t Headers::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(begin(), end(), [&](const auto& field) { return equal_ignoring_case(field.first, name); }));
}

std::optional<std::string_view> Request::parameter(std::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(), [&](const auto& one) { return one.first == name; });
  if (found == query.end()) return std::nullopt;
  return found->second;
}

Response json_response(std::string body, int status) { return {status, "application/json", std::move(body), {}}; }

Response error_response(int status, std::string_view message) {
  return json_response("{\"error\": " + json_text(message) + "}\n", status);
}

}  // namespace muster::server
