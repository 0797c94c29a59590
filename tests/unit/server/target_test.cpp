#include "server/target.h"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

// "path|name=value|name=value", or "! why".
std::string shown(std::string_view text) {
  const auto target = parse_target(text);
  if (!target) return "! " + target.error().message;
  auto out = target->path;
  for (const auto& [name, value] : target->query) out.append("|").append(name).append("=").append(value);
  return out;
}

TEST(Target, TakenApartAndDecoded) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"/", "/"},
      {"/a/b", "/a/b"},
      {"/a%20b%2Fc", "/a b/c"},
      {"/a+b", "/a+b"},
      {"/a?", "/a"},
      {"/a?x", "/a|x="},
      {"/a?x=1&y=c+d%2B&x=2", "/a|x=1|y=c d+|x=2"},
      {"/a?&&x==&", "/a|x=="},
      {"/a?=v", "/a|=v"},
      {"/a?b?c=/d", "/a|b?c=/d"},
      {"//a//", "//a//"},
      {"/...", "/..."},
      {"http://host:80/a?b", "/a|b="},
      {"https://host", "/"},
      {"http://host?x=1", "/|x=1"},
  };
  for (const auto& one : cases) EXPECT_EQ(shown(one.text), one.want) << one.text;
}

TEST(Target, Refused) {
  for (const auto* text : {"", "*", "a", "host:80", "?x", "/%", "/%2", "/%zz", "/a?x=%f", "/a?%=1", "/%00", "/a%0ab", "/%7F", "/..",
                           "/./a", "/a/../b", "/a/%2e%2E/b", "/a%2f..", "ftp://host/a"})
    EXPECT_EQ(shown(text).substr(0, 2), "! ") << text;
}

}  // namespace
}  // namespace muster::server
