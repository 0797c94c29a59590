#include "kube/reflector.h"

#include <utility>

#include "base/assert.h"
#include "base/percent_encoding.h"
#include "codec/object_reader.h"
#include "kube/list_page.h"

namespace muster::kube {
namespace {

constexpr int kHttpOk = 200;
constexpr int kExpired = 410;
constexpr int kPatience = 2;  // streams that break without a word, before everything is listed anew
constexpr Duration kFirstLook = std::chrono::seconds(1);
constexpr Duration kShortWatch = std::chrono::milliseconds(500);
constexpr std::size_t kLargestRefusal = 64 << 10;

}  // namespace

// The handler of one watch. What comes with another status than 200 is a refusal, and collected.
class Reflector::Stream final : public HttpHandler {
 public:
  explicit Stream(Reflector& owner) : owner_(owner) {}

  void on_head(const HttpHead& head) override {
    answer_.status = head.status;
    answer_.retry_after = head.retry_after;
  }
  Flow on_body(std::string_view piece) override {
    if (answer_.status == kHttpOk) return owner_.on_piece(piece);
    answer_.body.append(piece.substr(0, kLargestRefusal - std::min(kLargestRefusal, answer_.body.size())));
    return Flow::kGoOn;
  }
  void on_end(const HttpEnd& end) override {
    answer_.failure = end.failure;
    owner_.on_stream_end(answer_);
  }

