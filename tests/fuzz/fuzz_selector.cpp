// Selectors that come in through JSON match as their requirements say, one by one: an obviously right reading beside the real one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fuzzer/FuzzedDataProvider.h>
#include <string>
#include <vector>

#include "base/assert.h"
#include "codec/json_writer.h"
#include "codec/object_reader.h"
#include "model/selector.h"

namespace muster {
namespace {

std::string word(FuzzedDataProvider& data) {
  static constexpr const char* kWords[] = {"a", "b", "c", "1", "2", "-1", "", "007", "9223372036854775807", "x y"};
  return data.ConsumeBool() ? data.PickValueInArray(kWords) : data.ConsumeRandomLengthString(6);
}

void write_selector(FuzzedDataProvider& data, JsonWriter& json) {
  static constexpr const char* kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Foo"};
  json.begin_object().key("matchExpressions").begin_array();
  for (int i = data.ConsumeIntegralInRange(0, 3); i > 0; --i) {
    json.begin_object().member("key", word(data)).member("operator", data.PickValueInArray(kOperators)).key("values").begin_array();
    for (int j = data.ConsumeIntegralInRange(0, 3); j > 0; --j) json.value(word(data));
    json.end_array().end_object();
  }
  json.end_array().key("matchLabels").begin_object();
  for (int i = data.ConsumeIntegralInRange(0, 3); i > 0; --i) json.member(word(data), word(data));
  json.end_object().end_object();
}

bool holds(const Requirement& requirement, const StringMap& labels) {
  const auto label = std::find_if(labels.begin(), labels.end(), [&](const auto& item) { return item.first == requirement.key; });
  const bool present = label != labels.end();
  const bool listed = present && std::count(requirement.values.begin(), requirement.values.end(), label->second) > 0;
  switch (requirement.op) {
    case SelectorOp::kIn: return listed;
    case SelectorOp::kNotIn: return !listed && !requirement.values.empty();
    case SelectorOp::kExists: return present && requirement.values.empty();
    case SelectorOp::kDoesNotExist: return !present && requirement.values.empty();
    case SelectorOp::kGt:
    case SelectorOp::kLt: break;
  }
  const bool compares_in_a_label_selector = true;
  MUSTER_ASSERT(!compares_in_a_label_selector);
  return false;
}

void check(const LabelSelector& selector, const StringMap& labels) {
  bool all = true;
  for (const auto& requirement : selector.requirements) all = all && holds(requirement, labels);
  MUSTER_ASSERT(selector.matches(labels) == all);
}

}  // namespace
}  // namespace muster

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster;
  FuzzedDataProvider data(bytes, size);
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("apiVersion", "policy/v1").member("kind", "PodDisruptionBudget");
  json.key("metadata").begin_object().member("name", "b").key("labels").begin_object();
  for (int i = data.ConsumeIntegralInRange(0, 4); i > 0; --i) json.member(word(data), word(data));
  json.end_object().end_object().key("spec").begin_object().key("selector");
  write_selector(data, json);
  json.end_object().end_object();

  const auto stats = read_objects_text(text, "fuzz.json", [](Object&& object, const Location&) -> Result<void> {
    const auto& budget = std::get<PodDisruptionBudget>(object);
    check(*budget.selector, budget.meta.labels);
    return {};
  });
  if (!stats) MUSTER_ASSERT(stats.error().field.find("operator") != std::string::npos);
  return 0;
}
