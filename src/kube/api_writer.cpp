#include "kube/api_writer.h"

#include <algorithm>

#include "base/percent_encoding.h"
#include "codec/json_writer.h"

namespace muster::kube {
namespace {

constexpr std::string_view kOtherUid = "UID in ";  // "Precondition failed: UID in precondition: a, UID in object meta: b"
constexpr std::size_t kLargestAnswer = std::size_t{16} << 20;

void write_map(JsonWriter& json, std::string_view name, const std::map<std::string, std::string>& entries) {
  if (entries.empty()) return;
  json.key(name).begin_object();
  for (const auto& [key, value] : entries) json.member(key, value);
  json.end_object();
}

std::string_view text_of(PatchType type) {
  switch (type) {
    case PatchType::kMerge: return "merge";
    case PatchType::kStrategic: return "strategic-merge";
    case PatchType::kJson: return "json";
  }
  return "merge";
}

bool says(const Judged& judged, std::string_view text) { return judged.status.message.find(text) != std::string::npos; }

// Whether the request was allowed and understood, and somebody who looks at what is asked did not want it. Webhooks and policies do
// that with whatever code they like, behind words that the server writes.
bool is_denied(const Judged& judged) {
  if (says(judged, "admission webhook \"") && says(judged, "\" denied the request")) return true;
  if (says(judged, "ValidatingAdmissionPolicy '") && says(judged, "' denied request")) return true;
  return judged.status.has_cause("NamespaceTerminating");
}

// What a 429 means: a server that has too much to do, starts or ends says so in plain text before it looks at a request, or with a
// time after which to come again. Admission of the server's own answers with a Status without a time.
WriteOutcome outcome_of_429(const Judged& judged) {
  return !judged.status.reason.empty() && !judged.retry_after ? WriteOutcome::kDenied : WriteOutcome::kThrottled;
}

// The uid of a deletion or an eviction is a precondition, that of a patch a field that cannot be changed.
bool is_of_another(const Judged& judged) {
  if (judged.kind == AnswerKind::kConflict) return says(judged, kOtherUid);
  const auto& causes = judged.status.causes;
  return judged.kind == AnswerKind::kInvalid &&
         std::any_of(causes.begin(), causes.end(), [](const auto& cause) { return cause.field == "metadata.uid"; });
}

}  // namespace

std::string_view text_of(WriteOutcome outcome) {
  switch (outcome) {
    case WriteOutcome::kDone: return "done";
    case WriteOutcome::kBound: return "bound";
    case WriteOutcome::kAlreadyBound: return "already bound";
    case WriteOutcome::kNotBindable: return "not bindable";
    case WriteOutcome::kEvicted: return "evicted";
    case WriteOutcome::kBlockedByBudget: return "blocked by a disruption budget";
    case WriteOutcome::kGone: return "gone";
    case WriteOutcome::kAlreadyExists: return "already exists";
    case WriteOutcome::kConflict: return "conflict";
    case WriteOutcome::kManagedByOthers: return "managed by others";
    case WriteOutcome::kInvalid: return "invalid";
    case WriteOutcome::kForbidden: return "forbidden";
    case WriteOutcome::kDenied: return "denied";
    case WriteOutcome::kUnauthenticated: return "unauthenticated";
    case WriteOutcome::kThrottled: return "throttled";
    case WriteOutcome::kServerFault: return "server fault";
    case WriteOutcome::kUnknown: return "unknown";
  }
  return "unknown";
}

std::string binding_body(const BindingRequest& binding) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("apiVersion", "v1").member("kind", "Binding").key("metadata").begin_object();
  json.member("name", binding.pod.name).member("namespace", binding.pod.ns);
  if (!binding.pod.uid.empty()) json.member("uid", binding.pod.uid);
  if (!binding.pod.resource_version.empty()) json.member("resourceVersion", binding.pod.resource_version);
  write_map(json, "annotations", binding.annotations);
  json.end_object().key("target").begin_object();
  json.member("apiVersion", "v1").member("kind", "Node").member("name", binding.node).end_object().end_object();
  return out;
}

std::string eviction_body(const EvictionRequest& eviction) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("apiVersion", "policy/v1").member("kind", "Eviction").key("metadata").begin_object();
  json.member("name", eviction.pod.name).member("namespace", eviction.pod.ns).end_object();
  if (!eviction.pod.uid.empty()) {
    json.key("deleteOptions").begin_object().key("preconditions").begin_object();
    json.member("uid", eviction.pod.uid).end_object().end_object();
  }
  json.end_object();
  return out;
}

