#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/clock.h"

namespace muster::kube {

enum class Method { kGet, kPost, kPut, kPatch, kDelete };

// How much longer a request may be under way. Nothing left: it is not sent any more.
using TimeLeft = std::shared_ptr<const std::function<Duration()>>;

struct HttpRequest {
  Method method = Method::kGet;
  std::string path;  // with its query: "/api/v1/pods?limit=500"
  std::string body = {};
  std::string content_type = "application/json";               // of the body
  std::optional<Duration> timeout = std::chrono::seconds(30);  // for the whole exchange; none for a stream
  std::optional<Duration> longest_silence = {};                // of a stream, after which its connection counts as dead
  bool urgent = false;                                         // passes all that wait for a connection
  TimeLeft time_left = {};  // asked when its turn has come, and when its connection stands; none: as long as it takes

  bool is_stream() const { return !timeout; }
};

struct HttpHead {
  int status = 0;
  std::string retry_after;  // the header as it is written
};

// How an exchange ended. Without a failure, the answer came to its end.
struct HttpEnd {
  std::string failure = {};
  bool was_sent = true;  // false: nobody has heard of the request
  bool complete() const { return failure.empty(); }
};

enum class Flow { kGoOn, kPause };

// Takes an answer piece by piece: the head once, the body in order, the end once. Without an answer only the end comes.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual void on_head(const HttpHead& head) = 0;
  // The piece is taken in any case; kPause holds back the next ones until resume().
  virtual Flow on_body(std::string_view piece) = 0;
  virtual void on_end(const HttpEnd& end) = 0;
};

enum class CallId : std::uint64_t {};
enum class TimerId : std::uint64_t {};

// One thread that talks to one API server and waits. Everything in src/kube that lives on a loop is called by it and calls it on
// that thread only, so there is nothing to lock; others get there by post(). The tests have a loop without sockets, in which time
// passes when they say so.
class Loop {
 public:
  virtual ~Loop() = default;

  // From any thread: runs the work soon, in the order of the calls.
  virtual void post(std::function<void()> work) = 0;

  // The handler lives until its end or until it is cancelled. It is never called from inside send().
  virtual CallId send(HttpRequest request, std::shared_ptr<HttpHandler> handler) = 0;
  // Nothing more comes. Ids that have ended are passed over, here and below.
  virtual void cancel(CallId call) = 0;
  virtual void resume(CallId call) = 0;

  virtual TimerId after(Duration delay, std::function<void()> work) = 0;
  virtual void cancel(TimerId timer) = 0;

  virtual const Clock& clock() const = 0;
};

// A whole answer. With a failure, the rest is what came before it.
struct HttpAnswer {
  int status = 0;
  std::string retry_after = {};
  std::string body = {};
  std::string failure = {};
  bool was_sent = true;
};

// Sends a request and collects its answer, of which more than `largest` bytes are a failure.
CallId ask(Loop& loop, HttpRequest request, std::size_t largest, std::function<void(HttpAnswer)> on_answer);

}  // namespace muster::kube
