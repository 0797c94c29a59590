#include "codec/json_syntax.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/ascii.h"

namespace muster {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Whether one of eight bytes is a quote, a backslash or a control character: eight comparisons in one word. It may say yes wrongly,
// never no.
bool has_special_byte(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = kOnes << 7;
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t backslash = word ^ (kOnes * '\\');
  return (((quote - kOnes) | (backslash - kOnes) | (word - kOnes * 0x20)) & ~word & kHighs) != 0;
}

class Checker {
 public:
  Checker(std::string_view text, std::size_t offset, int max_depth)
      : begin_(text.data()), at_(text.data() + offset), end_(text.data() + text.size()), max_depth_(max_depth) {}

  bool value();
  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  JsonSyntaxError error() && { return {offset(), std::move(message_)}; }

 private:
  enum class Next { kValue, kFirstItem, kFirstKey, kAfterValue, kDone };

  bool step(Next& next);
  bool begin_value(Next& next);
  bool open(char closing, Next inside, Next& next);
  void close(Next& next);
  bool after_value(Next& next);
  bool key();
  bool string();
  bool escape();
  bool number();
  bool digits();
  bool word(std::string_view text);
  void skip_space() {
    while (at_ != end_ && is_space(*at_)) ++at_;
  }
  bool wrong(std::string message) {
    message_ = std::move(message);
    return false;
  }
  bool unexpected(std::string_view wanted);

  const char* begin_;
  const char* at_;
  const char* end_;
  int max_depth_;
  std::vector<char> open_;  // the closing brackets still to come
  std::string message_;
};

bool Checker::value() {
  open_.reserve(32);
  Next next = Next::kValue;
  while (next != Next::kDone) {
    skip_space();
    if (!step(next)) return false;
  }
  return true;
}

bool Checker::step(Next& next) {
  switch (next) {
    case Next::kFirstItem:
      if (at_ != end_ && *at_ == ']') {
        close(next);
        return true;
      }
      return begin_value(next);
    case Next::kFirstKey:
      if (at_ != end_ && *at_ == '}') {
        close(next);
        return true;
      }
      next = Next::kValue;
      return key();
    case Next::kValue: return begin_value(next);
    case Next::kAfterValue: return after_value(next);
    case Next::kDone: break;
  }
  return true;
}

bool Checker::begin_value(Next& next) {
  if (at_ == end_) return unexpected("a value");
  if (*at_ == '{') return open('}', Next::kFirstKey, next);
  if (*at_ == '[') return open(']', Next::kFirstItem, next);
  next = open_.empty() ? Next::kDone : Next::kAfterValue;
  switch (*at_) {
    case '"': return string();
    case 't': return word("true");
    case 'f': return word("false");
    case 'n': return word("null");
    default: return *at_ == '-' || is_digit(*at_) ? number() : unexpected("a value");
  }
}

bool Checker::open(char closing, Next inside, Next& next) {
  if (open_.size() >= static_cast<std::size_t>(max_depth_))
    return wrong("nested deeper than " + std::to_string(max_depth_) + " levels");
  open_.push_back(closing);
  ++at_;
  next = inside;
  return true;
}

void Checker::close(Next& next) {
  ++at_;
  open_.pop_back();
  next = open_.empty() ? Next::kDone : Next::kAfterValue;
}

bool Checker::after_value(Next& next) {
  if (at_ != end_ && *at_ == open_.back()) {
    close(next);
    return true;
  }
  const bool in_object = open_.back() == '}';
  if (at_ == end_ || *at_ != ',') return unexpected(in_object ? "',' or '}'" : "',' or ']'");
  ++at_;
  next = Next::kValue;
  if (!in_object) return true;
  skip_space();
  return key();
}

bool Checker::key() {
  if (at_ == end_ || *at_ != '"') return unexpected("a field name in double quotes");
  if (!string()) return false;
  skip_space();
  if (at_ == end_ || *at_ != ':') return unexpected("':'");
  ++at_;
  return true;
}

bool Checker::string() {
  const char* const opening = at_++;
  while (true) {
    while (end_ - at_ >= 8 && !has_special_byte(at_)) at_ += 8;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20) ++at_;
    if (at_ == end_) {
      at_ = opening;
      return wrong("a string that is never closed");
    }
    if (*at_ == '"') {
      ++at_;
      return true;
    }
    if (*at_ != '\\') return wrong("a control character inside a string");
    if (!escape()) return false;
  }
}

bool Checker::escape() {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  constexpr std::string_view kSimple = "\"\\/bfnrt";
  if (rest.size() >= 2 && kSimple.find(rest[1]) != std::string_view::npos) {
    at_ += 2;
    return true;
  }
  if (rest.size() >= 6 && rest[1] == 'u' && is_hex_digit(rest[2]) && is_hex_digit(rest[3]) && is_hex_digit(rest[4]) &&
      is_hex_digit(rest[5])) {
    at_ += 6;
    return true;
  }
  return wrong("an unknown escape inside a string");
}

bool Checker::number() {
  if (*at_ == '-') ++at_;
  if (at_ != end_ && *at_ == '0')
    ++at_;
  else if (!digits())
    return false;
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    if (!digits()) return false;
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!digits()) return false;
  }
  if (at_ != end_ && (is_digit(*at_) || *at_ == '.' || *at_ == '+' || *at_ == '-' || *at_ == '_'))
    return wrong("a malformed number");
  return true;
}

bool Checker::digits() {
  if (at_ == end_ || !is_digit(*at_)) return unexpected("a digit");
  while (at_ != end_ && is_digit(*at_)) ++at_;
  return true;
}

bool Checker::word(std::string_view text) {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  if (!rest.starts_with(text)) return unexpected("a value");
  at_ += text.size();
  return true;
}

bool Checker::unexpected(std::string_view wanted) {
  if (at_ == end_) return wrong("the text ends where " + std::string(wanted) + " is expected");
  const auto byte = static_cast<unsigned char>(*at_);
  const std::string found = byte > 0x20 && byte < 0x7F ? "'" + std::string(1, *at_) + "'" : "a character";
  return wrong(found + " where " + std::string(wanted) + " is expected");
}

}  // namespace

std::size_t skip_json_space(std::string_view text, std::size_t offset) {
  while (offset < text.size() && is_space(text[offset])) ++offset;
  return offset;
}

tl::expected<std::size_t, JsonSyntaxError> json_value_end(std::string_view text, std::size_t offset, int max_depth) {
  Checker checker(text, offset, max_depth);
  if (!checker.value()) return tl::unexpected<JsonSyntaxError>(std::move(checker).error());
  return checker.offset();
}

}  // namespace muster
