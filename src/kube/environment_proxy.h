#pragma once

#include <string>
#include <string_view>

#include "kube/access.h"

namespace muster::kube {

// The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY (or in small letters) name for a server, by the rules of Go's net/http and so
// of kubectl: the variable is that of the server's scheme, nobody on this machine is asked by a proxy, and NO_PROXY lists names,
// which stand for what is below them too, addresses, networks, each but networks perhaps with a port, or "*". Empty: none.
std::string proxy_of_environment(std::string_view server, const Environment& environment);

}  // namespace muster::kube
