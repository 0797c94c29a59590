#include "kube/curl_loop.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <signal.h>
#include <thread>
#include <vector>

#include "base/assert.h"
#include "kube/curl_request.h"
#include "kube/curl_sockets.h"

namespace muster::kube {
namespace {

constexpr const char* kTooLate = "not sent: it came too late";

// libcurl wants this once per process, before anything else.
void prepare_library() {
  static const bool kReady = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  MUSTER_ASSERT(kReady);
}

// A connection that the peer has closed is an error of one exchange, not the end of the process.
void block_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

// One exchange, from send() to its end.
struct Call {
  CallId id{};
  HttpRequest request;
  std::shared_ptr<HttpHandler> handler;  // none: cancelled
  std::shared_ptr<const Secrets> secrets;
  CurlEasy easy;
  CurlLists lists;
  char why[CURL_ERROR_SIZE] = "";
  bool head_told = false;
  bool paused = false;
  bool is_written = false;  // or about to be; asked of requests that may come too late
};

void tell_head(Call& call) {
  if (std::exchange(call.head_told, true)) return;
  long status = 0;
  curl_easy_getinfo(call.easy.get(), CURLINFO_RESPONSE_CODE, &status);
  HttpHead head{static_cast<int>(status), {}};
  curl_header* header = nullptr;
  if (curl_easy_header(call.easy.get(), "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK) head.retry_after = header->value;
  call.handler->on_head(head);
}

// The connection stands, after seconds perhaps, and nothing of the request has been written to it. libcurl comes here again when a
// connection that was kept turns out to be dead: the request may have arrived then.
int before_writing(void* of, char*, char*, int, int) {
  auto& call = *static_cast<Call*>(of);
  if (call.handler == nullptr || (*call.request.time_left)() <= Duration(0)) return CURL_PREREQFUNC_ABORT;
  call.is_written = true;
  return CURL_PREREQFUNC_OK;
}

std::size_t take_body(char* data, std::size_t, std::size_t size, void* into) {
  auto& call = *static_cast<Call*>(into);
  if (call.handler == nullptr) return 0;  // ends the transfer
  if (call.paused) return CURL_WRITEFUNC_PAUSE;
  const auto handler = call.handler;  // a handler may cancel its own call
  tell_head(call);
  if (call.handler == nullptr) return 0;
  call.paused = handler->on_body({data, size}) == Flow::kPause;
  return size;
}

}  // namespace

// Everything but the inbox belongs to the thread.
class CurlLoop::Engine {
 public:
  Engine(std::unique_ptr<Credentials> credentials, const Clock& clock, CurlSettings settings)
      : credentials_(std::move(credentials)), clock_(clock), settings_(std::move(settings)) {
    prepare_library();
    multi_ = curl_multi_init();
    MUSTER_ASSERT(multi_ != nullptr);
    sockets_ = std::make_unique<CurlSockets>(multi_, clock_);
    thread_ = std::thread([this] { work(); });
  }
  ~Engine() {
    stopped_ = true;
    sockets_->wake();
    thread_.join();
    for (auto& [id, call] : calls_)
      if (call->easy) curl_multi_remove_handle(multi_, call->easy.get());
    calls_.clear();
    idle_.clear();
    sockets_.reset();
    curl_multi_cleanup(multi_);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void post(std::function<void()> what) {
    {
      const std::lock_guard lock(mutex_);
      inbox_.push_back(std::move(what));
    }
    if (!on_thread()) sockets_->wake();
  }

  CallId send(HttpRequest request, std::shared_ptr<HttpHandler> handler) {
    MUSTER_DCHECK(on_thread());
    auto call = std::make_unique<Call>();
    call->id = CallId{++last_id_};
    call->request = std::move(request);
    call->handler = std::move(handler);
    const auto id = call->id;
    if (needs_turn(*call))
      waiting_.push_back(id);
    else
      started_.push_back(id);
    calls_.emplace(id, std::move(call));
    return id;
  }
  void cancel(CallId id) {
    MUSTER_DCHECK(on_thread());
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    found->second->handler = nullptr;
    cancelled_.push_back(id);
  }
  void resume(CallId id) {
    MUSTER_DCHECK(on_thread());
    const auto found = calls_.find(id);
    if (found != calls_.end() && std::exchange(found->second->paused, false)) resumed_.push_back(id);
  }
  TimerId after(Duration delay, std::function<void()> what) {
    MUSTER_DCHECK(on_thread());
    const auto id = TimerId{++last_id_};
    timers_.emplace(std::pair{clock_.now() + delay, id}, std::move(what));
    return id;
  }
  void cancel(TimerId id) {
    std::erase_if(timers_, [id](const auto& timer) { return timer.first.second == id; });
  }
  bool on_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  static bool needs_turn(const Call& call) { return !call.request.is_stream() && !call.request.urgent; }

  void work() {
    block_broken_pipes();
    while (!stopped_) {
      run_posted();
      run_timers();
      start_calls();
      resume_calls();
      drop_cancelled();
      sockets_->work(has_work() ? Duration(0) : longest_wait());
      end_calls();
    }
  }

  void run_posted() {
    std::vector<std::function<void()>> now;
    {
      const std::lock_guard lock(mutex_);
      now.swap(inbox_);
    }
    for (auto& what : now) what();
  }

  void run_timers() {
    const auto now = clock_.now();
    while (!timers_.empty() && timers_.begin()->first.first <= now) {
      auto node = timers_.extract(timers_.begin());
      node.mapped()();
    }
  }

  void start_calls() {
    while (!waiting_.empty() && taking_turns_ < settings_.most_exchanges) {
      started_.push_back(waiting_.front());
      waiting_.pop_front();
      if (calls_.contains(started_.back())) ++taking_turns_;
    }
    for (const auto id : std::exchange(started_, {}))
      if (const auto found = calls_.find(id); found != calls_.end()) start(*found->second);
  }

  void start(Call& call) {
    if (!has_time_left(call)) return end_unsent(call);
    if (idle_.empty()) {
      call.easy.reset(curl_easy_init());
      MUSTER_ASSERT(call.easy != nullptr);
    } else {
      call.easy = std::move(idle_.back());
      idle_.pop_back();
    }
    CURL* easy = call.easy.get();
    call.secrets = credentials_->current();
    call.lists =
        prepare(easy, call.request, credentials_->access(), *call.secrets, settings_.user_agent, {settings_.connect_timeout});
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call.why);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &call);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &call);
    if (call.request.time_left) {
      curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_writing);
      curl_easy_setopt(easy, CURLOPT_PREREQDATA, &call);
    }
    MUSTER_EXPECT(curl_multi_add_handle(multi_, easy) == CURLM_OK);
  }

