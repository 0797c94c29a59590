// Arbitrary document trees, made mostly of words that the configuration knows, never crash the reader, and its two readings agree.

#include <cstddef>
#include <cstdint>
#include <fuzzer/FuzzedDataProvider.h>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "model/value.h"
#include "policy/volcano/config.h"
#include "policy/volcano/settings_table.h"

namespace muster::volcano {
namespace {

constexpr int kDeepest = 8;

void add_arguments(std::span<const ArgumentSetting> arguments, std::vector<std::string>& words) {
  for (const ArgumentSetting& row : arguments) {
    words.emplace_back(row.name);
    for (const std::string_view choice : row.choices) words.emplace_back(choice);
    add_arguments(row.fields, words);
    if (row.element != nullptr) add_arguments({row.element, 1}, words);
  }
}

// Every name of the settings table, and some values.
const std::vector<std::string>& vocabulary() {
  static const std::vector<std::string> words_known = [] {
    std::vector<std::string> words = {
        "actions",   "tiers", "plugins", "name", "arguments", "configurations", "metrics", "enqueue, allocate, backfill",
        "allocate,", "1m30s", "0s",      "250m", "-1Mi",      "22:00-23:30",    "true"};
    for (const HookSetting& row : hook_settings()) words.emplace_back(row.key);
    for (const auto& components : {action_settings(), plugin_settings(), other_configurations()}) {
      for (const ComponentSetting& component : components) {
        words.emplace_back(component.name);
        add_arguments(component.arguments, words);
      }
    }
    add_arguments(metrics_settings(), words);
    return words;
  }();
  return words_known;
}

class TreeMaker {
 public:
  TreeMaker(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

  Value make(int depth = 0) {
    const auto line = bytes_.ConsumeIntegralInRange<std::uint64_t>(0, 20);
    return Value(content(depth), line, line);
  }

 private:
  Value::Data content(int depth) {
    switch (bytes_.ConsumeIntegralInRange<int>(0, depth < kDeepest ? 9 : 5)) {
      case 0: return std::monostate();
      case 1: return bytes_.ConsumeBool();
      case 2: return bytes_.ConsumeIntegral<std::int64_t>();
      case 3: return bytes_.ConsumeFloatingPoint<double>();
      case 4: return bytes_.ConsumeRandomLengthString(40);
      case 5: return word();
      case 6: return list(depth);
      default: return map(depth);
    }
  }

  std::string word() {
    const auto& words = vocabulary();
    return words[bytes_.ConsumeIntegralInRange<std::size_t>(0, words.size() - 1)];
  }

  Value::List list(int depth) {
    Value::List elements;
    while (bytes_.remaining_bytes() > 0 && bytes_.ConsumeBool()) elements.push_back(make(depth + 1));
    return elements;
  }

  Value::Map map(int depth) {
    Value::Map members;
    while (bytes_.remaining_bytes() > 0 && bytes_.ConsumeBool()) {
      const bool known = bytes_.ConsumeIntegralInRange<int>(0, 7) != 0;
      Value key = known ? Value(word()) : make(depth + 1);
      members.emplace_back(std::move(key), make(depth + 1));
    }
    return members;
  }

  FuzzedDataProvider bytes_;
};

void check_config(const Config& config) {
  MUSTER_ASSERT(!config.actions.empty());
  for (const std::string& action : config.actions)
    MUSTER_ASSERT(find_action(action) != nullptr && find_action(action)->implemented);
  for (const Tier& tier : config.tiers) {
    for (const PluginOption& option : tier.plugins) {
      MUSTER_ASSERT(find_plugin(option.name) != nullptr && find_plugin(option.name)->implemented);
      for (const Arguments::Entry& entry : option.arguments.entries()) {
        static_cast<void>(option.arguments.get_int(entry.key, 0));
        static_cast<void>(option.arguments.get_float(entry.key, 0));
        static_cast<void>(option.arguments.get_bool(entry.key, false));
        static_cast<void>(option.arguments.get_string(entry.key, ""));
        static_cast<void>(option.arguments.nested(entry.key));
      }
    }
  }
}

void check_diagnostics(const ConfigReading& reading) {
  std::uint64_t line = 0;
  for (const Diagnostic& one : reading.diagnostics) {
    MUSTER_ASSERT(!one.text().empty());
    MUSTER_ASSERT(one.location.line >= line);
    line = one.location.line;
  }
}

}  // namespace
}  // namespace muster::volcano

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  using namespace muster::volcano;
  const Value root = TreeMaker(data, size).make();
  const ConfigReading exact = inspect_config(root, "fuzz", Strictness::kExact);
  const ConfigReading strict = inspect_config(root, "fuzz", Strictness::kStrict);
  check_diagnostics(exact);
  check_diagnostics(strict);
  // Strictness changes how serious a finding is, never what is found or read.
  MUSTER_ASSERT(exact.diagnostics.size() == strict.diagnostics.size());
  MUSTER_ASSERT(exact.config.actions == strict.config.actions);
  if (!strict.has_errors()) MUSTER_ASSERT(!exact.has_errors());
  if (!exact.has_errors()) check_config(exact.config);
  MUSTER_ASSERT(read_config(root, "fuzz", Strictness::kStrict).has_value() == !strict.has_errors());
  return 0;
}
