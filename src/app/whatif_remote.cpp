#include "app/whatif_remote.h"

#include "codec/input.h"
#include "codec/yaml_value.h"

namespace muster {
namespace {

std::string text_at(const Value& value, std::string_view key) {
  const auto* member = value.find(key);
  const auto* text = member == nullptr ? nullptr : member->as_string();
  return text == nullptr ? std::string() : *text;
}

template <class F>
void for_each_at(const Value& value, std::string_view key, F f) {
  const auto* member = value.find(key);
  if (const auto* list = member == nullptr ? nullptr : member->as_list())
    for (const auto& item : *list) f(item);
}

std::vector<std::string> texts_at(const Value& value, std::string_view key) {
  std::vector<std::string> out;
  for_each_at(value, key, [&](const Value& item) {
    if (const auto* text = item.as_string()) out.push_back(*text);
  });
  return out;
}

void take_explanation(const Value& job, WhatIfRun& run) {
  const auto* explanation = job.find("explanation");
  if (explanation == nullptr) return;
  if (const auto* reason = explanation->find("reason")) {
    run.explanation.job.sentence = text_at(*reason, "text");
    run.explanation.hint = text_at(*reason, "hint");
  }
  if (explanation->find("fits_if") == nullptr) return;
  auto& changes = run.fits_if.emplace();
  for_each_at(*explanation, "fits_if", [&](const Value& change) { changes.emplace_back().text = text_at(change, "text"); });
}

WhatIfRun run_told(const Value& job) {
  WhatIfRun run;
  run.job = text_at(job, "job");
  if (const auto* cycle = job.find("cycle"); cycle != nullptr && cycle->as_int() != nullptr)
    run.started = static_cast<int>(*cycle->as_int());
  if (const auto* placement = job.find("placement"); placement != nullptr && placement->as_map() != nullptr)
    for (const auto& [pod, node] : *placement->as_map())
      if (pod.as_string() != nullptr && node.as_string() != nullptr) run.placement[*pod.as_string()] = *node.as_string();
  for_each_at(job, "victims", [&](const Value& victim) {
    run.victims.push_back({text_at(victim, "pod"), text_at(victim, "job"), text_at(victim, "node"), text_at(victim, "rule"),
                           run.job, "", text_at(victim, "why")});
  });
  run.left = texts_at(job, "left");
  take_explanation(job, run);
  return run;
}

}  // namespace

Result<std::string> ask_scheduler(SchedulerClient& client, const std::string& path) {
  const auto input = Input::read(path);
  if (!input) return fail(input.error());
  return client.post("/api/v1/whatif", std::string(input->text()),
                     path.ends_with(".json") ? "application/json" : "application/yaml");
}

Result<WhatIfAnswer> read_whatif_answer(std::string_view json) {
  const auto told = read_yaml_value(json, "answer");
  if (!told) return fail(told.error());
  if (told->find("jobs") == nullptr) return fail("this is no answer of a muster scheduler");
  WhatIfAnswer answer;
  for_each_at(*told, "jobs", [&](const Value& job) { answer.jobs.push_back(run_told(job)); });
  answer.notes = texts_at(*told, "notes");
  return answer;
}

}  // namespace muster
