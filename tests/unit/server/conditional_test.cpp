#include "server/conditional.h"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

Response asked_with(Headers headers) {
  Request request;
  request.headers = std::move(headers);
  return tagged(request, "\"abc\"", {.body = "content", .headers = {{"Cache-Control", "no-cache"}}});
}

TEST(Conditional, AnAnswerThatTheClientHasIsNotSentAgain) {
  for (const auto* has : {"\"abc\"", "W/\"abc\"", "\"x\", \"abc\"", "\"x\",W/\"abc\" , \"y\"", "*", " \"abc\" "}) {
    const auto answer = asked_with({{"if-none-match", has}});
    EXPECT_EQ(answer.status, 304) << has;
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(answer.headers.find("ETag"), "\"abc\"");
    EXPECT_EQ(answer.headers.find("Cache-Control"), "no-cache");
  }
}

TEST(Conditional, AWeakTagStandsForEveryFormOfTheContent) {
  Request request;
  request.headers = {{"If-None-Match", "\"abc\""}};
  EXPECT_EQ(tagged(request, "W/\"abc\"", {.body = "x"}).status, 304);
  EXPECT_EQ(tagged(request, "W/\"abd\"", {.body = "x"}).status, 200);
}

TEST(Conditional, CodingsThatTheClientNames) {
  const auto accepts = [](const char* codings) {
    Request request;
    request.headers = {{"Accept-Encoding", codings}};
    return accepts_coding(request, "gzip");
  };
  for (const auto* yes : {"gzip", "GZIP", "deflate, gzip", "br,gzip;q=0.5", "gzip ; q=1", "gzip;q=0.001"})
    EXPECT_TRUE(accepts(yes)) << yes;
  for (const auto* no : {"", "identity", "x-gzip", "gzip;q=0", "gzip; q=0.000", "*"}) EXPECT_FALSE(accepts(no)) << no;
  EXPECT_FALSE(accepts_coding(Request(), "gzip"));
}

TEST(Conditional, AnyOtherIs) {
  EXPECT_EQ(asked_with({}).status, 200);
  EXPECT_EQ(asked_with({}).headers.find("ETag"), "\"abc\"");
  for (const auto* has : {"", ",", "abc", "\"ab\"", "\"abcd\"", "W/", "w/\"abc\"", "\"x\", "}) {
    const auto answer = asked_with({{"If-None-Match", has}});
    EXPECT_EQ(answer.status, 200) << has;
    EXPECT_EQ(answer.body, "content") << has;
  }
}

}  // namespace
}  // namespace muster::server
