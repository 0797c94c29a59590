#include "app/yaml_text.h"

#include <algorithm>
#include <cctype>

#include "base/assert.h"
#include "codec/json_syntax.h"
#include "codec/yaml_scalar.h"

namespace muster {
namespace {

// Strings that mean themselves without quotes. JSON's quoted form is good YAML for all others.
bool is_plain(std::string_view text) {
  constexpr std::string_view kInside = "_./-";
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  if (text.empty() || !letter(text.front())) return false;
  if (!std::ranges::all_of(text, [&](char c) { return letter(c) || kInside.find(c) != std::string_view::npos; })) return false;
  return std::holds_alternative<std::string>(resolve_plain_scalar(text));
}

class Writer {
 public:
  explicit Writer(std::string_view json) : json_(json) {}

  std::string run() {
    value(0, Position::kRoot);
    return std::move(out_);
  }

 private:
  enum class Position { kRoot, kAfterKey, kAfterDash };

  // The next character that says something.
  char peek() {
    at_ = skip_json_space(json_, at_);
    return here();
  }
  char here() const {
    MUSTER_ASSERT(at_ < json_.size());
    return json_[at_];
  }

  void value(std::size_t indent, Position position) {
    if (peek() == '{') return container(indent, position, '}');
    if (peek() == '[') return container(indent, position, ']');
    if (position == Position::kAfterKey) out_ += ' ';
    out_.append(scalar()).append("\n");
  }

  void container(std::size_t indent, Position position, char end) {
    ++at_;
    if (peek() == end) {
      ++at_;
      out_.append(position == Position::kAfterKey ? " " : "").append(end == '}' ? "{}\n" : "[]\n");
      return;
    }
    if (position == Position::kAfterKey) out_ += '\n';
    const bool first_is_placed = position == Position::kAfterDash;  // "- a: 1": the first entry stands on the line of the dash
    for (bool first = true; peek() != end; first = false) {
      if (peek() == ',') ++at_;
      if (!first || !first_is_placed) out_.append(indent, ' ');
      end == '}' ? member(indent) : item(indent);
    }
    ++at_;
  }

  void member(std::size_t indent) {
    out_ += scalar();
    MUSTER_ASSERT(peek() == ':');
    ++at_;
    out_ += ':';
    value(indent + 2, Position::kAfterKey);
  }

  void item(std::size_t indent) {
    out_ += "- ";
    value(indent + 2, Position::kAfterDash);
  }

  std::string_view scalar() {
    const bool is_text = peek() == '"';
    const auto begin = at_;
    if (!is_text) {
      at_ = std::min(json_.find_first_of(",]} \t\r\n", at_), json_.size());
      return json_.substr(begin, at_ - begin);
    }
    for (++at_; here() != '"'; ++at_)
      if (here() == '\\') ++at_;
    ++at_;
    const auto quoted = json_.substr(begin, at_ - begin);
    const auto inside = quoted.substr(1, quoted.size() - 2);
    return is_plain(inside) ? inside : quoted;
  }

  std::string_view json_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string yaml_of_json(std::string_view json) { return Writer(json).run(); }

}  // namespace muster
