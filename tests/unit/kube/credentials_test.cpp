#include "kube/credentials.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>

#include "kube/process.h"
#include "unit/kube/fake_loop.h"

namespace muster::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class CredentialsTest : public testing::Test {
 protected:
  CredentialsTest() : folder_(testing::TempDir() + "muster-credentials-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~CredentialsTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const auto path = folder_ + "/" + name;
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  static std::string token_script(const std::string& token, const std::string& more = {}) {
    return "#!/bin/sh\necho "
           "'{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"" +
           token + "\"" + more + "}}'\n";
  }
  Access with_plugin(const std::string& command) {
    Access out;
    out.server = "https://server";
    out.exec = ExecSettings{"client.authentication.k8s.io/v1", command, {}, {}, {}, false};
    return out;
  }

  std::string folder_;
  FakeLoop clock_;
};

TEST_F(CredentialsTest, TokenFilesAreReadAgain) {
  Access access;
  access.token = "old";
  access.token_file = write("token", "one\n");
  auto credentials = Credentials::open(access, clock_);
  ASSERT_TRUE(credentials) << credentials.error().text();
  EXPECT_EQ((*credentials)->current()->authorization, "Bearer one");
  write("token", "two\n");
  EXPECT_EQ((*credentials)->current()->authorization, "Bearer one");
  clock_.advance(seconds(31));
  EXPECT_EQ((*credentials)->current()->authorization, "Bearer two");
  write("token", "three\n");
  clock_.advance(seconds(2));
  (*credentials)->refused();
  EXPECT_EQ((*credentials)->current()->authorization, "Bearer three");
  std::filesystem::remove(access.token_file);
  clock_.advance(seconds(31));
  EXPECT_EQ((*credentials)->current()->authorization, "Bearer three") << "newer than what was given beside the file";
}

TEST_F(CredentialsTest, ATokenBesideTheFileDoesUntilThatCanBeRead) {
  Access access;
  access.token = "old";
  access.token_file = folder_ + "/token";
  auto credentials = Credentials::open(access, clock_);
  ASSERT_TRUE(credentials) << credentials.error().text();
  EXPECT_EQ((*credentials)->current()->authorization, "Bearer old");
  write("token", "one\n");
  clock_.advance(seconds(31));
  EXPECT_EQ((*credentials)->current()->authorization, "Bearer one");
}

// Without a header the server would take us for nobody, and say 403 rather than 401.
TEST_F(CredentialsTest, AnEmptyTokenFileIsNoToken) {
  Access access;
  access.token_file = write("token", " \n");
  const auto refused = Credentials::open(access, clock_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), access.token_file + ": there is no token in it");
  write("token", "one\n");
  std::vector<std::string> problems;
  auto credentials = Credentials::open(access, clock_, [&](const std::string& problem) { problems.push_back(problem); });
  ASSERT_TRUE(credentials) << credentials.error().text();
  for (const auto* empty : {"", "\n\t "}) {
    write("token", empty);
    clock_.advance(seconds(31));
    EXPECT_EQ((*credentials)->current()->authorization, "Bearer one");
  }
  EXPECT_EQ(problems.size(), 1u);
  write("token", "two\n");
  clock_.advance(seconds(31));
  EXPECT_EQ((*credentials)->current()->authorization, "Bearer two");
}

TEST_F(CredentialsTest, WhatIsMissingIsSaidAtTheStart) {
  Access access;
  access.client_certificate.file = folder_ + "/absent";
  const auto credentials = Credentials::open(access, clock_);
  ASSERT_FALSE(credentials);
  EXPECT_EQ(credentials.error().location.file, access.client_certificate.file);
}

TEST_F(CredentialsTest, BasicAndPem) {
  Access access;
  access.user = "u";
  access.password = "p";
  access.authority.text = "CA";
  const auto credentials = Credentials::open(access, clock_);
  ASSERT_TRUE(credentials);
  EXPECT_EQ((*credentials)->current()->authorization, "Basic dTpw");
  EXPECT_EQ((*credentials)->current()->authority, "CA");
}