 private:
  Reflector& owner_;
  HttpAnswer answer_;
};

Reflector::Reflector(Loop& loop, const ResourceKind& kind, EventQueue& queue, ReflectorSettings settings, RandomSource random,
                     OnProblem on_problem)
    : loop_(loop),
      kind_(kind),
      queue_(queue),
      settings_(std::move(settings)),
      random_(std::move(random)),
      on_problem_(std::move(on_problem)),
      backoff_(settings_.backoff, random_),
      unreached_(settings_.unreached, random_),
      looks_({.first = std::min(kFirstLook, settings_.install_wait / 2), .most = settings_.install_wait / 2, .jitter = 1.0},
             random_),
      can_stream_lists_(settings_.streams_lists) {}

Reflector::~Reflector() { stop_asking(); }

void Reflector::start() { list(); }

bool Reflector::list_again() {
  const bool ended = std::exchange(told_synced_, false);
  stop_asking();
  list();
  return ended;
}

void Reflector::on_room() {
  if (!std::exchange(waits_for_room_, false)) return;
  if (asked_ == Asked::kPage)
    ask_page();
  else
    loop_.resume(call_);
}

// -------------------------------------------------------------------------------------------------------- lists

void Reflector::list() {
  decoder_ = std::make_unique<ObjectDecoder>(reader());
  if (can_stream_lists_ && failed_lists_ < kPatience)
    stream_list();
  else
    list_pages(settings_.page);
}

void Reflector::list_pages(std::size_t limit) {
  stop_asking();
  limit_ = limit;
  next_page_.clear();
  seen_.begin_list();
  asked_ = Asked::kPage;
  ask_page();
}

void Reflector::ask_page() {
  asked_ = Asked::kPage;
  std::string query;
  if (limit_ > 0) query = "limit=" + std::to_string(limit_);
  if (!next_page_.empty()) query += "&continue=" + percent_encoded(next_page_);
  HttpRequest request{Method::kGet, path(query)};
  request.timeout = settings_.list_timeout;
  call_ = ask(loop_, std::move(request), settings_.largest_page, [this](HttpAnswer answer) { on_page(std::move(answer)); });
}

void Reflector::on_page(HttpAnswer answer) {
  const auto judged = judge(answer, loop_.clock().wall());
  if (judged.kind == AnswerKind::kGood)
    take_page(std::move(answer.body));
  else
    on_page_refused(judged);
}

void Reflector::take_page(std::string text) {
  const auto page = read_list_page(text);
  if (!page) {
    problem(page.error().message);
    return later(backoff_.next(), &Reflector::list);
  }
  note_answer();
  for (const auto& item : page->items) tell_object(text, item);
  next_page_ = page->next_page;
  if (next_page_.empty()) return end_list(page->resource_version);
  if (queue_.full())
    waits_for_room_ = true;
  else
    ask_page();
}

void Reflector::on_page_refused(const Judged& judged) {
  if (judged.kind == AnswerKind::kMissing) return on_missing();
  if (judged.kind == AnswerKind::kExpired && !next_page_.empty()) return list_pages(0);
  problem("cannot be listed: " + judged.status.text());
  const bool again =
      judged.kind == AnswerKind::kThrottled || judged.kind == AnswerKind::kServerFault || judged.kind == AnswerKind::kNoAnswer;
  auto& pause = judged.kind == AnswerKind::kNoAnswer ? unreached_ : backoff_;
  // A list in one piece may have been too large to come in time: the next one comes in pages again.
  later(pause.next(judged.retry_after), again && limit_ > 0 ? &Reflector::ask_page : &Reflector::list);
}

void Reflector::stream_list() {
  seen_.begin_list();
  resource_version_.clear();
  asked_ = Asked::kStreamedList;
  open_stream("watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  stall_timer_ = loop_.after(settings_.longest_stall, [this, lines = lines_] { check_stall(lines); });
}

// A server that does not know of streamed lists begins an ordinary watch, which never says that the list is over.
void Reflector::check_stall(std::uint64_t lines_before) {
  stall_timer_.reset();
  if (asked_ != Asked::kStreamedList) return;
  if (lines_ == lines_before && !waits_for_room_) {
    can_stream_lists_ = false;
    return list_pages(settings_.page);
  }
  stall_timer_ = loop_.after(settings_.longest_stall, [this, lines = lines_] { check_stall(lines); });
}

void Reflector::end_list(const std::string& resource_version) {
  for (auto& id : seen_.end_list()) tell_deleted(std::move(id));
  resource_version_ = resource_version;
  failed_lists_ = 0;
  broken_streams_ = 0;
  set_state(ReflectorState::kSynced);
  tell_synced();
  if (asked_ == Asked::kStreamedList)
    asked_ = Asked::kWatch;  // it goes on as one
  else
    watch();
}

void Reflector::on_missing() {
  version_ = (version_ + 1) % kind_.versions.size();
  if (++missing_versions_ < kind_.versions.size()) return list();
  missing_versions_ = 0;
  if (kind_.group.empty()) {
    problem("cannot be listed: what answers at this address is no API server, or no longer the same one");
    return later(backoff_.next(), &Reflector::list);
  }
  if (may_come_back()) return later(unreached_.next(), &Reflector::list);
  seen_.begin_list();
  for (auto& id : seen_.end_list()) tell_deleted(std::move(id));
  set_state(ReflectorState::kNotInstalled);
  tell_synced();
  later(looks_.next(), &Reflector::list);
}

// A server that has just started does not know all kinds yet, and whoever took that for their end would be blind to them for long.
bool Reflector::may_come_back() {
  if (state_ != ReflectorState::kSynced) return false;
  const auto now = loop_.clock().now();
  if (!missing_since_) missing_since_ = now;
  return now - *missing_since_ < settings_.longest_absence;
}

void Reflector::set_state(ReflectorState state) {
  const auto before = state_.exchange(state);
  if (before == state || !on_installed_) return;
  if (state == ReflectorState::kNotInstalled || before == ReflectorState::kNotInstalled)
    on_installed_(kind_, state != ReflectorState::kNotInstalled);
}

void Reflector::note_answer() {
  backoff_.reset();
  unreached_.reset();
  looks_.reset();
  missing_versions_ = 0;
  missing_since_.reset();
}

// ------------------------------------------------------------------------------------------------------ watches

void Reflector::watch() {
  asked_ = Asked::kWatch;
  open_stream("watch=1&allowWatchBookmarks=true&resourceVersion=" + percent_encoded(resource_version_));
}

void Reflector::open_stream(std::string query) {
  const auto shortest = std::chrono::duration_cast<std::chrono::seconds>(settings_.shortest_watch).count();
  query += "&timeoutSeconds=" + std::to_string(shortest + static_cast<std::int64_t>(static_cast<double>(shortest) * random_()));
  HttpRequest request{Method::kGet, path(query)};
  request.timeout.reset();
  request.longest_silence = settings_.longest_silence;
  cutter_ = std::make_unique<WatchStream>(settings_.largest_event);
  waits_for_room_ = false;
  lines_at_open_ = lines_;
  opened_at_ = loop_.clock().now();
  call_ = loop_.send(std::move(request), std::make_shared<Stream>(*this));
}

Flow Reflector::on_piece(std::string_view piece) {
  cutter_->append(piece);
  for (;;) {
    const auto next = cutter_->next();
    if (!next) {
      break_stream(next.error());
      return Flow::kGoOn;
    }
    if (!next->has_line) break;
    ++lines_;
    if (!take_line(next->line)) return Flow::kGoOn;  // this stream is over
  }
  waits_for_room_ = queue_.full();
  return waits_for_room_ ? Flow::kPause : Flow::kGoOn;
}

// False: the stream has been given up.
bool Reflector::take_line(const WatchLine& line) {
  if (line.type == WatchType::kError) return take_error(read_status(line.object.in(line.text), 0));
  note_answer();
  broken_streams_ = 0;
  if (line.type == WatchType::kAdded || line.type == WatchType::kModified) {
    tell_object(line.text, line.object);
    return true;
  }
  auto meta = read_meta(line.object.in(line.text));
  if (asked_ == Asked::kWatch && !meta.id.resource_version.empty()) resource_version_ = meta.id.resource_version;
  if (line.type == WatchType::kDeleted) {
    if (auto known = seen_.remove(meta.id)) {
      known->resource_version = meta.id.resource_version;
      tell_deleted(std::move(*known));
    }
  } else if (meta.ends_initial_events && asked_ == Asked::kStreamedList) {
    end_list(meta.id.resource_version);
  }
  return true;
}

bool Reflector::take_error(const ApiStatus& status) {
  const bool listing = asked_ == Asked::kStreamedList;
  stop_asking();
  if (status.code == kExpired) {
    failed_lists_ += listing ? 1 : 0;
    if (lines_ - lines_at_open_ > 1)
      list();  // it was good for something: no need to wait
    else
      later(backoff_.next(), &Reflector::list);
    return false;
  }
  problem((listing ? "cannot be listed: " : "cannot be watched: ") + status.text());
  failed_lists_ = listing ? kPatience : 0;  // pages may do what a stream cannot
  go_on_after(backoff_.next(status.retry_after));
  return false;
}

void Reflector::on_stream_end(const HttpAnswer& answer) {
  const bool listing = asked_ == Asked::kStreamedList;
  if (answer.status != 0 && answer.status != kHttpOk) {
    auto refused = answer;
    refused.failure.clear();
    return on_stream_refused(judge(refused, loop_.clock().wall()));
  }
  stop_asking();
  if (answer.status != 0 && !answer.failure.empty())
    problem((listing ? "the list broke off: " : "the watch broke off: ") + answer.failure);
  const bool said_something = lines_ > lines_at_open_;
  if (listing) ++failed_lists_;
  if (said_something && !listing) {
    // At once where it lasted; a server that ends every watch after one line is not hammered.
    const bool lasted = loop_.clock().now() - opened_at_ >= kShortWatch;
    return lasted ? watch() : later(kShortWatch, &Reflector::watch);
  }
  if (answer.status == 0) {
    problem("cannot be reached: " + answer.failure);
    return go_on_after(unreached_.next());
  }
  ++broken_streams_;
  go_on_after(backoff_.next());
}

void Reflector::on_stream_refused(const Judged& judged) {
  const bool listing = asked_ == Asked::kStreamedList;
  stop_asking();
  switch (judged.kind) {
    case AnswerKind::kMissing: return on_missing();
    case AnswerKind::kExpired: return later(backoff_.next(judged.retry_after), &Reflector::list);
    case AnswerKind::kInvalid:
      if (listing) {
        can_stream_lists_ = false;
        return list();
      }
      break;
    case AnswerKind::kServerFault:
    case AnswerKind::kForbidden:  // the right to watch may be missing alone; the list then says what is
      if (listing) failed_lists_ = kPatience;
      break;
    default: break;
  }
  problem((listing ? "cannot be listed: " : "cannot be watched: ") + judged.status.text());
  if (judged.kind == AnswerKind::kInvalid) resource_version_.clear();
  go_on_after(backoff_.next(judged.retry_after));
}

void Reflector::break_stream(const Error& error) {
  problem(error.message);
  if (asked_ == Asked::kStreamedList) ++failed_lists_;
  stop_asking();
  ++broken_streams_;
  go_on_after(backoff_.next());
}

// Watches again from where we are. Where streams keep ending without a word, the server may wait for a moment that never comes (its
// data was restored from a backup), so everything is listed anew.
void Reflector::go_on_after(Duration delay) {
  const bool lost = resource_version_.empty() || broken_streams_ > kPatience;
  later(delay, lost ? &Reflector::list : &Reflector::watch);
}

// ------------------------------------------------------------------------------------------------- what is told

void Reflector::tell_object(std::string_view text, JsonSpan span) {
  auto object = decoder_->decode(text, span);
  if (!object) {
    const auto meta = read_meta(span.in(text));
    seen_.touch(meta.id);
    if (asked_ == Asked::kWatch && !meta.id.resource_version.empty()) resource_version_ = meta.id.resource_version;
    return problem("an object cannot be read: " + object.error().text());
  }
  auto id = identity_of(meta_of(*object));
  if (asked_ == Asked::kWatch) resource_version_ = id.resource_version;
  tell_news(std::move(id), std::move(*object));
}

void Reflector::tell_news(Identity id, Object object) {
  auto noted = seen_.note(id);
  if (noted.replaced) tell_deleted(std::move(*noted.replaced));
  if (noted.news == SeenObjects::News::kNone) return;
  const auto type = noted.news == SeenObjects::News::kAdded ? ChangeType::kAdded : ChangeType::kModified;
  queue_.push({&kind_, type, std::move(id), std::move(object), loop_.clock().now()});
}

bool Reflector::tell_again(std::string_view text, JsonSpan span) {
  auto object = decoder_->decode(text, span);
  if (!object) return false;
  auto id = identity_of(meta_of(*object));
  tell_news(std::move(id), std::move(*object));
  return true;
}

void Reflector::tell_gone(const Identity& id) {
  if (auto known = seen_.remove(id)) tell_deleted(std::move(*known));
}

void Reflector::tell_unchanged(std::string_view text, JsonSpan span) {
  auto object = decoder_->decode(text, span);
  if (!object) return;
  auto id = identity_of(meta_of(*object));
  queue_.push({&kind_, ChangeType::kUnchanged, std::move(id), std::move(*object)});
}

void Reflector::tell_deleted(Identity id) { queue_.push({&kind_, ChangeType::kDeleted, std::move(id), std::nullopt}); }

void Reflector::tell_synced() {
  if (std::exchange(told_synced_, true)) return;
  queue_.push({&kind_, ChangeType::kSynced, {}, std::nullopt});
}

void Reflector::problem(std::string message) {
  if (!on_problem_) return;
  Error error(std::move(message));
  error.object = path("");
  on_problem_(kind_, error);
}

void Reflector::stop_asking() {
  loop_.cancel(call_);
  if (timer_) loop_.cancel(*timer_);
  if (stall_timer_) loop_.cancel(*stall_timer_);
  timer_.reset();
  stall_timer_.reset();
  asked_ = Asked::kNothing;
  waits_for_room_ = false;
}

const KindReader& Reflector::reader() const {
  const auto* found = find_kind(api_version(kind_, kind_.versions[version_]), kind_.kind);
  MUSTER_ASSERT(found != nullptr);  // the tables of codec and kube agree: a test sees to it
  return *found;
}

std::string Reflector::path(const std::string& query) const {
  auto out = collection_path(kind_, kind_.versions[version_]);
  const auto join = [&](const std::string& more) {
    if (!more.empty()) out += (out.find('?') == std::string::npos ? "?" : "&") + more;
  };
  join(query);
  join(settings_.selector);
  return out;
}

void Reflector::later(Duration delay, void (Reflector::*what)()) {
  if (stall_timer_) loop_.cancel(*stall_timer_);
  stall_timer_.reset();
  timer_ = loop_.after(delay, [this, what] {
    timer_.reset();
    (this->*what)();
  });
}

}  // namespace muster::kube
