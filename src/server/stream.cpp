#include "server/stream.h"

#include <utility>

namespace muster::server {

std::string event_text(std::string_view type, std::string_view data) {
  std::string out;
  type = type.substr(0, type.find_first_of("\r\n"));
  if (!type.empty()) out.append("event: ").append(type).append("\n");
  for (bool more = true; more;) {
    const auto end = data.find_first_of("\r\n");
    out.append("data: ").append(data.substr(0, end)).append("\n");
    more = end != std::string_view::npos;
    if (more) data.remove_prefix(end + (data.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  return out + "\n";
}

bool Stream::send(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kOpen) return false;
  if (bytes.size() > settings_.most_bytes - waiting_.size()) {
    state_ = State::kGone;
    waiting_ = {};
  } else {
    waiting_ += bytes;
  }
  wake();
  return state_ == State::kOpen;
}

void Stream::close() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kOpen) return;
  state_ = State::kClosed;
  wake();
}

bool Stream::is_open() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::kOpen;
}

void Stream::attach(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

Stream::Taken Stream::take() {
  const std::lock_guard lock(mutex_);
  woken_ = false;
  return {std::exchange(waiting_, {}), state_};
}

void Stream::detach() {
  const std::lock_guard lock(mutex_);
  state_ = State::kGone;
  waiting_ = {};
  wake_ = nullptr;
}

void Stream::wake() {
  if (!std::exchange(woken_, true) && wake_) wake_();
}

void Broadcast::add(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [](const auto& one) { return one.expired(); });
  streams_.push_back(stream);
}

void Broadcast::send(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [&](const auto& one) {
    const auto stream = one.lock();
    return !stream || !stream->send(bytes);
  });
}

std::size_t Broadcast::listeners() const {
  const std::lock_guard lock(mutex_);
  std::size_t out = 0;
  for (const auto& one : streams_)
    if (const auto stream = one.lock(); stream && stream->is_open()) ++out;
  return out;
}

}  // namespace muster::server
