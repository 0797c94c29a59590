// What a demo prints for people to copy.

#include "cli/demo_parts.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace muster::cli {
namespace {

TEST(DemoParts, AWordIsQuotedWhereAShellWouldReadItOtherwise) {
  for (const std::string plain : {"build/release/muster", "/opt/m-1.0_x/muster", "http://127.0.0.1:8080"})
    EXPECT_EQ(shell_word(plain), plain);
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("my tools/muster"), "'my tools/muster'");
  EXPECT_EQ(shell_word("http://[::1]:80"), "'http://[::1]:80'");
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
}

class ExampleFiles : public testing::Test {
 protected:
  void SetUp() override {
    auto name = (std::filesystem::temp_directory_path() / "muster-examples.XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    before_ = std::filesystem::current_path();
    std::filesystem::create_directories(folder_ / "elsewhere");
    std::filesystem::current_path(folder_ / "elsewhere");
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }
  void example_in(const std::filesystem::path& place) const {
    std::filesystem::create_directories(place / "examples/demo");
    std::ofstream(place / "examples/demo/gang.yaml") << "a: b\n";
  }
  std::filesystem::path folder_;
  std::filesystem::path before_;
};

TEST_F(ExampleFiles, AreFoundBesideTheProgramAndWhereItsBuildFolderIs) {
  const auto program = (folder_ / "build/release/muster").string();
  EXPECT_EQ(example_file("demo/gang.yaml", program), "");
  example_in(folder_);
  EXPECT_EQ(example_file("demo/gang.yaml", program), (folder_ / "examples/demo/gang.yaml").string());
  EXPECT_EQ(example_file("demo/gang.yaml", "muster"), "") << "nobody knows where it is";
  EXPECT_EQ(example_file("demo/other.yaml", program), "");
  example_in(folder_ / "build/release");
  EXPECT_EQ(example_file("demo/gang.yaml", program), (folder_ / "build/release/examples/demo/gang.yaml").string());
  example_in(folder_ / "elsewhere");
  EXPECT_EQ(example_file("demo/gang.yaml", program), "examples/demo/gang.yaml");
}

}  // namespace
}  // namespace muster::cli
