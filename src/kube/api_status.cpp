#include "kube/api_status.h"

#include <algorithm>
#include <charconv>

#include "kube/text_file.h"
#include "model/date.h"
#include "model/json.h"
#include "model/quoted.h"

namespace muster::kube {
namespace {

constexpr std::int64_t kMostSeconds = 10 * 60;  // who asks for more would have us blind

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t out = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

Duration bounded_seconds(std::int64_t seconds) { return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kMostSeconds)); }

// "Sun, 06 Nov 1994 08:49:37 GMT", the only form that servers may send.
std::optional<std::int64_t> read_http_date(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT" || text[19] != ':' || text[22] != ':')
    return std::nullopt;
  const auto month = kMonths.find(text.substr(8, 3));
  const auto day = number(text.substr(5, 2));
  const auto year = number(text.substr(12, 4));
  const auto hour = number(text.substr(17, 2));
  const auto minute = number(text.substr(20, 2));
  const auto second = number(text.substr(23, 2));
  if (month == std::string_view::npos || month % 3 != 0 || !day || !year || !hour || !minute || !second) return std::nullopt;
  if (*day < 1 || *day > 31 || *hour < 0 || *hour > 23 || *minute < 0 || *minute > 59 || *second < 0) return std::nullopt;
  return days_from_date(*year, static_cast<int>(month / 3) + 1, static_cast<int>(*day)) * 86400 + *hour * 3600 + *minute * 60 +
         *second;
}

void read_details(const Json& details, ApiStatus& out) {
  if (const auto* seconds = details.find("retryAfterSeconds"))
    if (const auto count = seconds->as_int(); count && *count > 0) out.retry_after = bounded_seconds(*count);
  const auto* causes = details.find("causes");
  if (causes == nullptr || causes->kind != Json::Kind::kList) return;
  for (const auto& cause : causes->items)
    out.causes.push_back({text_at(&cause, "reason"), text_at(&cause, "field"), text_at(&cause, "message")});
}

AnswerKind kind_of(int code) {
  switch (code) {
    case 400:
    case 405:
    case 406:
    case 413:
    case 415:
    case 422: return AnswerKind::kInvalid;
    case 401: return AnswerKind::kUnknownUser;
    case 403: return AnswerKind::kForbidden;
    case 404: return AnswerKind::kMissing;
    case 409: return AnswerKind::kConflict;
    case 410: return AnswerKind::kExpired;
    case 429: return AnswerKind::kThrottled;
    default: break;
  }
  if (code >= 200 && code < 300) return AnswerKind::kGood;
  return code >= 500 && code < 600 ? AnswerKind::kServerFault : AnswerKind::kOther;
}

}  // namespace

bool ApiStatus::has_cause(std::string_view cause) const {
  return std::any_of(causes.begin(), causes.end(), [&](const Cause& one) { return one.reason == cause; });
}

bool ApiStatus::is_of_the_moment() const {
  constexpr int kMissing = 404, kUnavailable = 503, kTooLate = 504;
  // Of the server's own store, which comes as a fault of the server's.
  constexpr std::string_view kStoreSays[] = {"etcdserver: request timed out", "etcdserver: leader changed",
                                             "etcdserver: no leader"};
  if (code == kMissing) return reason != "NotFound";  // a path that is not served, perhaps not yet
  return code == kUnavailable || code == kTooLate ||
         std::ranges::any_of(kStoreSays, [&](auto text) { return message.find(text) != std::string::npos; });
}

std::string ApiStatus::text() const {
  auto text = code == 0 ? std::string() : std::to_string(code);  // none: nobody answered
  for (const auto& [part, before] : {std::pair(&reason, " "), std::pair(&message, ": ")})
    if (!part->empty()) text += (text.empty() ? "" : before) + shortened(*part);
  for (const auto& cause : causes)  // of a blocked eviction only they name the budget
    if (!cause.message.empty() && message.find(cause.message) == std::string::npos) return text + " " + shortened(cause.message);
  return text;
}

ApiStatus read_status(std::string_view text, int http_code) {
  ApiStatus out;
  out.code = http_code;
  const auto json = read_json(text);
  if (!json || json->kind != Json::Kind::kMap || text_at(&*json, "kind") != "Status") {
    out.message = shortened(trimmed(text));
    return out;
  }
  out.reason = text_at(&*json, "reason");
  out.message = text_at(&*json, "message");
  if (const auto* code = json->find("code"))
    if (const auto count = code->as_int(); count && *count > 0 && *count < 1000) out.code = static_cast<int>(*count);
  if (const auto* details = json->find("details"); details != nullptr && details->kind == Json::Kind::kMap)
    read_details(*details, out);
  return out;
}

std::optional<Duration> read_retry_after(std::string_view header, const Timestamp& now) {
  const auto text = trimmed(header);
  if (const auto seconds = number(text)) return *seconds < 0 ? std::nullopt : std::optional(bounded_seconds(*seconds));
  if (const auto date = read_http_date(text)) return bounded_seconds(*date - now.seconds);
  return std::nullopt;
}

Judged judge(const HttpAnswer& answer, const Timestamp& now) {
  Judged out;
  if (answer.status == 0 || (!answer.failure.empty() && answer.status < 300)) {
    out.kind = AnswerKind::kNoAnswer;
    out.status.message = answer.failure;
    return out;
  }
  out.kind = kind_of(answer.status);
  if (out.kind == AnswerKind::kGood) return out;
  out.status = read_status(answer.body, answer.status);
  out.retry_after = read_retry_after(answer.retry_after, now);
  if (out.status.retry_after) out.retry_after = std::max(out.retry_after.value_or(Duration(0)), *out.status.retry_after);
  return out;
}

}  // namespace muster::kube
