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
  // The same for an answer that is still to be put together: `make` is called on the server's thread, where the time that it takes
  // is not that of the one who gives.
  void give_made(std::function<Response()> make);

  // The server's side. `wake` is called once, when the answer is there.
  void attach(std::function<void()> wake);
  std::optional<Response> take();

 private:
  void give_any(std::optional<Response> response, std::function<Response()> make);

  std::mutex mutex_;
  bool is_given_ = false;
  std::optional<Response> response_;
  std::function<Response()> make_;
  std::function<void()> wake_;
};

}  // namespace muster::server
