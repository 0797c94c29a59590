#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/message.h"
#include "sim/api_error.h"
#include "sim/kinds.h"

namespace muster::sim {

// What becomes of fields that the types of a built-in kind do not have, as protobuf_table.cpp knows them: a mistyped one, mostly.
// Custom resources may have whatever fields they like.

// What a request asks for with fieldValidation. Where it is not refused, the field is kept.
enum class FieldValidation { kIgnore, kWarn, kStrict };
Answered<FieldValidation> field_validation(const server::Request& request);

// "spec.foo", "spec.containers[0].imag", in the order of the document; the first hundred, or fewer where they are long.
std::vector<std::string> unknown_fields(const Kind& kind, const Tree& object);

// The first of them, as server-side apply names it: ".spec.containers[name=\"a\"].imag".
std::optional<std::string> undeclared_field(const Kind& kind, const Tree& object);

// `strict decoding error: unknown field "spec.foo", unknown field "spec.bar"`.
std::string strict_error(const std::vector<std::string>& unknown);

// Each in a header of its own, which kubectl shows; no more than 4 KiB of them.
void add_warnings(server::Response& response, const std::vector<std::string>& unknown);

// "map[metadata:map[name:a] spec:map[foo:1]]", as a program in Go prints a patch in its errors.
std::string go_text(const Tree& tree);

}  // namespace muster::sim
