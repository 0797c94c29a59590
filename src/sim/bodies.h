#pragma once

#include "server/message.h"
#include "sim/api_error.h"
#include "sim/registry.h"

namespace muster::sim {

// The body of a request as a tree: JSON, YAML or protobuf, as the Content-Type says. 415 for anything else.
Answered<Tree> body_of(const server::Request& request);
// The same where it is an object of a kind: custom resources have no protobuf.
Answered<Tree> object_of(const server::Request& request, const Kind& kind);
// The same without looking at the type: patches have types of their own.
Answered<Tree> json_body(std::string_view body);
Answered<Tree> yaml_body(std::string_view body);

// The media type without its parameters, in lower case.
std::string media_type(const server::Request& request);

// From the body and the query of a DELETE; wrong values are bad requests.
Answered<DeleteOptions> delete_options(const server::Request& request);
Answered<DeleteOptions> delete_options(const Tree& tree, const server::Request& request);

WriteOptions write_options(const server::Request& request);

bool is_true(const server::Request& request, std::string_view parameter);

}  // namespace muster::sim
