#include "codec/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "codec/utf8.h"

namespace muster {
namespace {

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u00";
  out += kHex[static_cast<unsigned char>(c) >> 4];
  out += kHex[static_cast<unsigned char>(c) & 15];
}

template <class Number, class... Format>
void append_number(std::string& out, Number number, Format... format) {
  std::array<char, 64> digits = {};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number, format...);
  out.append(digits.data(), result.ptr);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && is_plain(text[end])) ++end;
    out.append(text.substr(at, end - at));
    at = end;
    if (at == text.size()) break;
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      append_escape(out, text[at]);
      ++at;
    } else if (const std::size_t length = utf8_length(text.substr(at)); length > 0) {
      out.append(text.substr(at, length));
      at += length;
    } else {
      out += "\xEF\xBF\xBD";
      ++at;
    }
  }
  out += '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  need_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  // Plain digits where people would write them, an exponent for the very large and the very small.
  const double size = std::abs(number);
  const bool plain = size == 0 || (size >= 1e-6 && size < 1e21);
  append_number(out_, number, plain ? std::chars_format::fixed : std::chars_format::scientific);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
  separate();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::integer(std::uint64_t number) {
  separate();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  need_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  need_comma_ = true;
  return *this;
}

void JsonWriter::separate() {
  if (need_comma_) out_ += ',';
  need_comma_ = true;
}

}  // namespace muster
