#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace muster::server {

// One server-sent event as it goes over the wire. The data may have several lines; the type, one.
std::string event_text(std::string_view type, std::string_view data);

// An answer without an end: what other threads put in goes to one client as soon as it can take it. A client that is too slow to
// take it is dropped, so that at most twice `most_bytes` wait. A handler makes one, may fill it at once, and returns it.
class Stream {
 public:
  struct Settings {
    std::string content_type = "text/event-stream";
    std::size_t most_bytes = std::size_t{1} << 20;
    // Sent when nothing else was for a while, so that a client that died silently is noticed; a comment in server-sent events.
    std::string heartbeat = ":\n\n";
  };

  Stream() : Stream(Settings{}) {}
  explicit Stream(Settings settings) : settings_(std::move(settings)) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() = default;

  // From any thread; never waits. False once nobody reads any more: there is no point in sending again.
  bool send(std::string_view bytes);
  bool send_event(std::string_view type, std::string_view data) { return send(event_text(type, data)); }
  // What was sent is still delivered, then the answer ends.
  void close();
  bool is_open() const;

  // The server's side.
  const Settings& settings() const { return settings_; }
  // `wake` is called, with the stream locked, when there is something to take: once until it was taken.
  void attach(std::function<void()> wake);
  enum class State {
    kOpen,
    kClosed,  // by the one who fills it: ends after what was taken
    kGone,    // by the client, or because of it
  };
  struct Taken {
    std::string bytes;
    State state = State::kOpen;
  };
  Taken take();
  // The client has gone. Nothing is kept, nobody is woken any more.
  void detach();

 private:
  void wake();

  const Settings settings_;
  mutable std::mutex mutex_;
  State state_ = State::kOpen;
  std::string waiting_;
  bool woken_ = false;
  std::function<void()> wake_;
};

// The streams that get the same events: a live page that several people look at. Every call is safe from every thread.
class Broadcast {
 public:
  void add(const std::shared_ptr<Stream>& stream);
  void send(std::string_view bytes);
  void send_event(std::string_view type, std::string_view data) { send(event_text(type, data)); }
  std::size_t listeners() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<Stream>> streams_;  // the server keeps them alive
};

}  // namespace muster::server