TEST_F(CredentialsTest, PluginsRunAgainBeforeTheyExpire) {
  const auto expires = Timestamp{clock_.wall().seconds + 100, 0}.rfc3339();
  const auto script = write("plugin", token_script("one", ",\"expirationTimestamp\":\"" + expires + "\""));
  const auto credentials = Credentials::open(with_plugin(script), clock_);
  ASSERT_TRUE(credentials) << credentials.error().text();
  EXPECT_EQ((*credentials)->current()->authorization, "Bearer one");
  write("plugin", token_script("two"));
  clock_.advance(seconds(30));
  EXPECT_EQ((*credentials)->current()->authorization, "Bearer one");
  clock_.advance(seconds(20));
  for (int i = 0; i < 500 && (*credentials)->current()->authorization == "Bearer one"; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ((*credentials)->current()->authorization, "Bearer two");
}

TEST_F(CredentialsTest, PluginsSeeWhatTheyAreAskedFor) {
  auto access =
      with_plugin(write("plugin", "#!/bin/sh\n[ \"$1\" = x ] && [ \"$A\" = b ] && echo \"$KUBERNETES_EXEC_INFO\" >&2\nexit 3\n"));
  access.exec->arguments = {"x"};
  access.exec->environment = {{"A", "b"}};
  access.exec->wants_cluster = true;
  access.exec_config = R"({"audience":"a"})";
  access.exec->install_hint = "install it";
  const auto credential = run_exec_plugin(access, seconds(10));
  ASSERT_FALSE(credential);
  EXPECT_NE(credential.error().message.find("ended with status 3"), std::string::npos) << credential.error().message;
  EXPECT_NE(credential.error().message.find(R"("cluster":{"server":"https://server","config":{"audience":"a"}})"),
            std::string::npos);
  EXPECT_NE(credential.error().message.find("install it"), std::string::npos);
}

TEST_F(CredentialsTest, ProgramsAreBounded) {
  const auto slow = output_of({"sh", {"-c", "sleep 30 & sleep 30"}, {}}, milliseconds(200));
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().message, "\"sh\" took longer than 0 s");
  const auto loud = output_of({"sh", {"-c", "yes"}, {}}, seconds(20));
  ASSERT_FALSE(loud);
  EXPECT_EQ(loud.error().message, "\"sh\" printed more than a megabyte");
  const auto absent = output_of({"/no/such/program", {}, {}}, seconds(1));
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message, "\"/no/such/program\" cannot be started: No such file or directory");
  EXPECT_EQ(output_of({"printf", {"a b"}, {}}, seconds(5)).value(), "a b");
}

TEST(ExecCredential, Refuses) {
  const std::string v1 = "client.authentication.k8s.io/v1";
  const auto with = [&](const std::string& status) {
    return read_exec_credential(R"({"apiVersion":")" + v1 + R"(","kind":"ExecCredential","status":)" + status + "}", v1);
  };
  EXPECT_TRUE(with(R"({"token":"t","expirationTimestamp":"2026-01-01T00:00:00Z"})"));
  EXPECT_TRUE(with(R"({"clientCertificateData":"c","clientKeyData":"k"})"));
  EXPECT_FALSE(with("{}"));
  EXPECT_FALSE(with(R"({"clientCertificateData":"c"})"));
  EXPECT_FALSE(with(R"({"token":"t","expirationTimestamp":"soon"})"));
  EXPECT_FALSE(read_exec_credential("token", v1));
  EXPECT_FALSE(read_exec_credential(
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"t"}})", v1));
}

TEST_F(CredentialsTest, WhyTheyCannotBeRenewedIsSaidOnce) {
  Access access;
  access.token_file = write("token", "one\n");
  std::vector<std::string> problems;
  auto credentials = Credentials::open(access, clock_, [&](const std::string& problem) { problems.push_back(problem); });
  ASSERT_TRUE(credentials);
  const auto look_later = [&] {
    clock_.advance(seconds(31));
    return (*credentials)->current()->authorization;
  };
  std::filesystem::remove(access.token_file);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(look_later(), "Bearer one");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find(access.token_file), std::string::npos) << problems[0];
  write("token", "two\n");
  EXPECT_EQ(look_later(), "Bearer two");
  std::filesystem::remove(access.token_file);
  look_later();
  EXPECT_EQ(problems.size(), 2u) << "it was good meanwhile";
}

TEST_F(CredentialsTest, WhatAPluginComplainsOfIsSaid) {
  const auto plugin = write("plugin", token_script("one"));
  std::mutex mutex;
  std::string problem;
  auto credentials = Credentials::open(with_plugin(plugin), clock_, [&](const std::string& text) {
    const std::lock_guard lock(mutex);
    problem = text;
  });
  ASSERT_TRUE(credentials) << credentials.error().text();
  write("plugin", "#!/bin/sh\necho the login has expired >&2\nexit 1\n");
  clock_.advance(seconds(6));
  (*credentials)->refused();
  (*credentials)->current();
  credentials->reset();  // waits for the plugin
  EXPECT_NE(problem.find("the login has expired"), std::string::npos) << problem;
}

}  // namespace
}  // namespace muster::kube
