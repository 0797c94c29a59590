#include "model/value.h"

namespace muster {

const Value* Value::find(std::string_view key) const {
  const Map* map = as_map();
  if (map == nullptr) return nullptr;
  for (const auto& [name, value] : *map)
    if (const std::string* text = name.as_string(); text != nullptr && *text == key) return &value;
  return nullptr;
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
