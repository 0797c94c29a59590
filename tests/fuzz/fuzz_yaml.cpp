// Arbitrary bytes never crash the YAML reader, its values stand inside the text, and reading objects from it is as safe.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "codec/object_reader.h"
#include "codec/yaml_value.h"

namespace muster {
namespace {

void check_places(const Value& value, std::uint64_t lines) {
  MUSTER_ASSERT(value.line() <= lines);
  if (const auto* list = value.as_list())
    for (const auto& item : *list) check_places(item, lines);
  if (const auto* map = value.as_map())
    for (const auto& [key, item] : *map) {
      check_places(key, lines);
      check_places(item, lines);
    }
}

}  // namespace
}  // namespace muster

// The library forgets a few kilobytes when it refuses an unclosed string; that is not ours to find.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfyaml"; }  // NOLINT: the sanitizer's name

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Other breaks than \n and \r end a line too, so only an upper bound is known.
  const std::uint64_t lines = static_cast<std::uint64_t>(size) + 1;
  const auto value = read_yaml_value(text, "fuzz.yaml");
  if (value)
    check_places(*value, lines);
  else
    MUSTER_ASSERT(value.error().location.line <= lines && !value.error().message.empty());
  static_cast<void>(read_objects_text(text, "fuzz.yaml", [](Object&& object, const Location&) -> Result<void> {
    MUSTER_ASSERT(!meta_of(object).name.empty());
    return {};
  }));
  return 0;
}
