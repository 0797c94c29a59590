#pragma once

#include <string>
#include <string_view>

#include "server/message.h"

namespace muster::server {

// The answer under its tag, or 304 without a body when the client says that it has just this one. A tag stands in quotation marks;
// one that begins with W/ is the same for all ways to write the same content.
Response tagged(const Request& request, std::string etag, Response response);

// Whether the client takes the answer in this coding ("gzip"): it names it, and not as one of no worth.
bool accepts_coding(const Request& request, std::string_view coding);

}  // namespace muster::server
