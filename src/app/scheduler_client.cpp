#include "app/scheduler_client.h"

#include <fstream>

#include "app/explanation_subject.h"
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
  if (!response) return fail(failure(response.error()));
  if (response->status != kDone) return fail(refusal(*response));
  return std::move(response->body);
}

// That nobody answers is most often a matter of the command line, here or of the scheduler.
Error SchedulerClient::failure(const HttpFailure& failure) const {
  if (!failure.unreachable) return Error(server_ + ": " + failure.message);
  return Error("no scheduler answers at " + server_ + ": " + failure.message +
               "\na scheduler answers at its --listen-address, in Volcano's dialect only with --enable-metrics (docs/api.md); "
               "--server says where it is, and " +
               files_option_ + " has files looked at instead");
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
  NamedJobs named;
  for (const auto* job : list->items()) named.add(GroupId(), text_at(job, "job"), text_at(job, "workload"));
  const auto found = named.find(name);
  if (!found) return fail(found.error());
  if (*found != nullptr) return (*found)->name;
  const auto near = named.nearest(name);
  return fail("no job is called \"" + name + "\"; " +
              (near.empty() ? "pods and jobs of a namespace are asked for as namespace/name" : "did you mean \"" + near + "\"?"));
}

}  // namespace muster
