#include "server/wire.h"

#include <gtest/gtest.h>

#include "server/stream.h"

namespace muster::server {
namespace {

TEST(Wire, Head) {
  const Response response{200, "text/html", "ignored", {{"ETag", "\"7\""}}};
  EXPECT_EQ(head_text(response, Framing::kLength, 12, true, 1763266457),
            "HTTP/1.1 200 OK\r\nDate: Sun, 16 Nov 2025 04:14:17 GMT\r\nContent-Type: text/html\r\nContent-Length: 12\r\n"
            "X-Content-Type-Options: nosniff\r\nConnection: keep-alive\r\nETag: \"7\"\r\n\r\n");
  EXPECT_EQ(head_text({418, "x", {}, {}}, Framing::kChunks, 0, false, 0),
            "HTTP/1.1 418 \r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Type: x\r\nTransfer-Encoding: chunked\r\n"
            "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(head_text({204, "x", {}, {}}, Framing::kLength, 0, false, 0),
            "HTTP/1.1 204 No Content\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n");
}

TEST(Wire, NoHeaderInsideAHeader) {
  const Response response{0, "a\r\nX: 1", {}, {{"Location", "/\r\nSet-Cookie: x"}, {"Bad Name", "x"}, {"A\r\nB", "x"}, {"", "x"}}};
  const auto text = head_text(response, Framing::kUntilClose, 0, false, 0);
  EXPECT_EQ(text,
            "HTTP/1.1 500 Internal Server Error\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Type: a  X: 1\r\n"
            "X-Content-Type-Options: nosniff\r\nConnection: close\r\nLocation: /  Set-Cookie: x\r\n\r\n");
}

TEST(Wire, Chunks) {
  EXPECT_EQ(chunk_text("hello, world, again"), "13\r\nhello, world, again\r\n");
  EXPECT_EQ(chunk_text(""), "");
}

TEST(Wire, Events) {
  EXPECT_EQ(event_text("pod", "{}"), "event: pod\ndata: {}\n\n");
  EXPECT_EQ(event_text("", "a\nb\r\nc\rd\n"), "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
  EXPECT_EQ(event_text("x\ndata: y", ""), "event: x\ndata: \n\n");
}

TEST(Stream, TakesWhatWasSentBeforeAndAfter) {
  Stream stream;
  int wakes = 0;
  EXPECT_TRUE(stream.send("a"));
  stream.take();
  stream.attach([&] { ++wakes; });
  EXPECT_TRUE(stream.send("b"));
  EXPECT_TRUE(stream.send("c"));
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(stream.take().bytes, "bc");
  stream.send("d");
  EXPECT_EQ(wakes, 2);
  stream.close();
  EXPECT_FALSE(stream.send("e"));
  const auto last = stream.take();
  EXPECT_EQ(last.bytes, "d");
  EXPECT_EQ(last.state, Stream::State::kClosed);
}

TEST(Stream, DropsWhoIsTooSlow) {
  Stream stream({.most_bytes = 10});
  EXPECT_TRUE(stream.send("0123456789"));
  EXPECT_FALSE(stream.send("x"));
  EXPECT_FALSE(stream.is_open());
  const auto taken = stream.take();
  EXPECT_EQ(taken.bytes, "");
  EXPECT_EQ(taken.state, Stream::State::kGone);
}

TEST(Stream, NobodyIsWokenAfterTheClientWent) {
  Stream stream;
  int wakes = 0;
  stream.attach([&] { ++wakes; });
  stream.detach();
  EXPECT_FALSE(stream.send("a"));
  stream.close();
  EXPECT_EQ(wakes, 0);
}

TEST(Broadcast, ForgetsWhoWent) {
  Broadcast all;
  auto one = std::make_shared<Stream>();
  auto two = std::make_shared<Stream>();
  all.add(one);
  all.add(two);
  EXPECT_EQ(all.listeners(), 2U);
  all.send_event("x", "1");
  two->detach();
  all.send("2");
  EXPECT_EQ(all.listeners(), 1U);
  EXPECT_EQ(one->take().bytes, "event: x\ndata: 1\n\n2");
  one.reset();
  all.send("3");
  EXPECT_EQ(all.listeners(), 0U);
}

}  // namespace
}  // namespace muster::server
