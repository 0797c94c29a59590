#include "server/deferred.h"

#include <utility>

namespace muster::server {

void Deferred::give(Response response) { give_any(std::move(response), {}); }

void Deferred::give_made(std::function<Response()> make) { give_any(std::nullopt, std::move(make)); }

void Deferred::give_any(std::optional<Response> response, std::function<Response()> make) {
  std::function<void()> wake;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_given_, true)) return;
    response_ = std::move(response);
    make_ = std::move(make);
    wake = std::exchange(wake_, {});
  }
  if (wake) wake();
}

void Deferred::attach(std::function<void()> wake) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_given_) {
      wake_ = std::move(wake);
      return;
    }
  }
  wake();
}

std::optional<Response> Deferred::take() {
  std::function<Response()> make;
  {
    const std::lock_guard lock(mutex_);
    if (!make_) return std::exchange(response_, std::nullopt);
    make = std::exchange(make_, {});
  }
  return make();
}

}  // namespace muster::server
