#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "server/message.h"

namespace muster::server {

// An answer that another thread gives later. A handler makes one, hands it to whoever will give it, and returns it at once. The
// client is told 503 when nobody gives it in time.
class Deferred {
 public:
  // From any thread; never waits. The first one counts.
  void give(Response response);

  // The server's side. `wake` is called once, when the answer is there.
  void attach(std::function<void()> wake);
  std::optional<Response> take();

 private:
  std::mutex mutex_;
  bool is_given_ = false;
  std::optional<Response> response_;
  std::function<void()> wake_;
};

}  // namespace muster::server
