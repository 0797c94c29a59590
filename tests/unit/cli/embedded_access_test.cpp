// The file that leads to an embedded cluster.

#include "cli/embedded_access.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <unistd.h>

#include "sim/cluster.h"

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

TEST(EmbeddedAccess, SaysWhatWouldBeMissed) {
  const auto folder = fs::temp_directory_path() / ("muster-missed-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto file = folder / "kubeconfig";
  EXPECT_EQ(what_is_overwritten(file), "");
  sim::ClusterSettings settings;
  settings.token = new_cluster_token();
  auto cluster = std::make_unique<sim::Cluster>(std::move(settings));
  ASSERT_TRUE(cluster->start());
  ASSERT_TRUE(write_kubeconfig(file, cluster->kubeconfig()));
  EXPECT_EQ(what_is_overwritten(file), file.string() + ", which leads to an embedded cluster that still runs");
  cluster.reset();
  EXPECT_EQ(what_is_overwritten(file), "") << "nobody needs it any more";
  std::ofstream(file) << "apiVersion: v1\nkind: Config\nclusters:\n- name: production\n";
  EXPECT_EQ(what_is_overwritten(file), file.string() + ", which is not the kubeconfig of an embedded cluster");
  fs::remove_all(folder);
}

TEST(EmbeddedAccess, TellsTheLoopbackFromOtherAddresses) {
  for (const std::string here : {"127.0.0.1:0", "127.1.2.3:80", "[::1]:80", "localhost:8080"})
    EXPECT_FALSE(is_reachable_from_elsewhere(here)) << here;
  for (const std::string elsewhere : {"0.0.0.0:0", ":8080", "[::]:80", "10.0.0.1:80"})
    EXPECT_TRUE(is_reachable_from_elsewhere(elsewhere)) << elsewhere;
}

}  // namespace
}  // namespace muster::cli
