#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

// Writes JSON straight onto a string: no tree in between, no spaces, commas placed by the writer. The caller keeps the order
// legal (a key before each value of an object); the writer does not check it.
//
//   JsonWriter json(out);
//   json.begin_object().member("id", 7).key("names").begin_array().value("a").value("b").end_array().end_object();
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& null() { return raw("null"); }
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);  // the shortest text that reads back the same; null when it is not finite
  template <std::same_as<bool> B>
  JsonWriter& value(B flag) {
    return raw(flag ? "true" : "false");
  }
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  JsonWriter& value(I number) {
    if constexpr (std::signed_integral<I>)
      return integer(static_cast<std::int64_t>(number));
    else
      return integer(static_cast<std::uint64_t>(number));
  }

  // Inserts a value that is JSON already.
  JsonWriter& raw(std::string_view json);

  template <class T>
  JsonWriter& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& integer(std::int64_t number);
  JsonWriter& integer(std::uint64_t number);
  void separate();

  std::string& out_;
  bool need_comma_ = false;
};

// Appends the text as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, so that the output is always JSON.
void append_json_string(std::string& out, std::string_view text);

}  // namespace muster
