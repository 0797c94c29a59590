#pragma once

// Plain values to bytes and back, field by field in the order in which they are declared: what a value is made of is asked of the
// compiler, so that a new field of an object cannot be forgotten. The bytes say nothing of the fields: whoever keeps them keeps
// plain_shape() with them and reads them again only where it is the same.

#include <array>
#include <bit>
#include <boost/pfr/core.hpp>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "model/quantity.h"
#include "model/selector.h"

namespace muster {

// The last of an enumeration's values, which begin at 0 and leave none out. Bytes that say more are refused.
template <class Enum>
struct LastOf;

class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  void byte(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  void signed_number(std::int64_t value) {
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void text(std::string_view value) {
    number(value.size());
    out_.append(value);
  }

 private:
  std::string& out_;
};

// Once something cannot be read, nothing can: what is read then is empty or 0, and good() says so.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool good() const { return good_; }
  void refuse() { good_ = false; }
  std::size_t left() const { return good_ ? rest_.size() : 0; }

  std::uint8_t byte() {
    if (left() == 0) return refuse(), 0;
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto next = byte();
      if (shift == 63 && next > 1) break;
      value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
      if ((next & 0x80) == 0) return good_ ? value : 0;
    }
    return refuse(), 0;
  }
  std::int64_t signed_number() {
    const auto value = number();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  std::string text() {
    const auto size = number();
    if (size > left()) return refuse(), std::string();
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }
  // How many of something follow, each of at least one byte.
  std::size_t count() {
    const auto value = number();
    if (value > left()) return refuse(), 0;
    return static_cast<std::size_t>(value);
  }
  // Values hold values: so deep and no deeper.
  bool enter() { return ++depth_ <= kDeepest || (refuse(), false); }
  void leave() { --depth_; }

 private:
  static constexpr int kDeepest = 64;
  std::string_view rest_;
  bool good_ = true;
  int depth_ = 0;
};

namespace plain {

template <class T>
struct Is {
  static constexpr bool kVector = false, kOptional = false, kMap = false, kVariant = false, kShared = false, kDuration = false;
};
template <class T>
struct Is<std::vector<T>> : Is<void> {
  static constexpr bool kVector = true;
};
template <class T>
struct Is<std::optional<T>> : Is<void> {
  static constexpr bool kOptional = true;
};
template <class T>
struct Is<std::shared_ptr<const T>> : Is<void> {
  static constexpr bool kShared = true;
};
template <class Number, class Period>
struct Is<std::chrono::duration<Number, Period>> : Is<void> {
  static constexpr bool kDuration = true;
};
template <class K, class V, class Less>
struct Is<std::map<K, V, Less>> : Is<void> {
  static constexpr bool kMap = true;
};
template <class... T>
struct Is<std::variant<T...>> : Is<void> {
  static constexpr bool kVariant = true;
};

// What a quantity is made of. It shows no more than what can be reckoned with; bits are the only way to the same one again.
struct QuantityParts {
  std::int64_t whole = 0;
  std::int32_t nano = 0;
  Quantity::Format format{};
  std::int8_t written_exponent = 0;
};
static_assert(std::is_trivially_copyable_v<Quantity> && std::is_standard_layout_v<Quantity>);
#ifdef __cpp_lib_is_layout_compatible
static_assert(std::is_layout_compatible_v<QuantityParts, Quantity>);
#endif

}  // namespace plain

template <>
struct LastOf<Quantity::Format> {
  static constexpr auto kValue = Quantity::Format::kDecimalExponent;
};

template <class T>
void write_plain(ByteWriter& to, const T& value) {
  using Is = plain::Is<T>;
  if constexpr (std::same_as<T, std::string>) {
    to.text(value);
  } else if constexpr (std::same_as<T, bool>) {
    to.byte(value ? 1 : 0);
  } else if constexpr (std::same_as<T, std::monostate>) {
    to.byte(0);
  } else if constexpr (std::is_enum_v<T>) {
    to.number(static_cast<std::uint64_t>(value));
  } else if constexpr (std::signed_integral<T>) {
    to.signed_number(value);
  } else if constexpr (std::unsigned_integral<T>) {
    to.number(value);
  } else if constexpr (std::same_as<T, double>) {
    to.number(std::bit_cast<std::uint64_t>(value));
  } else if constexpr (std::same_as<T, Quantity>) {
    write_plain(to, std::bit_cast<plain::QuantityParts>(value));
  } else if constexpr (std::same_as<T, StringMap> || Is::kMap) {
    to.number(value.size());
    for (const auto& [key, item] : value) {
      write_plain(to, key);
      write_plain(to, item);
    }
  } else if constexpr (Is::kVector) {
    to.number(value.size());
    for (const auto& item : value) write_plain(to, item);
  } else if constexpr (Is::kDuration) {
    write_plain(to, value.count());
  } else if constexpr (Is::kOptional || Is::kShared) {
    to.byte(value ? 1 : 0);
    if (value) write_plain(to, *value);
  } else if constexpr (Is::kVariant) {
    to.number(value.index());
    std::visit([&](const auto& held) { write_plain(to, held); }, value);
  } else {
    boost::pfr::for_each_field(value, [&](const auto& field) { write_plain(to, field); });
  }
}

template <class T>
void read_plain(ByteReader& from, T& value);

namespace plain {

template <std::size_t At = 0, class... T>
void read_variant(ByteReader& from, std::variant<T...>& value, std::uint64_t index) {
  if constexpr (At == sizeof...(T)) {
    from.refuse();
  } else {
    if (index != At) return read_variant<At + 1>(from, value, index);
    read_plain(from, value.template emplace<At>());
  }
}

template <class T>
void read_number(ByteReader& from, T& value) {
  if constexpr (std::signed_integral<T>) {
    const auto read = from.signed_number();
    value = static_cast<T>(read);
    if (value != read) from.refuse();
  } else {
    const auto read = from.number();
    value = static_cast<T>(read);
    if (value != read) from.refuse();
  }
}

inline void read_quantity(ByteReader& from, Quantity& value) {
  QuantityParts parts;
  read_plain(from, parts);
  if (parts.nano < 0 || parts.nano >= 1'000'000'000) from.refuse();
  if (from.good()) value = std::bit_cast<Quantity>(parts);
}

inline void read_strings(ByteReader& from, StringMap& value) {
  std::vector<std::pair<std::string, std::string>> items;
  for (auto left = from.count(); left > 0 && from.good(); --left) {
    auto key = from.text();
    items.emplace_back(std::move(key), from.text());
  }
  value = StringMap(std::move(items));
}

template <class Map>
void read_map(ByteReader& from, Map& value) {
  for (auto left = from.count(); left > 0 && from.good(); --left) {
    typename Map::key_type key;
    read_plain(from, key);
    read_plain(from, value[std::move(key)]);
  }
}

template <class T>
void read_fields(ByteReader& from, T& value) {
  if (!from.enter()) return;
  boost::pfr::for_each_field(value, [&](auto& field) { read_plain(from, field); });
  from.leave();
}

}  // namespace plain

// Into a value that is as it was made. When reading fails it is left in between.
template <class T>
void read_plain(ByteReader& from, T& value) {
  using Is = plain::Is<T>;
  if constexpr (std::same_as<T, std::string>) {
    value = from.text();
  } else if constexpr (std::same_as<T, bool>) {
    const auto read = from.byte();
    if (read > 1) from.refuse();
    value = read == 1;
  } else if constexpr (std::same_as<T, std::monostate>) {
    if (from.byte() != 0) from.refuse();
  } else if constexpr (std::is_enum_v<T>) {
    const auto read = from.number();
    if (read > static_cast<std::uint64_t>(LastOf<T>::kValue)) return from.refuse();
    value = static_cast<T>(read);
  } else if constexpr (std::integral<T>) {
    plain::read_number(from, value);
  } else if constexpr (std::same_as<T, double>) {
    value = std::bit_cast<double>(from.number());
  } else if constexpr (std::same_as<T, Quantity>) {
    plain::read_quantity(from, value);
  } else if constexpr (std::same_as<T, StringMap>) {
    plain::read_strings(from, value);
  } else if constexpr (Is::kMap) {
    plain::read_map(from, value);
  } else if constexpr (Is::kVector) {
    for (auto left = from.count(); left > 0 && from.good(); --left) read_plain(from, value.emplace_back());
  } else if constexpr (Is::kDuration) {
    typename T::rep count{};
    read_plain(from, count);
    value = T(count);
  } else if constexpr (Is::kOptional) {
    const auto read = from.byte();
    if (read > 1) from.refuse();
    if (read == 1) read_plain(from, value.emplace());
  } else if constexpr (Is::kShared) {
    std::optional<std::remove_const_t<typename T::element_type>> held;
    read_plain(from, held);
    if (held) value = std::make_shared<typename T::element_type>(std::move(*held));
  } else if constexpr (Is::kVariant) {
    plain::read_variant(from, value, from.number());
  } else {
    plain::read_fields(from, value);
  }
}

namespace plain {

// One address for each type.
template <class T>
inline constexpr char kTypeMark = 0;

template <class T>
void write_shape(std::string& out, std::set<const char*>& seen);

template <class T>
void write_field_shapes(std::string& out, std::set<const char*>& seen) {
  if (!seen.insert(&kTypeMark<T>).second) {  // it holds values of its own kind, or was told before
    out += '^';
    return;
  }
  out += '{';
  [&]<std::size_t... At>(std::index_sequence<At...>) {
    (write_shape<boost::pfr::tuple_element_t<At, T>>(out, seen), ...);
  }(std::make_index_sequence<boost::pfr::tuple_size_v<T>>());
  out += '}';
}

template <class T>
void write_shape(std::string& out, std::set<const char*>& seen) {
  using Is = plain::Is<T>;
  if constexpr (std::same_as<T, std::string>) {
    out += 's';
  } else if constexpr (std::same_as<T, bool>) {
    out += 'b';
  } else if constexpr (std::same_as<T, std::monostate>) {
    out += '0';
  } else if constexpr (std::is_enum_v<T>) {
    out += 'e' + std::to_string(static_cast<unsigned>(LastOf<T>::kValue));
  } else if constexpr (std::integral<T>) {
    out += (std::signed_integral<T> ? 'i' : 'u') + std::to_string(sizeof(T));
  } else if constexpr (std::same_as<T, double>) {
    out += 'd';
  } else if constexpr (std::same_as<T, Quantity>) {
    out += 'q';
  } else if constexpr (std::same_as<T, StringMap>) {
    out += 'm';
  } else if constexpr (Is::kMap) {
    out += '<';
    write_shape<typename T::key_type>(out, seen);
    write_shape<typename T::mapped_type>(out, seen);
    out += '>';
  } else if constexpr (Is::kVector) {
    out += '[';
    write_shape<typename T::value_type>(out, seen);
    out += ']';
  } else if constexpr (Is::kDuration) {
    write_shape<typename T::rep>(out, seen);
  } else if constexpr (Is::kOptional) {
    out += '?';
    write_shape<typename T::value_type>(out, seen);
  } else if constexpr (Is::kShared) {
    out += '?';
    write_shape<std::remove_const_t<typename T::element_type>>(out, seen);
  } else if constexpr (Is::kVariant) {
    out += '(';
    [&]<class... Held>(std::type_identity<std::variant<Held...>>) { (write_shape<Held>(out, seen), ...); }(std::type_identity<T>());
    out += ')';
  } else {
    write_field_shapes<T>(out, seen);
  }
}

}  // namespace plain

// How values of a type are laid out in bytes: two programs that say the same read each other's. Names of fields do not count.
template <class T>
std::string plain_shape() {
  std::string out;
  std::set<const char*> seen;
  plain::write_shape<T>(out, seen);
  return out;
}

}  // namespace muster
