#pragma once

// A loop without sockets: the test sees every request, answers it when it likes, and lets time pass.

#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "kube/loop.h"

namespace muster::kube {

class FakeLoop final : public Loop, public Clock {
 public:
  struct Call {
    HttpRequest request;
    std::shared_ptr<HttpHandler> handler;
    bool head_told = false;
    bool paused = false;
  };

  void post(std::function<void()> work) override { posted_.push_back(std::move(work)); }
  CallId send(HttpRequest request, std::shared_ptr<HttpHandler> handler) override {
    const auto id = CallId{++last_id_};
    sent.push_back(request);
    calls.emplace(id, Call{std::move(request), std::move(handler)});
    return id;
  }
  void cancel(CallId call) override { calls.erase(call); }
  void resume(CallId call) override {
    if (const auto found = calls.find(call); found != calls.end()) found->second.paused = false;
  }
  TimerId after(Duration delay, std::function<void()> work) override {
    const auto id = TimerId{++last_id_};
    timers_.emplace(std::pair{now_ + delay, id}, std::move(work));
    return id;
  }
  void cancel(TimerId timer) override {
    std::erase_if(timers_, [timer](const auto& one) { return one.first.second == timer; });
  }
  const Clock& clock() const override { return *this; }
  Instant now() const override { return now_; }
  Timestamp wall() const override {
    const auto nanos = now_.time_since_epoch().count();
    return {kEpoch + nanos / 1'000'000'000, static_cast<std::int32_t>(nanos % 1'000'000'000)};
  }

  // Lets time pass, timer by timer.
  void advance(Duration time) {
    run_posted();
    const auto end = now_ + time;
    while (!timers_.empty() && timers_.begin()->first.first <= end) {
      auto node = timers_.extract(timers_.begin());
      now_ = std::max(now_, node.key().first);
      node.mapped()();
      run_posted();
    }
    now_ = end;
  }
  void run_posted() {
    for (auto& work : std::exchange(posted_, {})) work();
  }
  bool has_timers() const { return !timers_.empty(); }

  void head(CallId id, int status, std::string retry_after = {}) {
    auto& call = calls.at(id);
    if (!std::exchange(call.head_told, true)) std::shared_ptr(call.handler)->on_head({status, std::move(retry_after)});
  }
  void body(CallId id, std::string_view piece) {
    const auto handler = calls.at(id).handler;
    const bool pauses = handler->on_body(piece) == Flow::kPause;
    if (const auto found = calls.find(id); found != calls.end()) found->second.paused = pauses;
  }
  // Its turn has come. False: too late.
  bool start(CallId id) {
    const auto& left = calls.at(id).request.time_left;
    if (!left || (*left)() > Duration(0)) return true;
    const auto handler = calls.at(id).handler;
    calls.erase(id);
    handler->on_end({"not sent: it came too late", false});
    return false;
  }
  void end(CallId id, std::string failure = {}) {
    const auto handler = calls.at(id).handler;
    calls.erase(id);
    handler->on_end({std::move(failure)});
  }
  void answer(CallId id, int status, std::string_view text = {}, std::string retry_after = {}) {
    head(id, status, std::move(retry_after));
    if (!text.empty()) body(id, text);
    if (calls.contains(id)) end(id);
  }

  // The one call that is open.
  CallId only() const {
    EXPECT_EQ(calls.size(), 1u);
    return calls.empty() ? CallId{} : calls.begin()->first;
  }
  const HttpRequest& request(CallId id) const { return calls.at(id).request; }
  std::string path() const { return calls.empty() ? "" : calls.begin()->second.request.path; }

  std::map<CallId, Call> calls;
  std::vector<HttpRequest> sent;

 private:
  static constexpr std::int64_t kEpoch = 1'700'000'000;

  Instant now_{};
  std::uint64_t last_id_ = 0;
  std::map<std::pair<Instant, TimerId>, std::function<void()>> timers_;
  std::vector<std::function<void()>> posted_;
};

}  // namespace muster::kube
