#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/value.h"

namespace muster::cel {

struct Token {
  enum class Kind : std::uint8_t { kEnd, kName, kQuotedName, kLiteral, kSymbol };
  Kind kind = Kind::kEnd;
  std::uint32_t at = 0;
  std::string_view text;  // as written
  Value literal;
  std::string name;  // of a quoted name

  bool is(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
};

// Cuts an expression into tokens. Whitespace and // comments are passed over.
class Lexer {
 public:
  explicit Lexer(std::string_view expression) : text_(expression) {}
  Result<Token> next();

 private:
  void skip_space();
  Result<Token> number();
  Result<Token> string();
  Result<void> escape(std::string& out, bool bytes);
  Token token(Token::Kind kind, std::size_t begin) const;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace muster::cel
