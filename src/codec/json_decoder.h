#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "codec/positions.h"

namespace muster {

// A JSON value under the decoder's cursor. It is only good inside the call that hands it out.
class JsonValue;

// Walks one JSON document front to back and hands its pieces to the caller, who knows what they should be.
//
// Every reading function returns whether it went well. The first failure is kept in the decoder, and the caller returns false all
// the way up; on that way the decoder puts together the path of the field. So the happy path costs nothing:
//
//   bool read_port(JsonDecoder& json, JsonValue& value, Port& port) {
//     return json.object(value, [&](std::string_view key, JsonValue& field) {
//       if (key == "hostPort") return json.integer(field, port.host_port);
//       if (key == "protocol") return json.string(field, port.protocol);
//       return true;  // other fields do not matter
//     });
//   }
class JsonDecoder {
 public:
  JsonDecoder();
  ~JsonDecoder();
  JsonDecoder(const JsonDecoder&) = delete;
  JsonDecoder& operator=(const JsonDecoder&) = delete;

  // Walks the document from `begin` to `end` of a text: an object or an array that json_value_end accepted. Behind the text there
  // must be padding, as an Input has it. on_root(JsonValue&) gets the document; offsets are counted in the text.
  template <class F>
  bool document(std::string_view text, std::size_t begin, std::size_t end, F&& on_root) {
    return walk_document(text, begin, end, {address(&on_root), [](void* f, JsonValue& root) { return (*as<F>(f))(root); }});
  }

  // Calls on_field(std::string_view key, JsonValue& value) for every field that is not null. The key dies with the next call.
  template <class F>
  bool object(JsonValue& value, F&& on_field) {
    return walk_object(
        value, {address(&on_field), [](void* f, std::string_view key, JsonValue& field) { return (*as<F>(f))(key, field); }});
  }
  // Calls on_item(JsonValue&) for every item that is not null.
  template <class F>
  bool array(JsonValue& value, F&& on_item) {
    return walk_array(value, {address(&on_item), [](void* f, JsonValue& item) { return (*as<F>(f))(item); }});
  }
  // Like object(), but the value can be walked once more afterwards. Fields are not to be descended into; on_field returns false
  // to end the walk early, which is no failure.
  template <class F>
  bool peek(JsonValue& value, F&& on_field) {
    return peek_object(
        value, {address(&on_field), [](void* f, std::string_view key, JsonValue& field) { return (*as<F>(f))(key, field); }});
  }

  bool string(JsonValue& value, std::string& out);
  bool string(JsonValue& value, std::optional<std::string>& out) { return string(value, out.emplace()); }
  // The text of a string without a copy where it has no escapes; it dies with the next call that reads a string.
  bool text(JsonValue& value, std::string_view& out);
  bool boolean(JsonValue& value, bool& out);
  bool integer(JsonValue& value, std::int32_t& out);
  bool integer(JsonValue& value, std::int64_t& out);
  template <class Int>
  bool integer(JsonValue& value, std::optional<Int>& out) {
    return integer(value, out.emplace());
  }
  bool number(JsonValue& value, double& out);
  // A string's text or a number as it is written.
  bool text_or_number(JsonValue& value, std::string_view& out);
  // The text of a string, a number or a boolean.
  bool scalar_text(JsonValue& value, std::string& out);
  // An object as it is written.
  bool object_text(JsonValue& value, std::string& out);
  // The text of a JSON string that stands alone, quotes included; empty for anything else.
  static std::string string_of(std::string_view json);

  bool is_object(JsonValue& value) const;
  bool is_array(JsonValue& value) const;
  bool is_string(JsonValue& value) const;
  std::size_t offset(JsonValue& value) const;

  // The document from a value to the end.
  std::string_view rest(JsonValue& value) const;

  // Records what is wrong with a value; false, for `return json.wrong(...)`.
  bool wrong(JsonValue& value, std::string message);
  // "must be a string, not a number".
  bool wrong_type(JsonValue& value, std::string_view wanted);
  // The same for a field that should be inside the value and is not.
  bool missing(JsonValue& value, std::string field);
  // Says in which object the failure is: the path of the field then begins there.
  bool failed_in(std::string object);
  // Records a failure from outside, which is handed on as it is.
  bool failed(Error error);

  // What went wrong, and where.
  Error take_error(Positions& positions);

  // A field that its object does not have.
  struct UnknownField {
    std::string field;       // "spec.resorces"
    std::string suggestion;  // the nearest that it has; empty when none is near
    std::size_t offset = 0;  // of its value
  };
  // Notes a field of the object at `path` that it does not have; true, for `return json.unknown(...)`. Only the first few of a
  // document are kept until they are taken.
  bool unknown(JsonValue& field, std::string_view path, std::string_view key, std::span<const std::string_view> known);
  // The same where not all of the known ones were read.
  bool unknown_unless_known(JsonValue& field, std::string_view path, std::string_view key, std::span<const std::string_view> known);
  // The same for objects of which not all fields are known: only what is nearly one of those is noted.
  bool perhaps_mistyped(JsonValue& field, std::string_view path, std::string_view key, std::span<const std::string_view> known);
  bool has_unknown() const { return !unknown_.empty(); }
  std::vector<UnknownField> take_unknown() { return std::exchange(unknown_, {}); }

 private:
  // A callable on its way through a type that does not know it; as<F>() gives it back as it was, const or not.
  static void* address(const void* callable) { return const_cast<void*>(callable); }
  template <class F>
  static std::remove_reference_t<F>* as(void* f) {
    return static_cast<std::remove_reference_t<F>*>(f);
  }
  struct OnField {
    void* callable;
    bool (*call)(void*, std::string_view, JsonValue&);
  };
  struct OnItem {
    void* callable;
    bool (*call)(void*, JsonValue&);
  };
  struct Parser;

  bool walk_document(std::string_view text, std::size_t begin, std::size_t end, OnItem on_root);
  bool walk_object(JsonValue& value, OnField on_field);
  bool walk_array(JsonValue& value, OnItem on_item);
  bool peek_object(JsonValue& value, OnField on_field);
  bool inside(std::string_view step);
  bool broken(int code);

  std::unique_ptr<Parser> parser_;
  std::string_view text_;
  std::size_t end_ = 0;  // of the document
  std::string unescaped_;
  Error error_;
  std::size_t error_offset_ = 0;
  bool path_complete_ = false;
  bool from_outside_ = false;
  std::vector<UnknownField> unknown_;
  std::set<std::pair<const void*, std::string>> unlike_;  // by the list of known ones, fields that are like none of them
};

}  // namespace muster