WriteOutcome write_outcome(const Judged& judged) {
  if (is_denied(judged)) return WriteOutcome::kDenied;
  switch (judged.kind) {
    case AnswerKind::kGood: return WriteOutcome::kDone;
    case AnswerKind::kInvalid: return WriteOutcome::kInvalid;
    case AnswerKind::kUnknownUser: return WriteOutcome::kUnauthenticated;
    case AnswerKind::kForbidden: return WriteOutcome::kForbidden;
    case AnswerKind::kMissing: return WriteOutcome::kGone;
    case AnswerKind::kConflict:
      if (judged.status.reason == "AlreadyExists") return WriteOutcome::kAlreadyExists;
      return judged.status.has_cause("FieldManagerConflict") ? WriteOutcome::kManagedByOthers : WriteOutcome::kConflict;
    case AnswerKind::kExpired: return WriteOutcome::kGone;
    case AnswerKind::kThrottled: return outcome_of_429(judged);
    case AnswerKind::kServerFault: return WriteOutcome::kServerFault;
    case AnswerKind::kNoAnswer: return WriteOutcome::kUnknown;
    case AnswerKind::kOther: return WriteOutcome::kServerFault;
  }
  return WriteOutcome::kUnknown;
}

// All conflicts of a binding have one code; the server's words tell them apart.
WriteOutcome binding_outcome(const Judged& judged) {
  if (judged.kind == AnswerKind::kGood) return WriteOutcome::kBound;
  if (judged.kind != AnswerKind::kConflict || is_denied(judged)) return write_outcome(judged);
  if (says(judged, "already assigned")) return WriteOutcome::kAlreadyBound;
  if (says(judged, kOtherUid)) return WriteOutcome::kGone;
  if (says(judged, "is being deleted") || says(judged, ".spec.schedulingGates")) return WriteOutcome::kNotBindable;
  return WriteOutcome::kConflict;
}

WriteOutcome eviction_outcome(const Judged& judged) {
  if (judged.kind == AnswerKind::kGood) return WriteOutcome::kEvicted;
  if (judged.kind == AnswerKind::kThrottled && judged.status.has_cause("DisruptionBudget")) return WriteOutcome::kBlockedByBudget;
  return guarded_outcome(judged);
}

WriteOutcome guarded_outcome(const Judged& judged) { return is_of_another(judged) ? WriteOutcome::kGone : write_outcome(judged); }

void ApiWriter::bind(const BindingRequest& binding, OnWritten on_written) {
  const ObjectPath path{"v1", "pods", binding.pod.ns, binding.pod.name, "binding"};
  send({Method::kPost, path.text(), binding_body(binding)}, binding_outcome, std::move(on_written));
}

void ApiWriter::evict(const EvictionRequest& eviction, OnWritten on_written) {
  const ObjectPath path{"v1", "pods", eviction.pod.ns, eviction.pod.name, "eviction"};
  send({Method::kPost, path.text(), eviction_body(eviction)}, eviction_outcome, std::move(on_written));
}

void ApiWriter::create(const ObjectPath& collection, std::string body, OnWritten on_written) {
  send({Method::kPost, collection.text(), std::move(body)}, write_outcome, std::move(on_written));
}

void ApiWriter::patch(const ObjectPath& object, PatchType type, std::string body, OnWritten on_written) {
  HttpRequest request{Method::kPatch, object.text(), std::move(body)};
  request.content_type = "application/" + std::string(text_of(type)) + "-patch+json";
  send(std::move(request), guarded_outcome, std::move(on_written));
}

void ApiWriter::apply(const ObjectPath& object, const std::string& manager, bool force, std::string body, OnWritten on_written) {
  const auto query = "?fieldManager=" + percent_encoded(manager) + (force ? "&force=true" : "");
  HttpRequest request{Method::kPatch, object.text() + query, std::move(body)};
  request.content_type = "application/apply-patch+yaml";
  send(std::move(request), write_outcome, std::move(on_written));
}

void ApiWriter::remove(const ObjectPath& object, const std::string& uid, OnWritten on_written) {
  HttpRequest request{Method::kDelete, object.text()};
  if (!uid.empty()) {
    JsonWriter json(request.body);
    json.begin_object().member("apiVersion", "v1").member("kind", "DeleteOptions");
    json.key("preconditions").begin_object().member("uid", uid).end_object().end_object();
  }
  send(std::move(request), guarded_outcome, std::move(on_written));
}

void ApiWriter::send(HttpRequest request, Judge judge_outcome, OnWritten on_written) {
  request.time_left = time_left_;
  loop_.post([&loop = loop_, request = std::move(request), judge_outcome, on_written = std::move(on_written)]() mutable {
    ask(loop, std::move(request), kLargestAnswer, [&loop, judge_outcome, on_written = std::move(on_written)](HttpAnswer answer) {
      const auto judged = judge(answer, loop.clock().wall());
      const bool good = judged.kind == AnswerKind::kGood;
      on_written({judge_outcome(judged), judged.retry_after, good ? "" : judged.status.text(), good ? std::move(answer.body) : "",
                  answer.was_sent, !good && judged.status.is_of_the_moment()});
    });
  });
}

}  // namespace muster::kube
