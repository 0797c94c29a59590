#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/message.h"
#include "sim/api_error.h"
#include "sim/kinds.h"
#include "sim/unknown_field.h"

namespace muster::sim {

// What becomes of fields that a kind does not have, mistyped ones mostly: its types, of which protobuf_table.cpp knows, or its
// definition, where it is a custom resource.

// What a request asks for with fieldValidation. Where it is not refused, the field of a built-in kind is kept, that of a custom
// resource dropped (shape_custom).
enum class FieldValidation { kIgnore, kWarn, kStrict };
Answered<FieldValidation> field_validation(const server::Request& request);

// Answers have an end, however many fields a body has, and however long their names are.
inline constexpr std::size_t kMostUnknown = 100;
inline constexpr std::size_t kMostUnknownBytes = 16384;

// "spec.foo", "spec.containers[0].imag", in the order of the document (sorted, of custom resources); the first hundred, or fewer
// where they are long.
std::vector<std::string> unknown_fields(const Kind& kind, const Tree& object);

// The same with the names that were probably meant, and those in the templates of pods of a custom resource, of which its
// definition may take anything. Without a kind it is one whose definition is not known here.
std::vector<UnknownField> mistyped_fields(const Kind* kind, const Tree& object);

// What server-side apply says of the first of them: ".spec.containers[name=\"a\"].imag: field not declared in schema"; and, of
// custom resources, of the first value that has another type.
std::optional<std::string> untyped(const Kind& kind, const Tree& object);

// `strict decoding error: unknown field "spec.foo", unknown field "spec.bar"`.
std::string strict_error(const std::vector<std::string>& unknown);

// Each in a header of its own, which kubectl shows; no more than 4 KiB of them.
void add_warnings(server::Response& response, const std::vector<std::string>& texts);
void add_unknown_warnings(server::Response& response, const std::vector<std::string>& unknown);

// "map[metadata:map[name:a] spec:map[foo:1]]", as a program in Go prints a patch in its errors.
std::string go_text(const Tree& tree);

}  // namespace muster::sim
