#include "server/host.h"

#include <gtest/gtest.h>

#include "server/service.h"
#include "unit/server/raw_client.h"
#include "unit/server/test_server.h"

namespace muster::server {
namespace {

TEST(Host, TheNameStandsBeforeThePort) {
  const struct {
    const char* field;
    const char* want;
  } cases[] = {
      {"localhost", "localhost"},
      {"LocalHost:8080", "localhost"},
      {"127.0.0.1:80", "127.0.0.1"},
      {"[::1]:8080", "::1"},
      {"[::1]", "::1"},
      {"muster.example.com", "muster.example.com"},
      {"", ""},
      {"[::1", ""},
      {"[::1]x", ""},
      {"::1", ""},
      {"localhost:80:80", ""},
      {"localhost:http", ""},
      {"localhost:800000", ""},
      {"localhost@evil.example", "localhost@evil.example"},
  };
  for (const auto& one : cases) EXPECT_EQ(host_name(one.field), one.want) << one.field;
}

TEST(Host, OnlyWhatNoNameServerCanMoveIsThisMachine) {
  for (const auto* ours : {"localhost", "127.0.0.1", "127.8.8.8", "::1", "0:0:0:0:0:0:0:1"})
    EXPECT_TRUE(is_loopback_name(ours)) << ours;
  for (const auto* theirs : {"", "evil.example", "localhost.evil.example", "localhost.", "127.0.0.1.evil.example", "127.1",
                             "10.0.0.1", "0.0.0.0", "::", "::2", "localhost@evil.example"})
    EXPECT_FALSE(is_loopback_name(theirs)) << theirs;
}

// A page whose name was made to point at this machine asks as this machine, but under its own name.
TEST(Host, APageOfAStrangerIsToldNothing) {
  const auto ask = [](std::string_view host, const Guard& guard, std::string_view more = {}) {
    Router router;
    router.on(Method::kGet, "/private", [](const Request&) { return Response{.body = "secret"}; }, Access::kPrivate);
    router.on(Method::kGet, "/open", [](const Request&) { return Response{.body = "open"}; }, Access::kOpen);
    Server server({.listen = "127.0.0.1:0", .limits = {}, .guard = guard, .log = {}}, std::move(router));
    EXPECT_TRUE(server.start());
    RawClient client(server.port());
    client.send("GET /private HTTP/1.1\r\nHost: " + std::string(host) + "\r\n" + std::string(more) + "\r\n");
    const auto answer = client.read_answer();
    client.send("GET /open HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
    EXPECT_EQ(body_of(client.read_answer()), "open");
    return status_of(answer) + (answer.find("secret") != std::string::npos ? " secret" : "");
  };
  EXPECT_EQ(ask("localhost:8080", {}), "200 secret");
  EXPECT_EQ(ask("127.0.0.1", {}), "200 secret");
  EXPECT_EQ(ask("[::1]:80", {}), "200 secret");
  EXPECT_EQ(ask("evil.example", {}), "403");
  EXPECT_EQ(ask("evil.example:8080", {.names = {"muster.example"}}), "403");
  EXPECT_EQ(ask("Muster.Example:8080", {.names = {"muster.example"}}), "200 secret");
  EXPECT_EQ(ask("", {.names = {""}}), "403") << "no name is no name";
  // Where there is a token, it is asked for, and is as good as everywhere else.
  EXPECT_EQ(ask("evil.example", {.bearer_token = "t"}), "401");
  EXPECT_EQ(ask("localhost", {.bearer_token = "t"}), "200 secret");
  EXPECT_EQ(ask("evil.example", {.bearer_token = "t"}, "Authorization: Bearer t\r\n"), "200 secret");
}

}  // namespace
}  // namespace muster::server
