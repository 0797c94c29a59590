#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sim/tree.h"

namespace muster::sim {

// A field of an object that is refused, as it stands in the causes of a Status.
struct Cause {
  std::string reason;  // "FieldValueRequired"
  std::string message;
  std::string field;
};

// A request that is refused: what the body of the answer, a metav1.Status, is made of.
struct ApiError {
  int code = 500;
  std::string reason = "InternalError";  // empty where a real server gives none
  std::string message = {};
  std::string group = {};
  std::string kind = {};  // as the API names it in details: the plural, or the kind for what is invalid
  std::string name = {};
  std::string uid = {};
  std::vector<Cause> causes = {};
  std::optional<int> retry_after = {};

  Tree status() const;
};

template <class T>
using Answered = tl::expected<T, ApiError>;

inline tl::unexpected<ApiError> refuse(ApiError error) { return tl::unexpected<ApiError>(std::move(error)); }

// What an error is about, as messages write it: pods "a", jobs.batch "b".
struct Subject {
  std::string_view group;
  std::string_view plural;
  std::string_view kind;
  std::string_view name;

  std::string text() const;
};

ApiError not_found(const Subject& about);
ApiError already_exists(const Subject& about);
ApiError conflict(const Subject& about, std::string_view why);
// "the object has been modified; please apply your changes to the latest version and try again".
ApiError stale(const Subject& about);
ApiError invalid(const Subject& about, std::vector<Cause> causes);
ApiError bad_request(std::string message);
// 413, with the most that is taken.
ApiError too_large(std::size_t most);
// 404 for a path that means nothing here.
ApiError not_served();
ApiError forbidden(const Subject& about, std::string_view why);
ApiError not_allowed(std::string message);
ApiError not_implemented(std::string message);
ApiError unsupported_media(std::string message);
ApiError expired(std::string message);
ApiError internal(std::string message);

Cause required_field(std::string field, std::string_view detail = {});
Cause invalid_field(std::string field, std::string_view value, std::string_view detail);
Cause forbidden_field(std::string field, std::string_view detail);

// A metav1.Status that says that all went well.
Tree success_status(const Subject& about, std::string_view uid);

}  // namespace muster::sim
