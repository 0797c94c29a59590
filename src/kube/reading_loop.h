#pragma once

#include <memory>
#include <utility>

#include "base/assert.h"
#include "kube/loop.h"

namespace muster::kube {

// A loop for those who must never change anything: whatever is sent through it is a GET, or the program ends.
class ReadingLoop final : public Loop {
 public:
  explicit ReadingLoop(Loop& loop) : loop_(loop) {}

  void post(std::function<void()> work) override { loop_.post(std::move(work)); }
  CallId send(HttpRequest request, std::shared_ptr<HttpHandler> handler) override {
    MUSTER_ASSERT(request.method == Method::kGet && request.body.empty());
    return loop_.send(std::move(request), std::move(handler));
  }
  void cancel(CallId call) override { loop_.cancel(call); }
  void resume(CallId call) override { loop_.resume(call); }
  TimerId after(Duration delay, std::function<void()> work) override { return loop_.after(delay, std::move(work)); }
  void cancel(TimerId timer) override { loop_.cancel(timer); }
  const Clock& clock() const override { return loop_.clock(); }

 private:
  Loop& loop_;
};

}  // namespace muster::kube
