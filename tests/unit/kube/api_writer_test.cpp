#include "kube/api_writer.h"

#include <gtest/gtest.h>

#include "unit/kube/fake_loop.h"

namespace muster::kube {
namespace {

class ApiWriterTest : public testing::Test {
 protected:
  OnWritten keep() {
    return [this](WriteResult result) { result_ = std::move(result); };
  }
  const HttpRequest& sent() {
    loop_.run_posted();
    return loop_.request(loop_.only());
  }
  WriteOutcome answer(int status, const std::string& body = {}, const std::string& retry_after = {}) {
    loop_.run_posted();
    loop_.answer(loop_.only(), status, body, retry_after);
    return result_ ? result_->outcome : WriteOutcome::kInvalid;
  }

  FakeLoop loop_;
  ApiWriter writer_{loop_};
  std::optional<WriteResult> result_;
};

std::string status(int code, const std::string& reason, const std::string& message, const std::string& cause = {}) {
  return R"({"kind":"Status","code":)" + std::to_string(code) + R"(,"reason":")" + reason + R"(","message":")" + message +
         R"(","details":{"causes":[{"reason":")" + cause + R"("}]}})";
}

TEST_F(ApiWriterTest, Binding) {
  writer_.bind({{"ns", "p", "uid-1", "7"}, "n1", {{"a", "b"}}}, keep());
  EXPECT_EQ(sent().path, "/api/v1/namespaces/ns/pods/p/binding");
  EXPECT_EQ(sent().body,
            R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p","namespace":"ns","uid":"uid-1","resourceVersion":"7",)"
            R"("annotations":{"a":"b"}},"target":{"apiVersion":"v1","kind":"Node","name":"n1"}})");
  EXPECT_EQ(answer(201, "{}"), WriteOutcome::kBound);
}

struct Answer {
  const char* name;
  int code;
  std::string body;
  WriteOutcome binding;
  WriteOutcome eviction;
};

class Outcomes : public ApiWriterTest, public testing::WithParamInterface<Answer> {};

TEST_P(Outcomes, AreClosed) {
  writer_.bind({{"ns", "p", "", ""}, "n1", {}}, keep());
  EXPECT_EQ(answer(GetParam().code, GetParam().body), GetParam().binding);
  writer_.evict({{"ns", "p", "u", ""}}, keep());
  EXPECT_EQ(answer(GetParam().code, GetParam().body), GetParam().eviction);
}

TEST_F(ApiWriterTest, ADeletionThatMeetsAnotherObjectFindsItsOwnGone) {
  writer_.remove({"v1", "pods", "ns", "p"}, "a", keep());
  EXPECT_EQ(answer(409, status(409, "Conflict", "Precondition failed: UID in precondition: a, UID in object meta: b")),
            WriteOutcome::kGone);
  writer_.remove({"v1", "pods", "ns", "p"}, "a", keep());
  EXPECT_EQ(answer(409, status(409, "Conflict", "the object has been modified")), WriteOutcome::kConflict);
  writer_.remove({"v1", "pods", "ns", "p"}, "a", keep());
  EXPECT_EQ(answer(200, "{}"), WriteOutcome::kDone);
}

// As KubeVirt's answers evictions of virtual machines, which it moves by itself.
constexpr const char* kDeniedByWebhook = R"(admission webhook \"evictions.example\" denied the request: it moves by itself)";

using enum WriteOutcome;
INSTANTIATE_TEST_SUITE_P(
    Table, Outcomes,
    testing::Values(
        Answer{"done", 201, "{}", kBound, kEvicted},
        Answer{"bound", 409, status(409, "Conflict", "pod p is already assigned to node n2"), kAlreadyBound, kConflict},
        Answer{"deleted", 409, status(409, "Conflict", "pod p is being deleted, cannot be assigned to a host"), kNotBindable,
               kConflict},
        Answer{"gated", 409, status(409, "Conflict", "pod p has non-empty .spec.schedulingGates"), kNotBindable, kConflict},
        Answer{"uid", 409, status(409, "Conflict", "Precondition failed: UID in precondition: a, UID in object meta: b"), kGone,
               kGone},
        Answer{"missing", 404, status(404, "NotFound", "pods p not found"), kGone, kGone},
        Answer{"budget", 429, status(429, "TooManyRequests", "Cannot evict pod", "DisruptionBudget"), kDenied, kBlockedByBudget},
        Answer{"fairness", 429, "Too many requests", kThrottled, kThrottled},
        Answer{"webhook", 429, status(429, "", kDeniedByWebhook), kDenied, kDenied},
        Answer{"prefixed", 429, status(429, "", std::string("pods \\\"p\\\" is forbidden: ") + kDeniedByWebhook), kDenied, kDenied},
        Answer{"webhook403", 403, status(403, "Forbidden", kDeniedByWebhook), kDenied, kDenied},
        Answer{"webhook400", 400, status(400, "BadRequest", kDeniedByWebhook), kDenied, kDenied},
        Answer{"webhook422", 422, status(422, "Invalid", kDeniedByWebhook), kDenied, kDenied},
        Answer{"webhook401", 401, status(401, "Unauthorized", kDeniedByWebhook), kDenied, kDenied},
        Answer{"webhook404", 404, status(404, "NotFound", kDeniedByWebhook), kDenied, kDenied},
        Answer{"webhook409", 409, status(409, "Conflict", kDeniedByWebhook), kDenied, kDenied},
        Answer{"webhook500", 500, status(500, "", kDeniedByWebhook), kDenied, kDenied},
        Answer{"policy", 422,
               status(422, "Invalid",
                      "pods \\\"p\\\" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request: no"),
               kDenied, kDenied},
        Answer{"ending", 403, status(403, "Forbidden", "namespace n is being terminated", "NamespaceTerminating"), kDenied,
               kDenied},
        Answer{"right", 403, status(403, "Forbidden", "User \\\"u\\\" cannot create resource \\\"pods/binding\\\""), kForbidden,
               kForbidden},
        Answer{"admission", 429, status(429, "TooManyRequests", "limit reached on type Namespace"), kDenied, kDenied},
        Answer{"forbidden", 403, "{}", kForbidden, kForbidden}, Answer{"who", 401, "", kUnauthenticated, kUnauthenticated},
        Answer{"invalid", 422, "{}", kInvalid, kInvalid}, Answer{"fault", 500, "{}", kServerFault, kServerFault}),
    [](const auto& case_) { return case_.param.name; });

