#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codec/json_writer.h"

namespace muster {

// A member that is an object of texts, or a list of them.
inline void write(JsonWriter& json, std::string_view key, const std::map<std::string, std::string>& names) {
  json.key(key).begin_object();
  for (const auto& [name, value] : names) json.member(name, value);
  json.end_object();
}
inline void write(JsonWriter& json, std::string_view key, const std::vector<std::string>& list) {
  json.key(key).begin_array();
  for (const auto& item : list) json.value(item);
  json.end_array();
}

}  // namespace muster
