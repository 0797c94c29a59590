#pragma once

#include <string>

#include "server/message.h"

namespace muster::server {

// The answer under its tag (in quotation marks), or 304 without a body when the client says that it has just this one.
Response tagged(const Request& request, std::string etag, Response response);

}  // namespace muster::server
