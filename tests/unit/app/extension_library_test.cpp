// Libraries as --plugins-dir finds them: those that are refused, and what is said.

#include "app/extension_library.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster {
namespace {

std::string broken(const std::string& kind) { return std::string(MUSTER_BUILD_DIR) + "/tests/extensions/" + kind; }
std::string examples() { return std::string(MUSTER_BUILD_DIR) + "/examples/plugins"; }

TEST(ExtensionLibrary, LoadsTheExamplesInTheOrderOfTheirNames) {
  const auto loaded = load_extensions(examples());
  ASSERT_TRUE(loaded) << loaded.error().text();
  ASSERT_EQ(loaded->all().size(), 2u);
  EXPECT_EQ(loaded->all()[0]->name, "express");
  EXPECT_EQ(loaded->all()[1]->name, "maintenance");
  EXPECT_NE(loaded->find_plugin("maintenance"), nullptr);
  EXPECT_EQ(loaded->find_action("maintenance"), nullptr);
  EXPECT_NE(loaded->find_action("express"), nullptr);
  EXPECT_EQ(loaded->find_plugin("express"), nullptr);
}

struct Refusal {
  const char* kind;
  const char* says;
};

TEST(ExtensionLibrary, RefusesWhatIsWrongAndNamesTheFile) {
  const Refusal refusals[] = {
      {"no_symbol", "does not export muster_extension: expected a library that is built with include/muster/extension.h"},
      {"no_table", "muster_extension() returned no table"},
      {"wrong_version", "was built for version 2 of muster's extensions: expected version 1"},
      {"small_table", "its table muster_plugin has 16 bytes: expected at least"},
      {"no_name", "calls itself \"\": expected a name"},
      {"odd_name", "calls itself \"Not A Name\": expected a name of at most 63 small letters, digits and hyphens"},
      {"built_in_name", "calls itself \"gang\", which is built into muster: expected a name of its own"},
      {"no_kind", "is neither a plugin nor an action"},
      {"no_execute", "the action \"broken\" has no function execute"},
      {"no_initialise", "has no function initialise: expected both initialise and close"},
      {"no_functions", "the plugin \"broken\" has no function at all"},
      {"half_events", "has one of on_allocate and on_deallocate: expected both or none"},
  };
  for (const auto& [kind, says] : refusals) {
    const auto loaded = load_extensions(broken(kind));
    ASSERT_FALSE(loaded) << kind;
    EXPECT_TRUE(loaded.error().text().starts_with(broken(kind) + "/broken.so: ")) << loaded.error().text();
    EXPECT_NE(loaded.error().text().find(says), std::string::npos) << loaded.error().text();
  }
}

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("muster-extensions-" + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }
  std::filesystem::path path_;
};

TEST_F(Folder, RefusesTwoOfOneName) {
  std::filesystem::copy(examples() + "/maintenance.so", path_ / "a.so");
  std::filesystem::copy(broken("taken_name") + "/broken.so", path_ / "b.so");
  const auto loaded = load_extensions(path_.string());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().text(), (path_ / "b.so").string() + ": calls itself \"maintenance\", and so does " +
                                       (path_ / "a.so").string() + ": expected a name of its own");
}

TEST_F(Folder, RefusesAFileThatIsNoLibrary) {
  std::ofstream(path_ / "text.so") << "hello\n";
  const auto loaded = load_extensions(path_.string());
  ASSERT_FALSE(loaded);
  EXPECT_TRUE(loaded.error().text().starts_with((path_ / "text.so").string() + ": cannot be loaded: expected a shared library: "))
      << loaded.error().text();
}

TEST_F(Folder, PassesOverOtherFilesAndRefusesAFolderWithoutLibraries) {
  std::ofstream(path_ / "README.md") << "hello\n";
  const auto loaded = load_extensions(path_.string());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().text(), "--plugins-dir " + path_.string() + ": holds no shared library (*.so)");
  std::filesystem::copy(examples() + "/maintenance.so", path_ / "a.so");
  EXPECT_TRUE(load_extensions(path_.string()));
}

TEST_F(Folder, RefusesWhatIsNoDirectory) {
  EXPECT_EQ(load_extensions((path_ / "none").string()).error().text(),
            "--plugins-dir " + (path_ / "none").string() + ": there is no such directory");
  std::ofstream(path_ / "file") << "hello\n";
  EXPECT_TRUE(load_extensions((path_ / "file").string()).error().text().ends_with("expected one with shared libraries (*.so)"));
}

}  // namespace
}  // namespace muster
