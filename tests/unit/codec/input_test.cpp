#include "codec/input.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster {
namespace {

namespace fs = std::filesystem;

class InputTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("muster-input-" + std::to_string(::getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string write(const std::string& name, std::string_view content) {
    const fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }

  fs::path root_;
};

TEST_F(InputTest, ReadsAFileWithPaddingBehindIt) {
  const std::string content(100'000, 'x');
  const auto input = Input::read(write("a.json", content));
  ASSERT_TRUE(input);
  EXPECT_EQ(input->text(), content);
  EXPECT_EQ(input->text().data()[content.size() + Input::kPadding - 1], '\0');
}

TEST_F(InputTest, ReadsAnEmptyFileAndWhatHasNoSize) {
  EXPECT_EQ(Input::read(write("empty", ""))->text(), "");
  const auto status = Input::read("/proc/self/status");
  ASSERT_TRUE(status);
  EXPECT_FALSE(status->text().empty());
}

TEST_F(InputTest, ReadsAPipeToItsEnd) {
  const std::string pipe = (root_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string command = "head -c 300000 /dev/zero | tr '\\0' y > '" + pipe + "' &";
  ASSERT_EQ(std::system(command.c_str()), 0);  // NOLINT: a shell is the simplest writer
  const auto input = Input::read(pipe);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->text(), std::string(300'000, 'y'));
}

TEST_F(InputTest, DropsAByteOrderMark) { EXPECT_EQ(Input::of_text("\xEF\xBB\xBF{}", "f")->text(), "{}"); }

TEST_F(InputTest, SaysWhyItCannotRead) {
  const auto missing = Input::read((root_ / "missing").string());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text(), (root_ / "missing").string() + ": cannot be read: No such file or directory");
  const auto directory = Input::read(root_.string());
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().text(), root_.string() + ": cannot be read: it is a directory");
}

TEST_F(InputTest, RefusesWhatIsNotUtf8AndSaysWhere) {
  const auto input = Input::of_text("{\n  \"ä\": \"\xC3(\"}", "f.json");
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().text(), "f.json:2:9: is not UTF-8");
}

TEST_F(InputTest, RefusesMoreThanItCanHoldWithoutReadingIt) {
  const std::string path = write("huge.json", "");
  fs::resize_file(path, std::uint64_t{5} << 30);  // sparse: takes no room
  const auto input = Input::read(path);
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().text(), path + ": is larger than 4 GiB, which is more than can be read at once");
}

TEST_F(InputTest, ADirectoryMeansItsFilesSortedByPath) {
  const auto b = write("b.yaml", "");
  const auto a = write("sub/a.json", "");
  const auto c = write("sub/deep/c.yml", "");
  const auto l = write("a.jsonl", "");
  write("README.md", "");
  fs::create_directories(root_ / "folder.json");
  write(".hidden/d.yaml", "");
  write(".e.yaml", "");
  ASSERT_EQ(::mkfifo((root_ / "pipe.yaml").c_str(), 0600), 0);  // nobody would ever write into it
  EXPECT_EQ(*input_files(root_.string()), (std::vector<std::string>{l, b, a, c}));
  EXPECT_EQ(*input_files(b), std::vector<std::string>{b});
  EXPECT_EQ(*input_files("-"), std::vector<std::string>{"-"});
  EXPECT_EQ(*input_files("/no/such/file"), std::vector<std::string>{"/no/such/file"});
}

TEST_F(InputTest, ADirectoryWithoutFilesIsAnError) {
  const auto files = input_files(root_.string());
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().message, "cannot be read: the directory holds no .json, .jsonl, .yaml or .yml file");
}

}  // namespace
}  // namespace muster
