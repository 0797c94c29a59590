#include "model/value.h"

#include <algorithm>

namespace muster {

const Value* Value::find(std::string_view key) const {
  const Map* map = as_map();
  if (map == nullptr) return nullptr;
  for (const auto& [name, value] : *map)
    if (const std::string* text = name.as_string(); text != nullptr && *text == key) return &value;
  return nullptr;
}

std::uint64_t Value::column_of(std::size_t byte) const {
  const auto* text = as_string();
  if (text == nullptr || !verbatim_ || byte > text->size()) return column_;
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  const auto before = std::count_if(text->begin(), text->begin() + static_cast<std::ptrdiff_t>(byte), is_first_byte);
  return column_ + static_cast<std::uint64_t>(before);
}

std::string_view Value::type_name() const {
  struct Namer {
    std::string_view operator()(std::monostate) const { return "null"; }
    std::string_view operator()(bool) const { return "a boolean"; }
    std::string_view operator()(std::int64_t) const { return "an integer"; }
    std::string_view operator()(double) const { return "a number"; }
    std::string_view operator()(const std::string&) const { return "a string"; }
    std::string_view operator()(const List&) const { return "a list"; }
    std::string_view operator()(const Map&) const { return "a map"; }
  };
  return std::visit(Namer(), data_);
}

}  // namespace muster
