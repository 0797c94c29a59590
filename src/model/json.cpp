#include "model/json.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "base/ascii.h"

namespace muster {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

class Reader {
 public:
  Reader(std::string_view text, int max_depth) : text_(text), max_depth_(max_depth) {}

  std::optional<Json> document() {
    auto value = read_value(0);
    skip_space();
    return value && at_ == text_.size() ? std::move(value) : std::nullopt;
  }

 private:
  bool done() const { return at_ == text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void skip_space() {
    while (!done() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take_digits() {
    const auto start = at_;
    while (is_digit(peek())) ++at_;
    return at_ != start;
  }

  std::optional<Json> read_value(int depth) {
    if (depth > max_depth_) return std::nullopt;
    skip_space();
    const auto start = at_;
    Json value;
    if (!read_into(value, depth)) return std::nullopt;
    value.raw = text_.substr(start, at_ - start);
    return value;
  }

  bool read_into(Json& value, int depth) {
    switch (peek()) {
      case '{': value.kind = Json::Kind::kMap; return read_map(value, depth);
      case '[': value.kind = Json::Kind::kList; return read_list(value, depth);
      case '"': value.kind = Json::Kind::kString; return read_text(value);
      case 't': value.kind = Json::Kind::kBool; return take_word("true");
      case 'f': value.kind = Json::Kind::kBool; return take_word("false");
      case 'n': value.kind = Json::Kind::kNull; return take_word("null");
      default: value.kind = Json::Kind::kNumber; return read_number();
    }
  }

  bool read_map(Json& map, int depth) {
    take('{');
    skip_space();
    if (take('}')) return true;
    do {
      skip_space();
      auto key = read_string();
      skip_space();
      if (!key || !take(':')) return false;
      auto value = read_value(depth + 1);
      if (!value) return false;
      map.members.push_back({std::move(*key), std::move(*value)});
      skip_space();
    } while (take(','));
    return take('}');
  }

  bool read_list(Json& list, int depth) {
    take('[');
    skip_space();
    if (take(']')) return true;
    do {
      auto item = read_value(depth + 1);
      if (!item) return false;
      list.items.push_back(std::move(*item));
      skip_space();
    } while (take(','));
    return take(']');
  }

  bool read_text(Json& value) {
    auto text = read_string();
    if (text) value.text = std::move(*text);
    return text.has_value();
  }

  bool read_number() {
    take('-');
    if (!take('0') && !take_digits()) return false;
    if (take('.') && !take_digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!take_digits()) return false;
    }
    return true;
  }

  std::optional<std::string> read_string() {
    if (!take('"')) return std::nullopt;
    std::string out;
    while (!done()) {
      const char c = text_[at_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) return std::nullopt;
      if (c != '\\')
        out.push_back(c);
      else if (!read_escape(out))
        return std::nullopt;
    }
    return std::nullopt;
  }

  bool read_escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (take('u')) {
      const auto code = read_code_point();
      if (code) append_utf8(out, *code);
      return code.has_value();
    }
    const auto found = done() ? std::string_view::npos : kNames.find(text_[at_]);
    if (found == std::string_view::npos) return false;
    out.push_back(kMeanings[found]);
    ++at_;
    return true;
  }

  // Four hex digits, or a surrogate pair of them; half a pair becomes the replacement character.
  std::optional<std::uint32_t> read_code_point() {
    constexpr std::uint32_t kReplacement = 0xFFFD;
    const auto first = read_hex4();
    if (!first || *first < 0xD800 || *first > 0xDFFF) return first;
    if (*first > 0xDBFF) return kReplacement;
    const auto before = at_;
    if (take_word("\\u"))
      if (const auto second = read_hex4(); second && *second >= 0xDC00 && *second <= 0xDFFF)
        return 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00);
    at_ = before;
    return kReplacement;
  }

  std::optional<std::uint32_t> read_hex4() {
    std::uint32_t code = 0;
    const auto digits = text_.substr(at_, 4);
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc() || stop != digits.data() + 4) return std::nullopt;
    at_ += 4;
    return code;
  }

  std::string_view text_;
  int max_depth_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::int64_t> Json::as_int() const {
  if (kind == Kind::kNull) return 0;
  if (kind != Kind::kNumber) return std::nullopt;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error != std::errc() || stop != raw.data() + raw.size()) return std::nullopt;
  return value;
}

std::optional<double> Json::as_double() const {
  if (kind == Kind::kNull) return 0;
  if (kind != Kind::kNumber) return std::nullopt;
  double value = 0;
  const auto [stop, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error != std::errc() || stop != raw.data() + raw.size()) return std::nullopt;
  return value;
}

const Json* Json::find(std::string_view key) const {
  const Json* found = nullptr;
  for (const auto& member : members)
    if (member.key == key) found = &member.value;
  return found;
}

std::string text_at(const Json* parent, std::string_view key) {
  const auto* found = parent == nullptr ? nullptr : parent->find(key);
  return found != nullptr && found->kind == Json::Kind::kString ? found->text : std::string();
}

std::optional<Json> read_json(std::string_view text, int max_depth) { return Reader(text, max_depth).document(); }

std::string json_string(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out.append(1, '\\').append(1, c);
    else if (code < 0x20)
      out.append("\\u00").append(1, kHex[code >> 4]).append(1, kHex[code & 0xF]);
    else
      out.append(1, c);
  }
  return out.append("\"");
}

}  // namespace muster
