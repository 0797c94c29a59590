#include "daemon/api.h"

#include <algorithm>
#include <charconv>

#include "app/job_states.h"
#include "codec/json_writer.h"
#include "daemon/uuid.h"
#include "model/json.h"

namespace muster::daemon {
namespace {

using server::Access;
using server::Method;

// By name, at once: as many as may listen to events, for their pages ask together when a cycle is over. Cycles explain a few of
// them each; a page that was answered late asks less often.
constexpr int kMostAskedFor = 64;

// The first parts of paths below /api/v1/ that came after the first version of the API. The dashboard asks for no others.
constexpr std::string_view kTells[] = {"configuration", "cycles", "events", "node", "timelines"};

constexpr int kNotANumber = 400;
constexpr int kNotFound = 404;
constexpr int kUnavailable = 503;

server::Response nobody_decides() { return server::error_response(kUnavailable, "the cluster is being read: try again"); }

server::Response to_response(const Result<std::string>& told, int status_of_error) {
  return told ? server::json_response(*told + "\n") : server::error_response(status_of_error, told.error().text());
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// "namespace/name", in which no part is empty; with more parts, where something has them.
bool is_path_of(std::string_view text, std::ptrdiff_t most_parts) {
  const auto slashes = std::ranges::count(text, '/');
  return slashes >= 1 && slashes < most_parts && !text.starts_with('/') && !text.ends_with('/') &&
         text.find("//") == std::string_view::npos;
}

// Counts one that is asked for by name for as long as it lives.
std::shared_ptr<void> hold_one(const std::shared_ptr<std::atomic<int>>& count) {
  ++*count;
  return {nullptr, [count](void*) { --*count; }};
}

}  // namespace

Api::Api(std::string dialect, Questions questions)
    : dialect_(std::move(dialect)),
      questions_(std::move(questions)),
      process_(uuid(kube::system_random())),
      news_(questions_.clock, questions_.after),
      views_(questions_.clock, questions_.post, remember_reasons()) {}

void Api::add_routes(server::Router& router) {
  using server::Request;
  const auto get = [&](const std::string& view, server::Handler handler) {
    router.on(Method::kGet, "/api/v1/" + view, std::move(handler), Access::kPrivate);
  };
  const auto list_of = [this](Sight::What what) {
    return [this, what](const Request& request) { return views_.get(what, request); };
  };
  get("state", [this](const Request&) { return state(); });
  get("queues", list_of(Sight::What::kQueues));
  get("jobs", list_of(Sight::What::kJobs));
  get("nodes", list_of(Sight::What::kNodes));
  get("decisions", [this](const Request& request) { return decisions(request); });
  get("cycles", [this](const Request&) { return server::json_response(cycles_.json() + "\n"); });
  get("configuration", [this](const Request&) { return configuration(); });
  get("events", [this](const Request&) { return events(); });
  const auto get_one = [&](const std::string& kind, server::Handler handler) {
    router.on_prefix(Method::kGet, "/api/v1/" + kind + "/", std::move(handler), Access::kPrivate);
  };
  get_one("jobs", [this](const Request& request) { return job(request); });
  get_one("nodes", [this](const Request& request) { return node(request); });
  get_one("timelines", [this](const Request& request) { return timeline(request); });
}

void Api::on_cycle(const CycleLoop& cycles, const CycleOutcome& outcome) {
  const auto now = questions_.clock.wall();
  const auto cycle = cycles.cycles();
  const auto& effects = outcome.effects;
  decisions_.add(cycle, now, effects);
  cycles_.add(cycle, now, outcome);
  if (cycles.has_news())
    news_.tell({.cycle = cycle, .time = now, .binds = effects.binds.size(), .evictions = effects.evictions.size()});
}

void Api::on_change(const kube::Change& change) { lives_.on_change(change, questions_.clock.wall()); }

Sight::OnJob Api::remember_reasons() {
  return [this](const JobOutlook& job, std::string_view code) { lives_.on_seen(job, code, questions_.clock.wall()); };
}

void Api::on_written(const WriteReport& report) {
  const auto* bind = std::get_if<Bind>(&report.write);
  const auto outcome = report.result.outcome;
  if (bind == nullptr) return;
  if (!report.result.was_sent) return on_not_bound(*bind, NotBound::kNotSent, report.result.message);
  if (outcome == kube::WriteOutcome::kBound || outcome == kube::WriteOutcome::kDone) return;
  const auto& answer = report.result.message;
  on_not_bound(*bind, NotBound::kFailed, answer.empty() ? std::string(kube::text_of(outcome)) : answer);
}

void Api::on_not_bound(const Bind& bind, NotBound how, const std::string& why) {
  using Kind = DecisionEntry::Kind;
  const auto kind = how == NotBound::kNotSent       ? Kind::kUnsentBind
                    : how == NotBound::kNotPrepared ? Kind::kUnpreparedBind
                                                    : Kind::kFailedBind;
  decisions_.add_failure(questions_.clock.wall(), bind, kind, why);
}

server::Answer Api::events() {
  auto stream = news_.listen();
  if (!stream) return server::error_response(kUnavailable, "too many listen: ask from time to time instead");
  return stream;
}

server::Answer Api::state() {
  auto later = std::make_shared<server::Deferred>();
  const bool posted = questions_.post([this, later](CycleLoop& cycles) {
    const auto counts = cycles.cluster().counts();
    std::string out;
    JsonWriter json(out);
    json.begin_object().member("dialect", dialect_).member("synced", cycles.synced()).member("cycle", cycles.cycles());
    json.member("leading", questions_.leading()).member("leader", questions_.leader());
    json.member("evictions_stopped", questions_.evictions_stopped()).member("config_hash", fingerprint(questions_.config().text));
    json.member("nodes", counts.nodes).member("pods", counts.pods).member("jobs", counts.jobs).member("queues", counts.queues);
    json.key("tells").begin_array();
    for (const auto view : kTells) json.value(view);
    if (questions_.has_whatif) json.value("whatif");
    if (questions_.fits_if) json.value("fits_if");
    json.end_array().end_object();
    later->give(server::json_response(out + "\n"));
  });
  if (!posted) return nobody_decides();
  return later;
}

server::Answer Api::decisions(const server::Request& request) const {
  DecisionLog::Part part;
  if (const auto text = request.parameter("before"))
    if (!(part.before = whole_number(*text)))
      return server::error_response(kNotANumber, "before has to be the number of a decision");
  if (const auto text = request.parameter("limit"))
    if (!(part.most = whole_number(*text))) return server::error_response(kNotANumber, "limit has to be a number");
  return server::json_response(decisions_.json(part, process_) + "\n");
}

server::Answer Api::timeline(const server::Request& request) const {
  if (!is_path_of(request.rest, 2))
    return server::error_response(kNotFound, "one is asked for as /api/v1/timelines/NAMESPACE/NAME");
  return server::json_response(timeline_json(decisions_.events_of(request.rest), lives_.events_of(request.rest)) + "\n");
}

server::Answer Api::configuration() const {
  const auto config = questions_.config();
  const auto dialect = dialect_ == name_of(Dialect::kKai) ? Dialect::kKai : Dialect::kVolcano;
  return server::json_response(configuration_json(dialect, config.text, config.file, questions_.flags) + "\n");
}

server::Answer Api::job(const server::Request& request) {
  if (!is_path_of(request.rest, 3))
    return server::error_response(kNotFound,
                                  "a job is asked for as /api/v1/jobs/NAMESPACE/NAME, a workload also as …/NAMESPACE/KIND/NAME");
  Completed complete;
  if (request.parameter("fits_if") && questions_.fits_if)
    complete = [ask = questions_.fits_if](std::string told, std::function<void(std::string)> give) {
      const auto read = read_json(told);
      if (!read || text_at(&*read, "state") != name_of(JobState::kWaiting)) return give(std::move(told));
      const auto job = text_at(&*read, "job");  // which may have been asked for by another name
      ask(job, [told = std::move(told), give = std::move(give)](const Result<WhatIfAnswer>& tried) {
        give(told.substr(0, told.rfind('}')) + "," + tried_members(tried) + "}");
      });
    };
  return one({.what = Sight::What::kJob,
              .name = request.rest,
              .evictions = decisions_.evictions(),
              .tell = {},
              .on_job = remember_reasons()},
             std::move(complete));
}

server::Answer Api::node(const server::Request& request) {
  if (request.rest.empty() || request.rest.find('/') != std::string::npos)
    return server::error_response(kNotFound, "a node is asked for as /api/v1/nodes/NAME");
  return one({.what = Sight::What::kNode, .name = request.rest, .tell = {}});
}

server::Answer Api::one(Sight sight, Completed complete) {
  if (*asked_for_ >= kMostAskedFor) return server::error_response(kUnavailable, "too many ask at once: try again");
  auto later = std::make_shared<server::Deferred>();
  sight.tell = [later, held = hold_one(asked_for_), complete = std::move(complete)](const Result<std::string>& told) {
    if (!told || !complete) return later->give(to_response(told, kNotFound));
    complete(*told, [later](std::string whole) { later->give(to_response(std::move(whole), kNotFound)); });
  };
  const bool posted = questions_.post([later, moved = std::make_shared<Sight>(std::move(sight))](CycleLoop& cycles) {
    if (const auto why = cycles.why_no_sights(); !why.empty()) return later->give(server::error_response(kUnavailable, why));
    cycles.add_sight(std::move(*moved));
  });
  if (!posted) return nobody_decides();
  return later;
}

}  // namespace muster::daemon
