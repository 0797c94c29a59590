#include "cel/lexer.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/ascii.h"
#include "cel/parser.h"

namespace muster::cel {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6)), put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12)), put(0x80 | ((code >> 6) & 0x3F)), put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18)), put(0x80 | ((code >> 12) & 0x3F)), put(0x80 | ((code >> 6) & 0x3F)), put(0x80 | (code & 0x3F));
  }
}

// The letters before a quote: raw, bytes, both. None of them: not a string.
struct Prefix {
  bool raw = false;
  bool bytes = false;
  std::size_t length = 0;
  bool quote = false;
};

Prefix prefix_of(std::string_view text) {
  Prefix prefix;
  for (const char c : text.substr(0, 3)) {
    if ((c == 'r' || c == 'R') && !prefix.raw) {
      prefix.raw = true;
    } else if ((c == 'b' || c == 'B') && !prefix.bytes) {
      prefix.bytes = true;
    } else {
      prefix.quote = c == '"' || c == '\'';
      return prefix;
    }
    ++prefix.length;
  }
  return prefix;
}

constexpr std::string_view kSymbols[] = {"&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/",
                                         "%",  "!",  "?",  ":",  ".",  ",",  "(", ")", "[", "]", "{", "}"};

}  // namespace

Token Lexer::token(Token::Kind kind, std::size_t begin) const {
  Token token;
  token.kind = kind;
  token.at = static_cast<std::uint32_t>(begin);
  token.text = text_.substr(begin, at_ - begin);
  return token;
}

void Lexer::skip_space() {
  for (;;) {
    while (at_ < text_.size() && std::string_view(" \t\r\n\f").find(text_[at_]) != std::string_view::npos) ++at_;
    if (!text_.substr(at_).starts_with("//")) return;
    at_ = std::min(text_.find('\n', at_), text_.size());
  }
}

Result<Token> Lexer::next() {
  skip_space();
  const auto begin = at_;
  if (at_ == text_.size()) return token(Token::Kind::kEnd, begin);
  const char c = text_[at_];
  if (prefix_of(text_.substr(at_)).quote) return string();
  if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
  if (is_name_start(c)) {
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    return token(Token::Kind::kName, begin);
  }
  if (c == '`') {
    const auto end = text_.find('`', at_ + 1);
    if (end == std::string_view::npos) return fail(error_at(text_, begin, "Syntax error: the quoted name does not end"));
    at_ = end + 1;
    auto quoted = token(Token::Kind::kQuotedName, begin);
    quoted.name = std::string(quoted.text.substr(1, quoted.text.size() - 2));
    return quoted;
  }
  for (const auto symbol : kSymbols)
    if (text_.substr(at_).starts_with(symbol)) {
      at_ += symbol.size();
      return token(Token::Kind::kSymbol, begin);
    }
  return fail(error_at(text_, begin, "Syntax error: token recognition error at: '" + std::string(1, c) + "'"));
}

Result<Token> Lexer::number() {
  const auto begin = at_;
  const auto digits = [&](auto accept) {
    while (at_ < text_.size() && accept(text_[at_])) ++at_;
  };
  const auto bad = [&](std::string_view what) { return fail(error_at(text_, begin, "invalid " + std::string(what) + " literal")); };
  const bool hex = text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X");
  bool real = false;
  if (hex) {
    at_ += 2;
    digits(is_hex_digit);
  } else {
    digits(is_digit);
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      real = true;
      ++at_;
      digits(is_digit);
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      auto after = at_ + 1;
      if (after < text_.size() && (text_[after] == '+' || text_[after] == '-')) ++after;
      if (after < text_.size() && is_digit(text_[after])) {
        real = true;
        at_ = after;
        digits(is_digit);
      }
    }
  }
  const auto written = text_.substr(begin + (hex ? 2 : 0), at_ - begin - (hex ? 2 : 0));
  const bool is_unsigned = !real && at_ < text_.size() && (text_[at_] == 'u' || text_[at_] == 'U');
  if (is_unsigned) ++at_;
  auto result = token(Token::Kind::kLiteral, begin);
  if (real) {
    double value = 0;
    const auto [stop, error] = std::from_chars(written.data(), written.data() + written.size(), value);
    if (error != std::errc() || stop != written.data() + written.size()) return bad("double");
    result.literal = Value(value);
    return result;
  }
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(written.data(), written.data() + written.size(), value, hex ? 16 : 10);
  if (error != std::errc() || stop != written.data() + written.size()) return bad(is_unsigned ? "uint" : "int");
  if (is_unsigned) {
    result.literal = Value(value);
    return result;
  }
  // The smallest integer is written as the negative of a number that is one too large; the parser puts the sign in.
  if (value > std::uint64_t{1} << 63) return bad("int");
  result.literal = value == std::uint64_t{1} << 63 ? Value(value) : Value(static_cast<std::int64_t>(value));
  return result;
}

Result<Token> Lexer::string() {
  const auto begin = at_;
  const auto prefix = prefix_of(text_.substr(at_));
  at_ += prefix.length;
  const char quote = text_[at_];
  const std::string triple(3, quote);
  const bool long_form = text_.substr(at_).starts_with(triple);
  at_ += long_form ? 3 : 1;
  std::string out;
  for (;;) {
    if (at_ >= text_.size() || (!long_form && text_[at_] == '\n'))
      return fail(error_at(text_, begin, "Syntax error: the string does not end"));
    if (long_form ? text_.substr(at_).starts_with(triple) : text_[at_] == quote) break;
    if (text_[at_] == '\\' && !prefix.raw) {
      if (auto done = escape(out, prefix.bytes); !done) return fail(done.error());
      continue;
    }
    out.push_back(text_[at_++]);
  }
  at_ += long_form ? 3 : 1;
  auto result = token(Token::Kind::kLiteral, begin);
  result.literal = prefix.bytes ? Value(Value::Bytes{std::move(out)}) : Value(std::move(out));
  return result;
}

Result<void> Lexer::escape(std::string& out, bool bytes) {
  const auto begin = at_++;
  const auto bad = [&] { return fail(error_at(text_, begin, "Syntax error: unable to unescape string")); };
  if (at_ >= text_.size()) return bad();
  const char c = text_[at_++];
  constexpr std::string_view kFrom = "abfnrtv\\\"'`?";
  constexpr std::string_view kTo = "\a\b\f\n\r\t\v\\\"'`?";
  if (const auto found = kFrom.find(c); found != std::string_view::npos) {
    out.push_back(kTo[found]);
    return {};
  }
  const auto code = [&](std::size_t length, int base) -> std::int64_t {
    const auto written = text_.substr(at_, length);
    std::uint32_t value = 0;
    const auto [stop, error] = std::from_chars(written.data(), written.data() + written.size(), value, base);
    if (written.size() != length || error != std::errc() || stop != written.data() + length) return -1;
    at_ += length;
    return value;
  };
  std::int64_t value = -1;
  bool byte = bytes;
  switch (c) {
    case 'x':
    case 'X': value = code(2, 16); break;
    case 'u': value = code(4, 16), byte = false; break;
    case 'U': value = code(8, 16), byte = false; break;
    default:
      if (c < '0' || c > '3') return bad();
      --at_;
      value = code(3, 8);
  }
  if (value < 0 || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return bad();
  if (byte)
    out.push_back(static_cast<char>(value));
  else
    append_utf8(out, static_cast<std::uint32_t>(value));
  return {};
}

}  // namespace muster::cel
