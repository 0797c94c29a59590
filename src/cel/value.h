#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cel/semver.h"
#include "model/quantity.h"

namespace muster::cel {

enum class Kind : std::uint8_t {
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kList,
  kMap,
  kQuantity,
  kSemver,
  kOptional,
  kType,
  kDevice,  // the variable `device` itself, which is no value
  kDyn,     // known only when it is evaluated
};
std::string_view name_of(Kind kind);

class Value;
struct ListData;
struct MapData;

// A value of an expression. Errors are values too: `false && error` is false.
class Value {
 public:
  struct Bytes {
    std::string bytes;
  };
  struct Error {
    std::shared_ptr<const std::string> text;
  };
  struct TypeName {
    std::string name;
  };
  using List = std::shared_ptr<const ListData>;
  using Map = std::shared_ptr<const MapData>;
  struct Optional {
    std::shared_ptr<const Value> value;  // nullptr: none
  };

  Value() = default;  // null
  Value(bool value) : data_(value) {}
  Value(std::int64_t value) : data_(value) {}
  Value(std::uint64_t value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(Bytes value) : data_(std::move(value)) {}
  Value(Quantity value) : data_(value) {}
  Value(Semver value) : data_(std::make_shared<const Semver>(std::move(value))) {}
  Value(List value) : data_(std::move(value)) {}
  Value(Map value) : data_(std::move(value)) {}
  Value(Optional value) : data_(std::move(value)) {}
  Value(TypeName value) : data_(std::move(value)) {}
  static Value list(std::vector<Value> items);
  static Value map(std::vector<std::pair<Value, Value>> entries, bool has_default = false);
  static Value error(std::string text);

  Kind kind() const;
  bool is(Kind wanted) const { return kind() == wanted; }
  bool is_error() const { return is(Kind::kError); }
  bool is_number() const { return is(Kind::kInt) || is(Kind::kUint) || is(Kind::kDouble); }

  bool boolean() const { return std::get<bool>(data_); }
  std::int64_t integer() const { return std::get<std::int64_t>(data_); }
  std::uint64_t unsigned_integer() const { return std::get<std::uint64_t>(data_); }
  double real() const { return std::get<double>(data_); }
  const std::string& string() const { return std::get<std::string>(data_); }
  const std::string& bytes() const { return std::get<Bytes>(data_).bytes; }
  const Quantity& quantity() const { return std::get<Quantity>(data_); }
  const Semver& semver() const { return *std::get<std::shared_ptr<const Semver>>(data_); }
  const std::vector<Value>& items() const;
  const MapData& map() const { return *std::get<Map>(data_); }
  const Value* optional() const { return std::get<Optional>(data_).value.get(); }
  const std::string& type() const { return std::get<TypeName>(data_).name; }
  const std::string& error_text() const { return *std::get<Error>(data_).text; }

  // How many elements, characters or bytes; 1 for everything else.
  std::uint64_t size() const;
  // What looking at all of it costs. Parts that are there several times count several times.
  std::uint64_t weight() const;

 private:
  struct Null {};
  std::variant<Null, bool, std::int64_t, std::uint64_t, double, std::string, Bytes, List, Map, Quantity,
               std::shared_ptr<const Semver>, Optional, TypeName, Error>
      data_;
};

struct ListData {
  std::vector<Value> items;
  std::uint64_t weight = 0;
};

struct MapData {
  std::vector<std::pair<Value, Value>> entries;
  std::uint64_t weight = 0;
  bool has_default = false;  // a key that is not there yields an empty map

  // nullptr when there is none.
  const Value* find(const Value& key) const;
};

// Values of different kinds are not equal, except numbers of the same value.
bool equal(const Value& left, const Value& right);
// -1, 0, 1; an error for kinds that have no order, or not a common one.
Value compare(const Value& left, const Value& right);

Value no_such_overload();
Value no_such_key(const Value& key);

}  // namespace muster::cel
