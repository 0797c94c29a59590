#pragma once

// The pieces that API objects of many kinds have in common. All functions follow JsonDecoder's convention: false means that the
// decoder holds the error.

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/json_decoder.h"
#include "model/objects.h"
#include "model/quoted.h"

namespace muster {

// Whether a key names a field. Snapshots of Volcano's scheduler write some fields with a capital initial, which counts as the same.
inline bool is_field(std::string_view key, std::string_view name) {
  return key.size() == name.size() && (key.front() | 0x20) == name.front() && key.substr(1) == name.substr(1);
}

// The fields of every object, to tell mistyped ones.
inline constexpr std::array<std::string_view, 5> kObjectFields = {"apiVersion", "kind", "metadata", "spec", "status"};

bool read_meta(JsonDecoder& json, JsonValue& value, ObjectMeta& out);
// One field of the metadata; others are passed over.
bool read_meta_field(JsonDecoder& json, std::string_view key, JsonValue& field, ObjectMeta& out);
bool read_conditions(JsonDecoder& json, JsonValue& value, std::vector<Condition>& out);

bool read_quantity(JsonDecoder& json, JsonValue& value, Quantity& out);
bool read_resources(JsonDecoder& json, JsonValue& value, ResourceList& out);
// Resources where less than none is an error, as it is to the API server or to Volcano's admission.
bool read_amounts(JsonDecoder& json, JsonValue& value, ResourceList& out);
// The same for what pods ask for and nodes have: devices and other things that are counted come in whole numbers.
bool read_countable_amounts(JsonDecoder& json, JsonValue& value, ResourceList& out);
bool read_time(JsonDecoder& json, JsonValue& value, Timestamp& out);
bool read_strings(JsonDecoder& json, JsonValue& value, std::vector<std::string>& out);
bool read_string_map(JsonDecoder& json, JsonValue& value, StringMap& out);

bool read_label_selector(JsonDecoder& json, JsonValue& value, LabelSelector& out);
bool read_node_selector(JsonDecoder& json, JsonValue& value, NodeSelector& out);
bool read_node_selector_term(JsonDecoder& json, JsonValue& value, NodeSelectorTerm& out);

// A value of an optional field: present, even if it turns out to be empty.
template <class T, class Read>
bool read_optional(JsonDecoder& json, JsonValue& value, std::optional<T>& out, Read read) {
  return read(json, value, out.emplace());
}

// A list of objects, each read by `read(json, value, T&)`.
template <class T, class Read>
bool read_list(JsonDecoder& json, JsonValue& value, std::vector<T>& out, Read read) {
  out.clear();
  return json.array(value, [&](JsonValue& item) { return read(json, item, out.emplace_back()); });
}

// One of a few words. `choices` pairs each word with its meaning.
template <class T, std::size_t N>
bool read_choice(JsonDecoder& json, JsonValue& value, const std::pair<std::string_view, T> (&choices)[N], T& out) {
  std::string_view word;
  if (!json.text(value, word)) return false;
  for (const auto& [name, meaning] : choices) {
    if (word != name) continue;
    out = meaning;
    return true;
  }
  std::string message = quoted(word) + " is none of";
  for (std::size_t i = 0; i < N; ++i)
    if (!choices[i].first.empty()) message.append(i == 0 ? " " : ", ").append(choices[i].first);
  return json.wrong(value, std::move(message));
}

}  // namespace muster
