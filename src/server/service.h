#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/router.h"

namespace muster::server {

// Who may ask. Without a token, everybody.
struct Guard {
  std::string bearer_token = {};
  bool trusts_loopback = true;  // clients on this machine need no token
  // By which clients on this machine may call it besides "localhost" and addresses of the loopback. A request under another name
  // may come from the page of a stranger, and counts as one from elsewhere.
  std::vector<std::string> names = {};
};

using Log = std::function<void(std::string_view)>;

// Everything between a message that was read and the answer to it. Never throws: whatever goes wrong is an answer too.
class Service {
 public:
  Service(Router router, Guard guard, Log log) : router_(std::move(router)), guard_(std::move(guard)), log_(std::move(log)) {}

  // The request as it was read, with the target as it stands in the request line.
  Answer answer(Request request, std::string_view target) const;

  void log(std::string_view text) const;

 private:
  bool is_from_here(const Request& request) const;
  bool admits(const Request& request) const;
  Answer routed(Request& request) const;

  Router router_;
  Guard guard_;
  Log log_;
};

}  // namespace muster::server
