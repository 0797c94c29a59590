#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace muster {

// A configuration document as a tree of plain values that remember where they stood, so that whoever interprets them can name
// line and column. Scalars are already typed as YAML 1.1 types them (yes/no/on/off are booleans, 0x10 is 16, ~ is null).
class Value {
 public:
  using List = std::vector<Value>;
  using Map = std::vector<std::pair<Value, Value>>;  // in document order; keys are usually strings
  using Data = std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map>;

  Value() = default;
  explicit Value(Data data, std::uint64_t line = 0, std::uint64_t column = 0)
      : data_(std::move(data)), line_(line), column_(column) {}

  const Data& data() const { return data_; }
  std::uint64_t line() const { return line_; }
  std::uint64_t column() const { return column_; }

  // The column of a byte of a string's text, for messages about a part of it. Where the text is not written as it reads (several
  // lines, escapes) it is the column of the value.
  std::uint64_t column_of(std::size_t byte) const;
  // Says that the text is written as it reads, beginning at the value's column.
  void mark_verbatim() { verbatim_ = true; }

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  const bool* as_bool() const { return std::get_if<bool>(&data_); }
  const std::int64_t* as_int() const { return std::get_if<std::int64_t>(&data_); }
  const double* as_double() const { return std::get_if<double>(&data_); }
  const std::string* as_string() const { return std::get_if<std::string>(&data_); }
  const List* as_list() const { return std::get_if<List>(&data_); }
  const Map* as_map() const { return std::get_if<Map>(&data_); }

  // The member of a map with this string key, or nullptr.
  const Value* find(std::string_view key) const;

  // "a boolean", "a list": for messages about a wrong type.
  std::string_view type_name() const;

 private:
  Data data_;
  std::uint64_t line_ = 0;
  std::uint64_t column_ = 0;
  bool verbatim_ = false;
};

}  // namespace muster
