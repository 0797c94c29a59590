#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/value.h"

namespace muster::volcano {

// What a plugin or an action was given under `arguments:`. Values keep the type that YAML gave them, and the getters are exactly
// as loose as the original's: an absent key or a value of the wrong type leaves the fallback in force. They never complain; wrong
// types have already been reported when the configuration was read.
class Arguments {
 public:
  struct Entry {
    std::string key;
    Value value;
  };

  Arguments() = default;
  // Entries in document order; of two with the same key the later one counts.
  explicit Arguments(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  bool empty() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }

  bool has(std::string_view key) const { return find(key) != nullptr; }

  // The value as written, for structured arguments; nullptr when the key is absent.
  const Value* find(std::string_view key) const;

  std::int64_t get_int(std::string_view key, std::int64_t fallback) const;
  double get_float(std::string_view key, double fallback) const;
  bool get_bool(std::string_view key, bool fallback) const;
  std::string get_string(std::string_view key, std::string_view fallback) const;

  // The map below a key as arguments of its own, such as `thresholds: {cpu: 80}`. Empty when the key is absent, holds no map, or
  // holds one with a key that is not a string: the original then drops the whole map.
  Arguments nested(std::string_view key) const;

  // The entries whose key starts with the prefix, without it: below("tdm.revocable-zone.") gives the zones by name.
  Arguments below(std::string_view prefix) const;

 private:
  std::vector<Entry> entries_;
};

// The loose typing itself, for values that sit deeper.
//   int     a YAML integer only: neither 1.0 nor "10"
//   float   a YAML float or integer
//   bool    a YAML boolean, or a string among 1 t T true True TRUE 0 f F false False FALSE
//   string  a YAML string only
std::optional<std::int64_t> loose_int(const Value& value);
std::optional<double> loose_float(const Value& value);
std::optional<bool> loose_bool(const Value& value);
std::optional<std::string> loose_string(const Value& value);

// The other typing, of arguments that the original decodes into structures (all of resource-strategy-fit, volumebinding.*,
// dynamicresources.*, extender.managedResources): null is the zero value, a float is cut to an integer, strings are not booleans.
// Nothing comes back only for values that reading has already rejected.
std::optional<std::int64_t> decoded_int(const Value& value);
std::optional<double> decoded_float(const Value& value);
std::optional<bool> decoded_bool(const Value& value);
std::optional<std::string> decoded_string(const Value& value);

// A field of such a structure: the case of the key does not matter. nullptr when it is absent or the value is no map.
const Value* decoded_field(const Value& structure, std::string_view name);

// Whether two keys are the same but for the case of ASCII letters.
bool same_ignoring_case(std::string_view left, std::string_view right);

}  // namespace muster::volcano
