#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "server/deferred.h"
#include "server/message.h"
#include "server/stream.h"

namespace muster::server {

using Answer = std::variant<Response, std::shared_ptr<Stream>, std::shared_ptr<Deferred>>;

// Called on the server's thread, one at a time: must not wait for anything; what takes time is a Deferred. A failure may be thrown;
// the client gets 500.
using Handler = std::function<Answer(const Request&)>;

// Whether a route may be used without the token.
enum class Access {
  kGuarded,  // only where there is none
  kOpen,     // by everybody: health checks come from where no token is known
  kPrivate,  // by this machine under its own name; where there is no token, nobody else may use it at all
};

// Which handler answers which path. An exact path goes before prefixes, a longer prefix before a shorter one; a route is for one
// method, and one for GET answers HEAD too. Filled once, then only read.
class Router {
 public:
  Router& on(Method method, std::string path, Handler handler, Access access = Access::kGuarded);
  // For every path that begins with `prefix`, which ends with "/"; the handler finds what follows in `Request::rest`.
  Router& on_prefix(Method method, std::string prefix, Handler handler, Access access = Access::kGuarded);

  struct Route {
    Handler handler;
    Access access;
  };
  // What there is for a request, or the 404 or 405 that says why there is nothing. Sets the request's rest.
  std::variant<const Route*, Response> find(Request& request) const;

 private:
  using Methods = std::map<Method, Route>;
  std::pair<const Methods*, std::size_t> methods_of(std::string_view path) const;  // with the length of the prefix

  std::map<std::string, Methods, std::less<>> exact_;
  std::map<std::string, Methods, std::greater<>> prefixes_;  // of two that both match, the longer one comes first
};

}  // namespace muster::server
