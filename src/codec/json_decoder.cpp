#include "codec/json_decoder.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <simdjson.h>

#include "base/assert.h"
#include "base/nearest_name.h"
#include "codec/utf8.h"
#include "model/quoted.h"

namespace muster {

namespace ondemand = simdjson::ondemand;

class JsonValue {
 public:
  explicit JsonValue(ondemand::value at) : value(at) {}

  // The value's text up to the next token, so possibly with white space behind it.
  std::string_view token() { return value.raw_json_token(); }
  char first() { return token().front(); }

  ondemand::value value;
  bool known_empty = false;  // an empty object that was peeked into: the parser cannot open it once more
};

struct JsonDecoder::Parser {
  ondemand::parser parser;
};

namespace {

constexpr std::size_t kKeptCapacity = std::size_t{1} << 20;

std::string_view type_name(char first) {
  switch (first) {
    case '{': return "an object";
    case '[': return "a list";
    case '"': return "a string";
    case 't':
    case 'f': return "a boolean";
    case 'n': return "null";
    default: return "a number";
  }
}

// What stands between the quotes of a string token.
std::string_view unquoted(std::string_view token) { return token.substr(1, token.rfind('"') - 1); }

std::string_view without_space_behind(std::string_view token) {
  std::size_t n = token.size();
  while (n > 0 && (token[n - 1] == ' ' || token[n - 1] == '\n' || token[n - 1] == '\r' || token[n - 1] == '\t')) --n;
  return token.substr(0, n);
}

// What the API server takes in one request: no object of a cluster has a longer text in it.
constexpr std::size_t kMaxText = 3 << 20;

std::string too_long(std::size_t bytes) {
  return "is " + std::to_string(bytes) + " bytes long; Kubernetes takes no object beyond " + std::to_string(kMaxText);
}

// "4294967296 is too large: at most 2147483647".
template <class Int>
std::string beyond(std::string_view number) {
  using Limits = std::numeric_limits<Int>;
  return shortened(number) + (number.starts_with('-') ? " is too small: at least " + std::to_string(Limits::min())
                                                      : " is too large: at most " + std::to_string(Limits::max()));
}

bool has_escape(std::string_view text) { return text.find('\\') != std::string_view::npos; }

std::uint32_t hex4(std::string_view text) {
  const std::string_view digits = text.substr(0, 4);
  std::uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number;
}

// Reads "\uXXXX", with its second half where it is a surrogate pair; returns what follows. A lone surrogate becomes U+FFFD.
std::string_view append_unicode(std::string& out, std::string_view text) {
  std::uint32_t code = hex4(text.substr(2));
  text.remove_prefix(6);
  const bool high = code >= 0xD800 && code < 0xDC00;
  if (high && text.size() >= 6 && text[0] == '\\' && text[1] == 'u') {
    const std::uint32_t low = hex4(text.substr(2));
    if (low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      text.remove_prefix(6);
    }
  }
  append_utf8(out, code);
  return text;
}

// The syntax was checked before, so every escape is complete.
void unescape(std::string_view text, std::string& out) {
  out.clear();
  while (!text.empty()) {
    const auto escape = text.find('\\');
    out.append(text.substr(0, escape));
    if (escape == std::string_view::npos) return;
    text.remove_prefix(escape);
    if (text[1] == 'u') {
      text = append_unicode(out, text);
      continue;
    }
    constexpr std::string_view kLetters = "bfnrt";
    constexpr std::string_view kMeanings = "\b\f\n\r\t";
    const auto letter = kLetters.find(text[1]);
    out += letter == std::string_view::npos ? text[1] : kMeanings[letter];
    text.remove_prefix(2);
  }
}

// The key's text between its quotes; `raw` points behind the opening one.
std::string_view key_text(const char* raw, std::string& scratch) {
  const char* end = raw;
  bool escaped = false;
  for (; *end != '"'; ++end) {
    if (*end != '\\') continue;
    escaped = true;
    ++end;
  }
  const std::string_view text(raw, static_cast<std::size_t>(end - raw));
  if (!escaped) return text;
  unescape(text, scratch);
  return scratch;
}

}  // namespace

JsonDecoder::JsonDecoder() : parser_(std::make_unique<Parser>()) {}
JsonDecoder::~JsonDecoder() = default;

bool JsonDecoder::walk_document(std::string_view text, std::size_t begin, std::size_t end, OnItem on_root) {
  text_ = text;
  end_ = end;
  error_ = Error();
  error_offset_ = begin;
  path_complete_ = false;
  from_outside_ = false;
  const std::string_view content = text.substr(begin, end - begin);
  ondemand::document document;
  const simdjson::padded_string_view padded(content, content.size() + simdjson::SIMDJSON_PADDING);
  if (const auto code = parser_->parser.iterate(padded).get(document)) return broken(code);
  ondemand::value root;
  if (const auto code = document.get_value().get(root)) return broken(code);
  JsonValue value(root);
  const bool ok = on_root.call(on_root.callable, value);
  // Seven bytes for each byte of a document are worth keeping for the next small one, not for as long as a decoder lives.
  if (parser_->parser.capacity() > kKeptCapacity) parser_->parser = ondemand::parser();
  return ok;
}

bool JsonDecoder::walk_object(JsonValue& value, OnField on_field) {
  if (!is_object(value)) return wrong_type(value, "an object");
  if (value.known_empty) return true;
  ondemand::object object;
  if (const auto code = value.value.get_object().get(object)) return broken(code);
  std::string scratch;
  for (auto item : object) {
    ondemand::field field;
    if (const auto code = std::move(item).get(field)) return broken(code);
    JsonValue inner(field.value());
    if (inner.first() == 'n') continue;
    const std::string_view key = key_text(field.key().raw(), scratch);
    if (key.size() > kMaxText) return wrong(inner, "its key " + too_long(key.size()));
    if (!on_field.call(on_field.callable, key, inner)) return inside(key_text(field.key().raw(), scratch));
  }
  return true;
}

bool JsonDecoder::walk_array(JsonValue& value, OnItem on_item) {
  if (!is_array(value)) return wrong_type(value, "a list");
  ondemand::array array;
  if (const auto code = value.value.get_array().get(array)) return broken(code);
  std::size_t index = 0;
  for (auto item : array) {
    ondemand::value element;
    if (const auto code = std::move(item).get(element)) return broken(code);
    JsonValue inner(element);
    if (inner.first() != 'n' && !on_item.call(on_item.callable, inner)) return inside("[" + std::to_string(index) + "]");
    ++index;
  }
  return true;
}

bool JsonDecoder::peek_object(JsonValue& value, OnField on_field) {
  if (!is_object(value)) return wrong_type(value, "an object");
  ondemand::object object;
  if (const auto code = value.value.get_object().get(object)) return broken(code);
  std::string scratch;
  for (auto item : object) {
    ondemand::field field;
    if (const auto code = std::move(item).get(field)) return broken(code);
    JsonValue inner(field.value());
    if (inner.first() == 'n') continue;
    if (!on_field.call(on_field.callable, key_text(field.key().raw(), scratch), inner)) break;
  }
  bool has_fields = false;
  if (const auto code = object.reset().get(has_fields)) return broken(code);
  value.known_empty = !has_fields;
  return true;
}

bool JsonDecoder::text(JsonValue& value, std::string_view& out) {
  const std::string_view token = value.token();
  if (token.front() != '"') return wrong_type(value, "a string");
  out = unquoted(token);
  if (out.size() > kMaxText) return wrong(value, too_long(out.size()));
  if (has_escape(out)) {
    unescape(out, unescaped_);
    out = unescaped_;
  }
  return true;
}

bool JsonDecoder::string(JsonValue& value, std::string& out) {
  std::string_view view;
  if (!text(value, view)) return false;
  out.assign(view);
  return true;
}

bool JsonDecoder::boolean(JsonValue& value, bool& out) {
  const char first = value.first();
  if (first != 't' && first != 'f') return wrong_type(value, "a boolean");
  out = first == 't';
  return true;
}

bool JsonDecoder::integer(JsonValue& value, std::int64_t& out) {
  const std::string_view number = without_space_behind(value.token());
  if (type_name(number.front()) != "a number") return wrong_type(value, "an integer");
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), out);
  if (error == std::errc::result_out_of_range) return wrong(value, beyond<std::int64_t>(number));
  if (end != number.data() + number.size()) return wrong(value, "must be an integer, not " + shortened(number));
  return true;
}

