#include <gtest/gtest.h>

#include "server/service.h"

namespace muster::server {
namespace {

int status_at(const Service& service, std::string_view target, bool from_loopback, Headers headers = {}) {
  Request request;
  request.headers = std::move(headers);
  request.headers.add("Host", "localhost:8080");
  request.from_loopback = from_loopback;
  return std::get<Response>(service.answer(std::move(request), target)).status;
}

Router routes() {
  const auto ok = [](const Request&) { return Response{.body = "ok"}; };
  Router out;
  out.on(Method::kGet, "/open", ok, Access::kOpen)
      .on(Method::kGet, "/guarded", ok)
      .on(Method::kGet, "/private", ok, Access::kPrivate);
  return out;
}

TEST(PrivateRoute, WithoutATokenItIsForThisMachineAlone) {
  const Service service(routes(), {}, {});
  EXPECT_EQ(status_at(service, "/private", true), 200);
  EXPECT_EQ(status_at(service, "/private", false), 403);
  EXPECT_EQ(status_at(service, "/private", false, {{"Authorization", "Bearer "}}), 403);
  EXPECT_EQ(status_at(service, "/guarded", false), 200);
  EXPECT_EQ(status_at(service, "/open", false), 200);
}

TEST(PrivateRoute, WithATokenItIsForWhoeverHasIt) {
  const Service service(routes(), {.bearer_token = "secret"}, {});
  EXPECT_EQ(status_at(service, "/private", true), 200);
  EXPECT_EQ(status_at(service, "/private", false), 401);
  EXPECT_EQ(status_at(service, "/private", false, {{"Authorization", "Bearer wrong!"}}), 401);
  EXPECT_EQ(status_at(service, "/private", false, {{"Authorization", "Bearer secret"}}), 200);
  EXPECT_EQ(status_at(service, "/open", false), 200);
}

}  // namespace
}  // namespace muster::server