TEST_F(ApiWriterTest, WhoNamesATimeMeansAllWritesUnlessAWebhookDoes) {
  const auto bind = [&](const std::string& body, const std::string& header) {
    writer_.bind({.pod = {"ns", "p", "u", ""}, .node = "n"}, keep());
    return answer(429, body, header);
  };
  EXPECT_EQ(bind("Too many requests, please try again later.", "1"), kThrottled);
  EXPECT_EQ(bind("The apiserver is shutting down, please try again later.", "5"), kThrottled);
  EXPECT_EQ(bind(status(429, "TooManyRequests", "storage is (re)initializing"), "1"), kThrottled);
  EXPECT_EQ(bind(status(429, "TooManyRequests", kDeniedByWebhook), "1"), kDenied);
}

// A server that has just started does not serve custom resources yet.
TEST_F(ApiWriterTest, WhatIsOnlyOfTheMomentIsTold) {
  const std::tuple<int, std::string, bool> answers[] = {{404, "404 page not found", true},
                                                        {404, status(404, "NotFound", "podgroups g not found"), false},
                                                        {503, status(503, "ServiceUnavailable", "x"), true},
                                                        {504, status(504, "Timeout", "x"), true},
                                                        {500, status(500, "", "etcdserver: request timed out"), true},
                                                        {500, status(500, "", "etcdserver: leader changed"), true},
                                                        {500, status(500, "", "etcdserver: no leader"), true},
                                                        {500, status(500, "InternalError", "failed calling webhook"), false},
                                                        {200, "{}", false}};
  for (const auto& [code, body, is_passing] : answers) {
    writer_.patch({"v1", "pods", "ns", "p"}, PatchType::kMerge, "{}", keep());
    answer(code, body);
    EXPECT_EQ(result_->is_passing, is_passing) << code << " " << body;
  }
}

TEST_F(ApiWriterTest, EvictionNamesItsRetryTime) {
  writer_.evict({{"ns", "p", "u", ""}}, keep());
  EXPECT_EQ(sent().body, R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p","namespace":"ns"},)"
                         R"("deleteOptions":{"preconditions":{"uid":"u"}}})");
  EXPECT_EQ(answer(429, status(429, "TooManyRequests", "x", "DisruptionBudget"), "10"), kBlockedByBudget);
  EXPECT_EQ(result_->retry_after, std::chrono::seconds(10));
}

TEST_F(ApiWriterTest, OtherWrites) {
  const ObjectPath group{"scheduling.volcano.sh/v1beta1", "podgroups", "ns", "g", "status"};
  writer_.patch(group, PatchType::kMerge, "{}", keep());
  EXPECT_EQ(sent().content_type, "application/merge-patch+json");
  EXPECT_EQ(sent().path, "/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups/g/status");
  EXPECT_EQ(answer(200, R"({"a":1})"), kDone);
  EXPECT_EQ(result_->body, R"({"a":1})");
  writer_.apply(group, "muster", true, "{}", keep());
  EXPECT_EQ(sent().path.substr(sent().path.find('?')), "?fieldManager=muster&force=true");
  EXPECT_EQ(answer(409, status(409, "Conflict", "x", "FieldManagerConflict")), kManagedByOthers);
  writer_.create({"v1", "events", "ns"}, "{}", keep());
  EXPECT_EQ(answer(409, status(409, "AlreadyExists", "x")), kAlreadyExists);
  writer_.patch(group, PatchType::kMerge, R"({"metadata":{"uid":"u"}})", keep());
  EXPECT_EQ(answer(422, R"({"kind":"Status","code":422,"reason":"Invalid","message":"metadata.uid: Invalid value","details":)"
                        R"({"causes":[{"reason":"FieldValueInvalid","message":"field is immutable","field":"metadata.uid"}]}})"),
            kGone)
      << "it is another one of that name";
  writer_.patch(group, PatchType::kMerge, R"({"metadata":{"uid":"u"}})", keep());
  EXPECT_EQ(answer(422, R"({"kind":"Status","code":422,"reason":"Invalid","message":"spec.x: Invalid value: \"metadata.uid\"",)"
                        R"("details":{"causes":[{"reason":"FieldValueInvalid","message":"no","field":"spec.x"}]}})"),
            kInvalid);
  writer_.patch(group, PatchType::kMerge, "{}", keep());
  EXPECT_EQ(answer(409, status(409, "Conflict", "the object has been modified")), kConflict);
  writer_.remove({"v1", "pods", "ns", "p"}, "u", keep());
  EXPECT_EQ(sent().body, R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u"}})");
  loop_.end(loop_.only(), "the connection broke");
  EXPECT_EQ(result_->outcome, kUnknown);
}

}  // namespace
}  // namespace muster::kube