  // It may have waited for its turn until whoever sent it may not any more.
  static bool has_time_left(Call& call) {
    auto& request = call.request;
    if (!request.time_left) return true;
    const auto left = (*request.time_left)();
    if (request.timeout) request.timeout = std::min(*request.timeout, left);
    return left > Duration(0);
  }

  void end_unsent(Call& call) {
    if (needs_turn(call)) --taking_turns_;
    const auto kept = take_out(call);
    if (kept->handler) kept->handler->on_end({kTooLate, false});
  }

  void resume_calls() {
    for (const auto id : std::exchange(resumed_, {}))
      if (const auto found = calls_.find(id); found != calls_.end() && found->second->easy)
        curl_easy_pause(found->second->easy.get(), CURLPAUSE_CONT);
  }

  void drop_cancelled() {
    for (const auto id : std::exchange(cancelled_, {}))
      if (const auto found = calls_.find(id); found != calls_.end()) static_cast<void>(take_out(*found->second));
  }

  std::unique_ptr<Call> take_out(Call& call) {
    constexpr std::size_t kMostIdle = 32;
    auto node = calls_.extract(call.id);
    if (call.easy) {
      curl_multi_remove_handle(multi_, call.easy.get());
      if (needs_turn(call)) --taking_turns_;
      curl_easy_reset(call.easy.get());  // it points into the call, which goes, and holds copies of keys
      if (idle_.size() < kMostIdle) idle_.push_back(std::move(call.easy));
    }
    return std::move(node.mapped());
  }

  void end_calls() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const auto code = message->data.result;
      Call* call = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &call);
      const auto id = call->id;
      if (call->handler != nullptr) end(*call, code);
      if (const auto found = calls_.find(id); found != calls_.end()) static_cast<void>(take_out(*found->second));
    }
  }

  void end(Call& call, CURLcode code) {
    const auto handler = call.handler;
    long status = 0;
    curl_easy_getinfo(call.easy.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status == 401) credentials_->refused();
    if (status > 0) tell_head(call);
    if (call.handler == nullptr) return;  // cancelled by the handler just now
    HttpEnd end;
    if (code == CURLE_ABORTED_BY_CALLBACK && call.request.time_left && !call.is_written)
      end = {kTooLate, false};
    else if (code != CURLE_OK)
      end.failure = call.why[0] == '\0' ? curl_easy_strerror(code) : call.why;
    const auto kept = take_out(call);
    handler->on_end(end);
  }

  bool has_work() {
    if (!started_.empty() || !resumed_.empty() || !cancelled_.empty()) return true;
    if (!waiting_.empty() && taking_turns_ < settings_.most_exchanges) return true;
    const std::lock_guard lock(mutex_);
    return !inbox_.empty();
  }

  Duration longest_wait() const {
    constexpr Duration kLongest = std::chrono::seconds(1);
    if (timers_.empty()) return kLongest;
    return std::clamp(Duration(timers_.begin()->first.first - clock_.now()), Duration(0), kLongest);
  }

  std::unique_ptr<Credentials> credentials_;
  const Clock& clock_;
  const CurlSettings settings_;
  CURLM* multi_ = nullptr;
  std::unique_ptr<CurlSockets> sockets_;
  std::map<CallId, std::unique_ptr<Call>> calls_;
  std::deque<CallId> waiting_;   // for a turn
  std::vector<CallId> started_;  // since the last round
  std::vector<CallId> resumed_;
  std::vector<CallId> cancelled_;
  std::vector<CurlEasy> idle_;
  std::map<std::pair<Instant, TimerId>, std::function<void()>> timers_;
  std::uint64_t last_id_ = 0;
  std::size_t taking_turns_ = 0;

  std::mutex mutex_;
  std::vector<std::function<void()>> inbox_;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

CurlLoop::CurlLoop(std::unique_ptr<Credentials> credentials, const Clock& clock, CurlSettings settings)
    : clock_(clock), engine_(std::make_unique<Engine>(std::move(credentials), clock, std::move(settings))) {}
CurlLoop::~CurlLoop() = default;

void CurlLoop::post(std::function<void()> work) { engine_->post(std::move(work)); }
CallId CurlLoop::send(HttpRequest request, std::shared_ptr<HttpHandler> handler) {
  return engine_->send(std::move(request), std::move(handler));
}
void CurlLoop::cancel(CallId call) { engine_->cancel(call); }
void CurlLoop::resume(CallId call) { engine_->resume(call); }
TimerId CurlLoop::after(Duration delay, std::function<void()> work) { return engine_->after(delay, std::move(work)); }
void CurlLoop::cancel(TimerId timer) { engine_->cancel(timer); }

void CurlLoop::run(const std::function<void()>& work) {
  std::promise<void> done;
  engine_->post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace muster::kube
