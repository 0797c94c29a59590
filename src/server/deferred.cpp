#include "server/deferred.h"

#include <utility>

namespace muster::server {

void Deferred::give(Response response) {
  std::function<void()> wake;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_given_, true)) return;
    response_ = std::move(response);
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
  const std::lock_guard lock(mutex_);
  return std::exchange(response_, std::nullopt);
}

}  // namespace muster::server
