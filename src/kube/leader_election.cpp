#include "kube/leader_election.h"

#include <algorithm>
#include <span>

#include "codec/json_writer.h"
#include "kube/api_status.h"
#include "model/json.h"

namespace muster::kube {
namespace {

constexpr std::size_t kLargestLease = std::size_t{1} << 20;
constexpr std::string_view kOurs[] = {"apiVersion", "kind", "metadata", "spec"};
constexpr std::string_view kOurMetadata[] = {"name", "namespace", "resourceVersion"};
constexpr std::string_view kOurSpec[] = {"holderIdentity", "leaseDurationSeconds", "acquireTime", "renewTime", "leaseTransitions"};
constexpr double kJitter = 1.2;
constexpr double kShortJitter = 0.2;

std::int64_t number_at(const Json* parent, std::string_view key) {
  const auto* found = parent == nullptr ? nullptr : parent->find(key);
  return found == nullptr ? 0 : found->as_int().value_or(0);
}

// What is not ours to write.
void copy_others(JsonWriter& json, const Json* object, std::span<const std::string_view> ours) {
  if (object == nullptr) return;
  for (const auto& [key, value] : object->members)
    if (std::ranges::count(ours, key) == 0) json.key(key).raw(value.raw);
}

std::int64_t seconds_of(Duration time) { return std::chrono::ceil<std::chrono::seconds>(time).count(); }

}  // namespace

bool LeaseRecord::same_as(const LeaseRecord& other) const {
  return holder == other.holder && acquire_time == other.acquire_time && renew_time == other.renew_time &&
         duration_seconds == other.duration_seconds && transitions == other.transitions;
}

Result<LeaseRecord> read_lease(std::string_view text) {
  const auto json = read_json(text);
  if (!json || json->kind != Json::Kind::kMap || json->find("metadata") == nullptr) return fail("the lease cannot be read");
  const auto* spec = json->find("spec");
  return LeaseRecord{text_at(spec, "holderIdentity"),
                     text_at(json->find("metadata"), "resourceVersion"),
                     text_at(spec, "acquireTime"),
                     text_at(spec, "renewTime"),
                     number_at(spec, "leaseDurationSeconds"),
                     number_at(spec, "leaseTransitions"),
                     std::string(text)};
}

std::string lease_body(const LeaseRecord& record, const ObjectPath& path) {
  const auto before = read_json(record.text).value_or(Json());
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("apiVersion", path.api_version).member("kind", "Lease");
  copy_others(json, &before, kOurs);
  json.key("metadata").begin_object();
  copy_others(json, before.find("metadata"), kOurMetadata);
  json.member("name", path.name).member("namespace", path.ns);
  if (!record.resource_version.empty()) json.member("resourceVersion", record.resource_version);
  json.end_object().key("spec").begin_object();
  copy_others(json, before.find("spec"), kOurSpec);
  json.member("holderIdentity", record.holder).member("leaseDurationSeconds", record.duration_seconds);
  json.member("acquireTime", record.acquire_time).member("renewTime", record.renew_time);
  json.member("leaseTransitions", record.transitions).end_object().end_object();
  return out;
}

std::optional<Error> check(const ElectionSettings& settings) {
  if (settings.identity.empty()) return Error("the identity for leader election must not be empty");
  if (settings.lease_duration < std::chrono::seconds(1)) return Error("the lease duration must be at least one second");
  if (settings.lease_duration <= settings.renew_deadline)
    return Error("the lease duration must be longer than the renewal deadline");
  const auto longest_retry = static_cast<double>(settings.retry_period.count()) * kJitter;
  if (settings.retry_period <= Duration(0)) return Error("the retry period must be longer than nothing");
  if (static_cast<double>(settings.renew_deadline.count()) <= longest_retry)
    return Error("the renewal deadline must be longer than 1.2 times the retry period");
  return std::nullopt;
}

LeaderElection::LeaderElection(Loop& loop, ElectionSettings settings, RandomSource random, Events events)
    : loop_(loop),
      settings_(std::move(settings)),
      path_{"coordination.k8s.io/v1", "leases", settings_.ns, settings_.name},
      random_(std::move(random)),
      events_(std::move(events)) {}

LeaderElection::~LeaderElection() {
  if (timer_) loop_.cancel(*timer_);
  if (deadline_) loop_.cancel(*deadline_);
  if (call_) loop_.cancel(*call_);
}

void LeaderElection::start() { attempt(); }

bool LeaderElection::may_write() const { return leading_ && loop_.clock().now().time_since_epoch().count() < write_until_; }

Duration LeaderElection::time_left() const {
  const auto left = Duration(write_until_ - loop_.clock().now().time_since_epoch().count());
  if (!leading_ || left <= Duration(0)) return Duration(0);
  return left + settings_.lease_duration - settings_.renew_deadline;
}

Identity LeaderElection::lease() const {
  return {settings_.ns, settings_.name, observed_ ? read_meta(observed_->text).id.uid : std::string(), {}};
}

void LeaderElection::stop(std::function<void(bool)> on_released) {
  stopped_ = true;
  on_released_ = std::move(on_released);
  if (timer_) loop_.cancel(*timer_);
  if (deadline_) loop_.cancel(*deadline_);
  timer_.reset();
  deadline_.reset();
  const bool held = leading_.exchange(false);
  if (held && events_.on_lost) events_.on_lost();
  if (writing_) return;  // the answer tells what there is to give back
  if (call_) loop_.cancel(*call_);
  call_.reset();
  give_back(held);
}

void LeaderElection::give_back(bool held) {
  if (!held || !observed_) return on_released_(true);
  auto record = *observed_;
  record.holder.clear();
  record.duration_seconds = 1;
  record.acquire_time = record.renew_time = micro_time(loop_.clock().wall());
  call_ = ask_urgently({Method::kPut, path_.text(), lease_body(record, path_)}, [this](const HttpAnswer& answer) {
    on_released_(judge(answer, loop_.clock().wall()).kind == AnswerKind::kGood);
  });
}

// What we wrote last may have been done all the same.
void LeaderElection::look_and_give_back() {
  call_ = ask_urgently({Method::kGet, path_.text()}, [this](const HttpAnswer& answer) {
    const auto kind = judge(answer, loop_.clock().wall()).kind;
    if (kind == AnswerKind::kMissing) return on_released_(true);
    auto record = read_lease(answer.body);
    if (kind != AnswerKind::kGood || !record) return on_released_(false);
    observe(std::move(*record));
    give_back(observed_->holder == settings_.identity);
  });
}

// Who leads renews without looking, which the server refuses when somebody else wrote.
void LeaderElection::attempt() {
  if (stopped_) return;
  if (leading_) return take();
  call_ = ask_urgently({Method::kGet, path_.text()}, [this](const HttpAnswer& answer) { on_lease(answer); });
}

void LeaderElection::on_lease(const HttpAnswer& answer) {
  const auto judged = judge(answer, loop_.clock().wall());
  if (judged.kind == AnswerKind::kMissing) {
    observed_.reset();
    return take();
  }
  if (judged.kind != AnswerKind::kGood) return failed("the lease cannot be read: " + judged.status.text());
  auto record = read_lease(answer.body);
  if (!record) return failed(record.error().message);
  observe(std::move(*record));
  if (is_free(loop_.clock().now())) return take();
  if (leading_) lose("the lease is held by " + observed_->holder);
  again();
}

void LeaderElection::observe(LeaseRecord record) {
  if (!observed_ || !observed_->same_as(record)) observed_at_ = loop_.clock().now();
  observed_ = std::move(record);
  if (observed_->holder != told_leader_) {
    told_leader_ = observed_->holder;
    if (events_.on_leader) events_.on_leader(told_leader_);
  }
}

// Ours, given back, or not renewed for its whole duration as far as we saw.
bool LeaderElection::is_free(Instant now) const {
  return observed_->holder.empty() || observed_->holder == settings_.identity || now >= end_of_observed();
}

Instant LeaderElection::end_of_observed() const {
  const auto seconds = observed_->duration_seconds;
  return observed_at_ + (seconds > 0 ? Duration(std::chrono::seconds(seconds)) : settings_.lease_duration);
}

void LeaderElection::take() {
  const auto now = micro_time(loop_.clock().wall());
  LeaseRecord record{settings_.identity, {}, now, now, seconds_of(settings_.lease_duration)};
  if (observed_) {
    record.resource_version = observed_->resource_version;
    record.text = observed_->text;
    const bool ours = observed_->holder == settings_.identity;
    record.transitions = observed_->transitions + (ours ? 0 : 1);
    if (ours) record.acquire_time = observed_->acquire_time;
  }
  write(std::move(record), !observed_, loop_.clock().now());
}

void LeaderElection::write(LeaseRecord record, bool create, Instant since) {
  auto collection = path_;
  collection.name.clear();
  HttpRequest request{create ? Method::kPost : Method::kPut, create ? collection.text() : path_.text(), lease_body(record, path_)};
  writing_ = true;
  call_ = ask_urgently(std::move(request), [this, record = std::move(record), since](const HttpAnswer& answer) {
    writing_ = false;
    on_written(answer, record, since);
  });
}

void LeaderElection::on_written(const HttpAnswer& answer, const LeaseRecord& record, Instant since) {
  const auto judged = judge(answer, loop_.clock().wall());
  if (stopped_ && judged.kind != AnswerKind::kGood) return look_and_give_back();
  if (judged.kind == AnswerKind::kGood) {
    auto written = read_lease(answer.body);
    if (!written) return stopped_ ? look_and_give_back() : failed(written.error().message);
    auto now_known = record;
    now_known.resource_version = std::move(written->resource_version);
    now_known.text = std::move(written->text);
    observe(std::move(now_known));
    if (stopped_) return give_back(true);
    confirmed(since);
    return again();
  }
  const bool created = record.resource_version.empty();  // where nothing is, only the namespace can be missing
  const bool raced = judged.kind == AnswerKind::kConflict || (judged.kind == AnswerKind::kMissing && !created);
  if (!raced) return failed("the lease cannot be written: " + judged.status.text());
  // Somebody wrote meanwhile, perhaps ourselves in a request whose answer was lost: only a look can tell.
  call_ = ask_urgently({Method::kGet, path_.text()}, [this](const HttpAnswer& lease) {
    if (leading_) return on_lease(lease);
    // A candidate that lost a race has seen who won; it waits its turn.
    if (const auto record_now = read_lease(lease.body); lease.status == 200 && record_now) observe(*record_now);
    again();
  });
}

void LeaderElection::confirmed(Instant since) {
  const auto until = since + settings_.renew_deadline;
  write_until_ = until.time_since_epoch().count();
  if (deadline_) loop_.cancel(*deadline_);
  deadline_ = loop_.after(std::max(Duration(0), Duration(until - loop_.clock().now())), [this] {
    deadline_.reset();
    lose("the lease could not be renewed in time");
  });
  if (!leading_.exchange(true) && events_.on_leading) events_.on_leading();
}

void LeaderElection::lose(const std::string& why) {
  if (deadline_) loop_.cancel(*deadline_);
  deadline_.reset();
  if (!leading_.exchange(false)) return;
  if (events_.on_problem) events_.on_problem(why);
  if (events_.on_lost) events_.on_lost();
}

// Candidates spread their attempts; a leader keeps its rhythm.
void LeaderElection::again() {
  if (stopped_) return;  // by one of those who were just told something
  const auto period = static_cast<double>(settings_.retry_period.count());
  const auto times = [period](double factor) { return Duration(static_cast<std::int64_t>(period * factor)); };
  auto delay = leading_ ? times(1.0) : times(1.0 + kJitter * random_());
  // Nobody decides while a lease that nobody renews runs out: it is not left lying for another period.
  const auto now = loop_.clock().now();
  if (!leading_ && observed_ && !is_free(now)) delay = std::min(delay, end_of_observed() - now + times(kShortJitter * random_()));
  timer_ = loop_.after(delay, [this] {
    timer_.reset();
    attempt();
  });
}

void LeaderElection::failed(const std::string& what) {
  if (events_.on_problem) events_.on_problem(what);
  again();
}

CallId LeaderElection::ask_urgently(HttpRequest request, std::function<void(HttpAnswer)> on_answer) {
  request.urgent = true;
  request.timeout = settings_.renew_deadline / 2;
  return ask(loop_, std::move(request), kLargestLease, [this, on_answer = std::move(on_answer)](HttpAnswer answer) {
    call_.reset();
    on_answer(std::move(answer));
  });
}

}  // namespace muster::kube
