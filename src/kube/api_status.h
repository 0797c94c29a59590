#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/clock.h"
#include "kube/loop.h"

namespace muster::kube {

// The Status object with which the API says what is wrong, in the body of an answer or inside a watch. What is not one (plain text,
// a proxy's page, nothing) gives a status with the HTTP code and the text as its message.
struct ApiStatus {
  struct Cause {
    std::string reason;
    std::string field;
    std::string message;
  };

  int code = 0;
  std::string reason;  // "Expired", "AlreadyExists", …
  std::string message;
  std::vector<Cause> causes;
  std::optional<Duration> retry_after;  // details.retryAfterSeconds

  bool has_cause(std::string_view cause) const;
  // The server is starting, or cannot reach what it needs: this says nothing of what was asked.
  bool is_of_the_moment() const;
  // "409 Conflict: the object has been modified", for messages.
  std::string text() const;
};

ApiStatus read_status(std::string_view text, int http_code);

// The Retry-After header: seconds, or a date, which counts from `now`. Nothing when it is neither; a date that has passed is zero.
std::optional<Duration> read_retry_after(std::string_view header, const Timestamp& now);

// What an answer means, whatever was asked.
enum class AnswerKind {
  kGood,         // 2xx
  kInvalid,      // 400, 405, 406, 413, 415, 422: sending it again does not help
  kUnknownUser,  // 401
  kForbidden,    // 403
  kMissing,      // 404
  kConflict,     // 409
  kExpired,      // 410
  kThrottled,    // 429
  kServerFault,  // 5xx
  kNoAnswer,     // nobody there, or the connection broke: whether it was done is not known
  kOther,
};

struct Judged {
  AnswerKind kind = AnswerKind::kOther;
  ApiStatus status;                     // of anything but kGood
  std::optional<Duration> retry_after;  // the longer of what header and status ask for
};
Judged judge(const HttpAnswer& answer, const Timestamp& now);

}  // namespace muster::kube
