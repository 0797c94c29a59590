#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/json.h"

namespace muster::grouping {

// Labels or annotations, by name.
using Texts = std::map<std::string, std::string, std::less<>>;

struct ObjectKind {
  std::string group;  // empty for the core group
  std::string version;
  std::string kind;

  auto operator<=>(const ObjectKind&) const = default;
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  static ObjectKind of(std::string_view api_version, std::string_view kind);
};

struct OwnerReference {
  ObjectKind kind;
  std::string name;
  std::string uid;
  bool is_controller = false;
  bool blocks_deletion = false;

  auto operator<=>(const OwnerReference&) const = default;
};

// So deep are objects read: owners of owners, with templates of pods in them and notes of who wrote which field.
inline constexpr int kObjectDepth = 64;

// An object of the API, of whatever kind, as groupers read it. Labels and annotations can be changed in a copy, as if it had
// others; everything else is what the text says.
class Object {
 public:
  // Nothing when the text is no JSON object, or nested too deep. The kind is given, because the items of a list do not name theirs.
  static std::optional<Object> read(std::string text, ObjectKind kind);

  ObjectKind kind;
  std::string ns;
  std::string name;
  std::string uid;
  bool is_deleting = false;
  Texts labels;
  Texts annotations;
  std::vector<OwnerReference> owners;

  std::optional<std::string> label(std::string_view key) const;
  std::optional<std::string> annotation(std::string_view key) const;

  // The field at a dotted path; nullptr where there is none, or null.
  const Json* at(std::string_view path) const;
  std::string text_at(std::string_view path) const;
  std::optional<std::int64_t> integer_at(std::string_view path) const;
  OwnerReference reference() const;

 private:
  struct Content {
    std::string text;
    Json root;  // views into the text
  };
  std::shared_ptr<const Content> content_;
};

// The same from any value.
const Json* json_at(const Json* from, std::string_view path);
std::string json_text_at(const Json* from, std::string_view path);
std::optional<std::int64_t> json_integer_at(const Json* from, std::string_view path);
// A map of texts; whatever is none is left out.
Texts json_texts(const Json* map);
// Whether two values say the same: the order of members does not matter, and numbers are equal by their text.
bool json_equal(const Json& a, const Json& b);

std::optional<std::string> text_of(const Texts& texts, std::string_view key);
// {"a":"b"}.
std::string texts_json(const Texts& texts);
std::string references_json(const std::vector<OwnerReference>& owners);

}  // namespace muster::grouping
