#include "server/service.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace muster::server {
namespace {

Handler saying(std::string text) {
  return [text = std::move(text)](const Request& request) { return Response{200, "text/plain", text + request.rest, {}}; };
}

Router some_routes() {
  Router out;
  out.on(Method::kGet, "/", saying("root"))
      .on(Method::kGet, "/api/exact", saying("exact"))
      .on(Method::kPost, "/jobs", saying("post"))
      .on(Method::kDelete, "/jobs", saying("delete"))
      .on(Method::kGet, "/jobs", saying("get"))
      .on(Method::kGet, "/healthz", saying("well"), Access::kOpen)
      .on_prefix(Method::kGet, "/api/", saying("api:"))
      .on_prefix(Method::kPut, "/api/v1/", saying("v1:"))
      .on_prefix(Method::kGet, "/api/v1/pods/", saying("pods:"))
      .on(Method::kGet, "/throws", [](const Request&) -> Answer { throw std::runtime_error("on purpose"); })
      .on(Method::kGet, "/throws-odd", [](const Request&) -> Answer { throw 7; })
      .on(Method::kGet, "/nothing", [](const Request&) { return std::shared_ptr<Stream>(); });
  return out;
}

Response answer(const Service& service, Method method, std::string_view target, Headers headers = {}, bool from_loopback = false) {
  Request request;
  request.method = method;
  request.headers = std::move(headers);
  request.from_loopback = from_loopback;
  return std::get<Response>(service.answer(std::move(request), target));
}

std::string shown(const Response& response) { return std::to_string(response.status) + " " + response.body; }

TEST(Router, TheMostSpecificPathAnswers) {
  const Service service(some_routes(), {}, {});
  const struct {
    Method method;
    const char* target;
    const char* want;
  } cases[] = {
      {Method::kGet, "/", "200 root"},
      {Method::kHead, "/", "200 root"},
      {Method::kGet, "/?x=1", "200 root"},
      {Method::kGet, "/api/exact", "200 exact"},
      {Method::kGet, "/api/exact/", "200 api:exact/"},
      {Method::kGet, "/api/", "200 api:"},
      {Method::kGet, "/api/other", "200 api:other"},
      {Method::kPut, "/api/v1/x", "200 v1:x"},
      {Method::kGet, "/api/v1/pods/a/b%20c", "200 pods:a/b c"},
      {Method::kPost, "/jobs", "200 post"},
      {Method::kGet, "/api", "404 {\"error\": \"there is nothing at /api\"}\n"},
      {Method::kGet, "/jobs/1", "404 {\"error\": \"there is nothing at /jobs/1\"}\n"},
      {Method::kGet, "/%22%ff%c3%a9", "404 {\"error\": \"there is nothing at /\\\"\\ufffd\xc3\xa9\"}\n"},
      {Method::kGet, "/%", "400 {\"error\": \"a \\\"%\\\" in the path is not followed by two hexadecimal digits\"}\n"},
  };
  for (const auto& one : cases) EXPECT_EQ(shown(answer(service, one.method, one.target)), one.want) << one.target;
}

TEST(Router, SaysWhatAPathIsFor) {
  const Service service(some_routes(), {}, {});
  const auto jobs = answer(service, Method::kPut, "/jobs");
  EXPECT_EQ(jobs.status, 405);
  EXPECT_EQ(jobs.headers.find("allow"), "GET, HEAD, POST, DELETE");
  EXPECT_EQ(answer(service, Method::kGet, "/api/v1/x").headers.find("Allow"), "PUT");
  EXPECT_EQ(answer(service, Method::kOther, "/").headers.find("Allow"), "GET, HEAD");
}

TEST(Service, AHandlerThatFailsIsToldToTheLogAlone) {
  std::string log;
  const Service service(some_routes(), {}, [&](std::string_view text) { log.append(text).append("\n"); });
  EXPECT_EQ(shown(answer(service, Method::kGet, "/throws")), "500 {\"error\": \"internal error\"}\n");
  EXPECT_EQ(shown(answer(service, Method::kGet, "/throws-odd")), "500 {\"error\": \"internal error\"}\n");
  EXPECT_EQ(log, "GET /throws: on purpose\nGET /throws-odd: the handler failed\n");
  EXPECT_EQ(answer(service, Method::kGet, "/nothing").status, 500);
  const Service silent(some_routes(), {}, {});
  EXPECT_EQ(answer(silent, Method::kGet, "/throws").status, 500);
  const Service deaf(some_routes(), {}, [](std::string_view) { throw std::runtime_error("no log either"); });
  EXPECT_EQ(answer(deaf, Method::kGet, "/throws").status, 500);
}

TEST(Service, TokenForWhoIsNotOnThisMachine) {
  const Service service(some_routes(), {.bearer_token = "s3cret"}, {});
  EXPECT_EQ(answer(service, Method::kGet, "/").status, 401);
  EXPECT_EQ(answer(service, Method::kGet, "/").headers.find("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(answer(service, Method::kGet, "/nowhere").status, 401);
  EXPECT_EQ(answer(service, Method::kGet, "/healthz").status, 200);
  EXPECT_EQ(answer(service, Method::kGet, "/", {{"Host", "localhost"}}, /*from_loopback=*/true).status, 200);
  EXPECT_EQ(answer(service, Method::kGet, "/", {{"Host", "localhost"}}).status, 401) << "anybody can say so";
  for (const auto* right : {"Bearer s3cret", "bearer s3cret", "BEARER s3cret"})
    EXPECT_EQ(answer(service, Method::kGet, "/", {{"authorization", right}}).status, 200) << right;
  for (const auto* wrong : {"", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3crets", "Bearer S3cret", "Basic s3cret", "s3cret",
                            "Bearers3cret", "Bearer s3crets3cret"})
    EXPECT_EQ(answer(service, Method::kGet, "/", {{"Authorization", wrong}}).status, 401) << wrong;

  const Service strict(some_routes(), {.bearer_token = "s3cret", .trusts_loopback = false}, {});
  EXPECT_EQ(answer(strict, Method::kGet, "/", {{"Host", "localhost"}}, /*from_loopback=*/true).status, 401);
}

TEST(Request, ParametersAndHeaders) {
  Request request;
  request.query = {{"a", "1"}, {"b", ""}, {"a", "2"}};
  EXPECT_EQ(request.parameter("a"), "1");
  EXPECT_EQ(request.parameter("b"), "");
  EXPECT_EQ(request.parameter("A"), std::nullopt);
  const Headers headers = {{"Content-Type", "x"}, {"X-A", "1"}, {"x-a", "2"}};
  EXPECT_EQ(headers.find("content-TYPE"), "x");
  EXPECT_EQ(headers.find("content"), std::nullopt);
  EXPECT_EQ(headers.count("X-a"), 2U);
}

}  // namespace
}  // namespace muster::server