bool JsonDecoder::integer(JsonValue& value, std::int32_t& out) {
  std::int64_t wide = 0;
  if (!integer(value, wide)) return false;
  out = static_cast<std::int32_t>(wide);
  if (out != wide) return wrong(value, beyond<std::int32_t>(std::to_string(wide)));
  return true;
}

bool JsonDecoder::number(JsonValue& value, double& out) {
  const std::string_view number = without_space_behind(value.token());
  if (type_name(number.front()) != "a number") return wrong_type(value, "a number");
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), out);
  if (error == std::errc::result_out_of_range) return wrong(value, shortened(number) + " is out of range");
  if (end != number.data() + number.size()) return wrong(value, "must be a number, not " + shortened(number));
  return true;
}

bool JsonDecoder::text_or_number(JsonValue& value, std::string_view& out) {
  const char first = value.first();
  if (first == '"') return text(value, out);
  if (type_name(first) != "a number") return wrong_type(value, "a string or a number");
  out = without_space_behind(value.token());
  return true;
}

bool JsonDecoder::is_object(JsonValue& value) const { return value.first() == '{'; }
bool JsonDecoder::is_array(JsonValue& value) const { return value.first() == '['; }
bool JsonDecoder::is_string(JsonValue& value) const { return value.first() == '"'; }
bool JsonDecoder::scalar_text(JsonValue& value, std::string& out) {
  if (is_object(value) || is_array(value)) return wrong_type(value, "a string, a number or a boolean");
  if (is_string(value)) return string(value, out);
  out.assign(without_space_behind(value.token()));
  return true;
}

