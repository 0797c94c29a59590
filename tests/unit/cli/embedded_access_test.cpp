// The file that leads to an embedded cluster.

#include "cli/embedded_access.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(EmbeddedAccess, TheKubeconfigIsItsOwnersAlone) {
  const auto folder = fs::temp_directory_path() / ("muster-access-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto file = folder / "kubeconfig";
  const auto other = folder / "other";
  std::ofstream(other) << "somebody's";
  fs::create_symlink(other, file);
  ASSERT_TRUE(write_kubeconfig(file, "secret"));
  EXPECT_EQ(text_of_file(file), "secret");
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(text_of_file(other), "somebody's");

  fs::permissions(file, fs::perms::all);
  std::ifstream early(file);
  ASSERT_TRUE(write_kubeconfig(file, "another secret"));
  EXPECT_EQ(text_of_file(file), "another secret");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const std::string seen{std::istreambuf_iterator<char>(early), {}};
  EXPECT_EQ(seen, "secret") << "who had it open sees nothing new";
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2) << "nothing is left beside it";
  EXPECT_FALSE(write_kubeconfig(folder / "none" / "kubeconfig", "secret"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace muster::cli
