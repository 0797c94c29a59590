#include "app/whatif_remote.h"

#include "app/http_client.h"
#include "codec/input.h"
#include "codec/yaml_value.h"

namespace muster {
namespace {

constexpr std::int64_t kLongestWait = 15LL * 1'000'000'000;  // the server gives up after ten seconds
constexpr std::size_t kLargestReply = std::size_t{64} << 20;
constexpr int kAnswered = 200;

std::string url_of(std::string server) {
  if (server.find("://") == std::string::npos) server = "http://" + server;
  while (server.ends_with('/')) server.pop_back();
  return server + "/api/v1/whatif";
}

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

Result<std::string> ask_scheduler(const std::string& server, const std::string& path) {
  const auto input = Input::read(path);
  if (!input) return fail(input.error());
  HttpRequest request;
  request.method = HttpRequest::Method::kPost;
  request.url = url_of(server);
  request.body = input->text();
  request.content_type = path.ends_with(".json") ? "application/json" : "application/yaml";
  request.timeout_nanos = kLongestWait;
  request.largest_answer = kLargestReply;
  const auto response = HttpClient().send(request);
  if (!response) return fail(request.url + ": " + response.error().message);
  if (response->status == kAnswered) return response->body;
  const auto told = read_yaml_value(response->body, "answer");
  const auto why = told ? text_at(*told, "error") : std::string();
  return fail(request.url + ": " + (why.empty() ? "answered " + std::to_string(response->status) : why));
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
