#include "app/scheduler_client.h"

#include <fstream>

#include "app/printable_text.h"
#include "app/view_list.h"
#include "base/percent_encoding.h"

namespace muster {
namespace {

// A scheduler answers within ten seconds, if only to say that it cannot.
constexpr std::int64_t kPatienceNanos = 30'000'000'000;
constexpr std::size_t kLargestList = std::size_t{512} << 20;

constexpr int kDone = 200;
constexpr int kNoToken = 401;
constexpr int kNotAllowed = 403;
constexpr std::size_t kLongestQuote = 200;

std::string with_scheme(std::string server) {
  while (server.ends_with('/')) server.pop_back();
  return server.find("://") == std::string::npos ? "http://" + server : server;
}

}  // namespace

SchedulerClient::SchedulerClient(std::string server, std::string token)
    : server_(with_scheme(std::move(server))), token_(std::move(token)) {}

Result<SchedulerClient> SchedulerClient::with_token_file(std::string server, const std::string& path) {
  if (path.empty()) return SchedulerClient(std::move(server), "");
  std::ifstream file(path);
  std::string token;
  if (!file) return fail(Error("cannot be opened", Location{path, 0, 0}));
  if (!(file >> token)) return fail(Error("there is no token in it", Location{path, 0, 0}));
  return SchedulerClient(std::move(server), std::move(token));
}

Result<std::string> SchedulerClient::get(const std::string& path) {
  HttpRequest request;
  request.url = server_ + path;
  return exchange(std::move(request));
}

Result<std::string> SchedulerClient::post(const std::string& path, std::string body, std::string content_type) {
  HttpRequest request;
  request.method = HttpRequest::Method::kPost;
  request.url = server_ + path;
  request.body = std::move(body);
  request.content_type = std::move(content_type);
  return exchange(std::move(request));
}

Result<std::string> SchedulerClient::exchange(HttpRequest request) {
  request.bearer_token = token_;
  request.timeout_nanos = kPatienceNanos;
  request.largest_answer = kLargestList;
  auto response = client_.send(request);
  if (!response)
    return fail((response.error().unreachable ? "no scheduler answers at " : "") + server_ + ": " + response.error().message +
                (response.error().unreachable ? "; --server says where it is, and -f has files looked at instead" : ""));
  if (response->status != kDone) return fail(refusal(*response));
  return std::move(response->body);
}

// What a scheduler says is told as it says it; anybody else is quoted.
Error SchedulerClient::refusal(const HttpResponse& response) const {
  const auto document = read_json(response.body);
  auto said = document ? text_at(&*document, "error") : std::string();
  if (said.empty())
    return Error(server_ + " answers with status " + std::to_string(response.status) +
                 ", which is not how a scheduler of muster does: " + response.body.substr(0, kLongestQuote));
  if (response.status == kNoToken || response.status == kNotAllowed) said += "; see --token-file";
  return Error(server_ + ": " + said);
}

Result<std::string> SchedulerClient::explain(const std::string& name) {
  auto whole = whole_name(name);
  if (!whole) return whole;
  return get("/api/v1/jobs/" + percent_encoded(*whole, "/"));
}

Result<std::string> SchedulerClient::whole_name(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  auto jobs = get("/api/v1/jobs");
  if (!jobs) return jobs;
  const auto list = ViewList::read(ViewKind::kJobs, std::move(*jobs), {});
  if (!list) return fail(server_ + ": " + list.error().text());
  std::vector<std::string> found;
  for (const auto* job : list->items())
    if (auto key = text_at(job, "job"); std::string_view(key).substr(key.find('/') + 1) == name) found.push_back(std::move(key));
  if (found.size() > 1) return fail("\"" + name + "\" is the name of several: " + listed(found, kMostNamed) + "; say which");
  if (found.empty()) return fail("no job is called \"" + name + "\"; pods and jobs of a namespace are asked for as namespace/name");
  return found.front();
}

}  // namespace muster
