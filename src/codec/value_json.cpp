#include "codec/value_json.h"

#include "codec/json_writer.h"

namespace muster {
namespace {

void write_value(JsonWriter& json, const Value& value);

std::string map_key_text(const Value& key) {
  if (const auto* text = key.as_string()) return *text;
  return json_of_value(key);
}

void write_list(JsonWriter& json, const Value::List& list) {
  json.begin_array();
  for (const auto& item : list) write_value(json, item);
  json.end_array();
}

void write_map(JsonWriter& json, const Value::Map& map) {
  json.begin_object();
  for (const auto& [key, item] : map) {
    json.key(map_key_text(key));
    write_value(json, item);
  }
  json.end_object();
}

void write_value(JsonWriter& json, const Value& value) {
  if (const auto* flag = value.as_bool())
    json.value(*flag);
  else if (const auto* whole = value.as_int())
    json.value(*whole);
  else if (const auto* number = value.as_double())
    json.value(*number);
  else if (const auto* text = value.as_string())
    json.value(*text);
  else if (const auto* list = value.as_list())
    write_list(json, *list);
  else if (const auto* map = value.as_map())
    write_map(json, *map);
  else
    json.null();
}

}  // namespace

std::string json_of_value(const Value& value) {
  std::string out;
  JsonWriter json(out);
  write_value(json, value);
  return out;
}

}  // namespace muster
