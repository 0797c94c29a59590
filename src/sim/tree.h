#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <variant>
#include <vector>

namespace muster::sim {

// A JSON document that can be changed: what patches work on. Members keep the order in which they came; numbers keep their text, so
// that nothing is rounded on the way through the store.
//
// A dotted path ("metadata.labels") names members of maps only; keys that hold dots themselves are reached step by step.
class Tree {
 public:
  struct Number {
    std::string text;
  };
  struct Member;
  using List = std::vector<Tree>;
  using Map = std::vector<Member>;

  Tree() = default;  // null
  explicit Tree(bool value);
  explicit Tree(std::int64_t value);
  explicit Tree(std::string text);
  explicit Tree(std::string_view text);
  explicit Tree(const char* text);
  explicit Tree(List items);
  explicit Tree(Number number);
  static Tree map();
  static Tree list();

  // Exactly one JSON value, in UTF-8 and not nested too deep; otherwise what is wrong with it, and where.
  static tl::expected<Tree, std::string> parse(std::string_view text);
  std::string text() const;
  // How deep it is nested: 0 for what is neither map nor list.
  std::size_t append_to(std::string& out) const;
  std::size_t levels() const;

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_map() const { return std::holds_alternative<Map>(data_); }
  bool is_list() const { return std::holds_alternative<List>(data_); }
  const bool* as_bool() const { return std::get_if<bool>(&data_); }
  const std::string* as_string() const { return std::get_if<std::string>(&data_); }
  const Number* as_number() const { return std::get_if<Number>(&data_); }
  std::optional<std::int64_t> as_integer() const;
  const List* as_list() const { return std::get_if<List>(&data_); }
  List* as_list() { return std::get_if<List>(&data_); }
  const Map* as_map() const { return std::get_if<Map>(&data_); }
  Map* as_map() { return std::get_if<Map>(&data_); }
  // The text of a string, of a number or of a boolean; empty for everything else.
  std::string scalar_text() const;

  // The member of a map; nullptr where there is none.
  const Tree* find(std::string_view key) const;
  Tree* find(std::string_view key) { return const_cast<Tree*>(std::as_const(*this).find(key)); }
  // The same by a dotted path.
  const Tree* at(std::string_view path) const;
  Tree* at(std::string_view path) { return const_cast<Tree*>(std::as_const(*this).at(path)); }
  // The text of a string by a dotted path; empty where there is none.
  std::string_view text_at(std::string_view path) const;
  std::optional<std::int64_t> integer_at(std::string_view path) const;
  bool true_at(std::string_view path) const;

  // The member of a map, made where there is none; what is no map becomes an empty one.
  Tree& operator[](std::string_view key);
  Tree& make(std::string_view path);
  void erase(std::string_view key);
  void erase_at(std::string_view path);
  void push_back(Tree item);  // onto a list; what is none becomes an empty one

  // The order of members does not matter, and numbers are equal by their text.
  bool operator==(const Tree& other) const;

 private:
  std::variant<std::monostate, bool, Number, std::string, List, Map> data_;
};

struct Tree::Member {
  std::string key;
  Tree value;
};

// Here a member is complete, which a variant wants to know.
inline Tree::Tree(bool value) : data_(value) {}
inline Tree::Tree(std::int64_t value) : data_(Number{std::to_string(value)}) {}
inline Tree::Tree(std::string text) : data_(std::move(text)) {}
inline Tree::Tree(std::string_view text) : data_(std::string(text)) {}
inline Tree::Tree(const char* text) : data_(std::string(text)) {}
inline Tree::Tree(List items) : data_(std::move(items)) {}
inline Tree::Tree(Number number) : data_(std::move(number)) {}
inline Tree Tree::list() { return Tree(List()); }

// The deepest that an object may be nested. Requests are read deeper (kMaxDepth), and what is put around an object in files, lists
// and watches must be read as well.
inline constexpr std::size_t kMostLevels = 100;

// A map of texts: labels, annotations.
std::vector<std::pair<std::string, std::string>> texts_of(const Tree* map);

}  // namespace muster::sim