bool JsonDecoder::object_text(JsonValue& value, std::string& out) {
  if (!is_object(value)) return wrong_type(value, "an object");
  ondemand::object object;
  if (const auto code = value.value.get_object().get(object)) return broken(code);
  std::string_view text;
  if (const auto code = object.raw_json().get(text)) return broken(code);
  out.assign(without_space_behind(text));
  return true;
}

std::string JsonDecoder::string_of(std::string_view json) {
  std::string out;
  if (json.size() >= 2 && json.front() == '"') unescape(json.substr(1, json.size() - 2), out);
  return out;
}

std::size_t JsonDecoder::offset(JsonValue& value) const { return static_cast<std::size_t>(value.token().data() - text_.data()); }
std::string_view JsonDecoder::rest(JsonValue& value) const { return text_.substr(offset(value), end_ - offset(value)); }

bool JsonDecoder::wrong(JsonValue& value, std::string message) {
  error_ = Error(std::move(message));
  error_offset_ = offset(value);
  return false;
}

bool JsonDecoder::wrong_type(JsonValue& value, std::string_view wanted) {
  return wrong(value, "must be " + std::string(wanted) + ", not " + std::string(type_name(value.first())));
}

bool JsonDecoder::missing(JsonValue& value, std::string field) {
  wrong(value, "is required");
  error_.field = std::move(field);
  return false;
}

bool JsonDecoder::failed_in(std::string object) {
  if (!path_complete_) error_.object = std::move(object);
  path_complete_ = true;
  return false;
}

bool JsonDecoder::failed(Error error) {
  error_ = std::move(error);
  path_complete_ = true;
  from_outside_ = true;
  return false;
}

Error JsonDecoder::take_error(Positions& positions) {
  if (!from_outside_) error_.location = positions.at(error_offset_);
  return std::move(error_);
}

bool JsonDecoder::unknown(JsonValue& field, std::string_view path, std::string_view key, std::span<const std::string_view> known) {
  constexpr std::size_t kMost = 64;
  if (unknown_.size() == kMost) return true;
  unknown_.push_back({(path.empty() ? "" : std::string(path) + ".") + shortened(key), nearest_name(key, known), offset(field)});
  return true;
}

bool JsonDecoder::unknown_unless_known(JsonValue& field, std::string_view path, std::string_view key,
                                       std::span<const std::string_view> known) {
  return std::ranges::find(known, key) != known.end() || unknown(field, path, key, known);
}

bool JsonDecoder::perhaps_mistyped(JsonValue& field, std::string_view path, std::string_view key,
                                   std::span<const std::string_view> known) {
  if (std::ranges::find(known, key) != known.end()) return true;
  // A field that muster has never heard of is mostly in every object of its kind, and comparing names costs.
  constexpr std::size_t kMost = 256;
  std::pair<const void*, std::string> place(known.data(), key);
  if (unlike_.contains(place)) return true;
  if (!nearest_name(key, known).empty()) return unknown(field, path, key, known);
  if (unlike_.size() < kMost) unlike_.insert(std::move(place));
  return true;
}

bool JsonDecoder::inside(std::string_view step) {
  if (path_complete_) return false;
  std::string path = shortened(step);
  if (!error_.field.empty() && error_.field.front() != '[') path += '.';
  error_.field.insert(0, path);
  return false;
}

// The parser refuses a text that passed the syntax check, which leaves its size and the memory.
bool JsonDecoder::broken(int code) {
  error_ = Error(std::string("the JSON parser gives up: ") + simdjson::error_message(static_cast<simdjson::error_code>(code)));
  return false;
}

}  // namespace muster
