// Arbitrary bytes never crash the readers of objects, snapshots and cases, and every refusal says where in the text it stands.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "codec/case_reader.h"
#include "codec/object_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  const ObjectSink sink = [&](Object&& object, const Location& where) -> Result<void> {
    MUSTER_ASSERT(!meta_of(object).name.empty());
    MUSTER_ASSERT(where.line <= lines);
    return {};
  };

  const auto input = Input::of_text(text, "fuzz.json");
  if (!input) {
    MUSTER_ASSERT(input.error().location.line >= 1 && input.error().location.line <= lines);
    return 0;
  }
  const auto stats = read_objects(*input, sink);
  if (!stats)
    MUSTER_ASSERT(stats.error().location.line >= 1 && stats.error().location.line <= lines && !stats.error().message.empty());

  CaseReader cases(*input);
  while (const auto line = cases.next()) {
    static_cast<void>(cases.id_of(*line));
    const auto scenario = cases.read(*line, sink);
    if (!scenario) MUSTER_ASSERT(scenario.error().location.line == line->number);
  }
  return 0;
}
