#include "codec/zip_writer.h"

#include <gtest/gtest.h>

#include "codec/value_json.h"
#include "codec/yaml_value.h"
#include "codec/zip_archive.h"

namespace muster {
namespace {

std::string unpacked(const std::string& archive) {
  const auto member = find_zip_member(archive, "snapshot.json");
  EXPECT_TRUE(member) << (member ? "" : member.error().text());
  if (!member) return {};
  EXPECT_EQ(member->name, "snapshot.json");
  std::string room(member->size, '\0');
  const auto done = unpack(*member, room);
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  return room;
}

TEST(ZipWriter, WritesWhatIsReadAgain) {
  std::string varied;
  for (std::uint32_t i = 0, x = 1; i < 1'000'000; ++i, x = x * 1664525 + 1013904223) varied.push_back(static_cast<char>(x >> 24));
  for (const auto& content : {std::string("{}"), std::string(3'000'000, 'a'), varied}) {
    const auto archive = zip_of("snapshot.json", content);
    ASSERT_TRUE(archive);
    EXPECT_TRUE(is_zip(*archive));
    EXPECT_EQ(unpacked(*archive), content);
  }
}

TEST(ZipWriter, GivesTheSameArchiveForTheSameContent) { EXPECT_EQ(*zip_of("a", "content"), *zip_of("a", "content")); }

TEST(ValueJson, WritesAConfiguration) {
  const auto value = read_yaml_value("a: [1, 2.5, yes, ~, 'x\"y']\nb: {c: {}, 7: text}\n", "f");
  ASSERT_TRUE(value);
  EXPECT_EQ(json_of_value(*value), R"({"a":[1,2.5,true,null,"x\"y"],"b":{"c":{},"7":"text"}})");
}

}  // namespace
}  // namespace muster
