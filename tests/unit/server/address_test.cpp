#include "server/address.h"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

std::string shown(std::string_view text) {
  const auto address = parse_listen_address(text);
  return address ? address->host + " " + std::to_string(address->port) : address.error().message;
}

TEST(ListenAddress, Forms) {
  EXPECT_EQ(shown(":8080"), " 8080");
  EXPECT_EQ(shown("127.0.0.1:0"), "127.0.0.1 0");
  EXPECT_EQ(shown("0.0.0.0:65535"), "0.0.0.0 65535");
  EXPECT_EQ(shown("[::1]:80"), "::1 80");
  EXPECT_EQ(shown("[::]:80"), ":: 80");
  EXPECT_EQ(shown("localhost:80"), "127.0.0.1 80");
}

TEST(ListenAddress, ErrorsSayWhatIsWrong) {
  const struct {
    const char* text;
    const char* why;
  } cases[] = {
      {"", "there is no port"},
      {"8080", "there is no port"},
      {"127.0.0.1", "there is no port"},
      {"[::1]", "there is no port"},
      {"[::1", "there is no port"},
      {":", "the port is a number from 0 to 65535"},
      {":65536", "the port is a number from 0 to 65535"},
      {":-1", "the port is a number from 0 to 65535"},
      {":http", "the port is a number from 0 to 65535"},
      {":80 ", "the port is a number from 0 to 65535"},
      {"::1:80", "an IPv6 address stands in brackets"},
      {"[127.0.0.1]:80", "between the brackets is no IPv6 address"},
      {"[]:80", "between the brackets is no IPv6 address"},
      {"example.org:80", "the host is an IP address"},
      {"256.1.1.1:80", "the host is an IP address"},
  };
  for (const auto& one : cases) {
    EXPECT_NE(shown(one.text).find(one.why), std::string::npos) << one.text << " -> " << shown(one.text);
    EXPECT_EQ(shown(one.text).rfind("cannot listen on \"" + std::string(one.text) + "\": ", 0), 0U);
  }
}

}  // namespace
}  // namespace muster::server
