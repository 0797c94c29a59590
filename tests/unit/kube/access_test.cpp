#include "kube/access.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <tuple>

#include "kube/environment_proxy.h"

namespace muster::kube {
namespace {

class AccessTest : public testing::Test {
 protected:
  AccessTest() : folder_(testing::TempDir() + "muster-access-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~AccessTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const auto path = folder_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    return path;
  }
  Environment environment() const {
    return [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::nullopt : std::optional(found->second);
    };
  }
  static std::string config(const std::string& server) {
    return "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: '" + server +
           "'}}]\n";
  }

  std::string folder_;
  std::map<std::string, std::string> variables_;
  AccessOptions options_;
};

// As Go's net/http has it.
TEST_F(AccessTest, TheProxyOfTheEnvironment) {
  struct Case {
    const char *server, *exceptions;
    bool is_proxied;
  };
  variables_["HTTPS_PROXY"] = "proxy:3128";
  constexpr Case kCases[] = {
      {"https://api.example.com:6443", "", true},
      {"http://api.example.com:6443", "", false},  // another variable
      {"https://localhost:6443", "", false},
      {"https://127.0.0.9:6443", "", false},
      {"https://[::1]:6443", "", false},
      {"https://10.1.2.3", "10.1.0.0/16", false},
      {"https://10.2.2.3", "10.1.0.0/16", true},
      {"https://[fd00::1]:6443", "fd00::/8", false},
      {"https://[fd00::1]:6443", "10.0.0.0/8", true},
      {"https://10.1.2.3", "10.1.2.3", false},
      {"https://10.1.2.3:6443", "10.1.2.3:6443", false},
      {"https://10.1.2.3:6443", "10.1.2.3:443", true},
      {"https://API.example.com/path", "b.org, Example.com", false},
      {"https://api.example.com", ".example.com", false},
      {"https://example.com", ".example.com", true},
      {"https://api.example.com", "*.example.com", false},
      {"https://anexample.com", "example.com", true},
      {"https://api.example.com", "example.com:443", false},
      {"https://api.example.com:6443", "example.com:443", true},
      {"https://api.example.com", "*", false},
      {"https://api.example.com", " ,, :443", true},
      {"https://user@api.example.com:6443", "api.example.com", false},
  };
  for (const auto& [server, exceptions, is_proxied] : kCases) {
    variables_["NO_PROXY"] = exceptions;
    EXPECT_EQ(proxy_of_environment(server, environment()), is_proxied ? "proxy:3128" : "") << server << " " << exceptions;
  }
  variables_ = {{"http_proxy", "small"}, {"no_proxy", "b"}};
  EXPECT_EQ(proxy_of_environment("http://a", environment()), "small");
  EXPECT_EQ(proxy_of_environment("http://b", environment()), "");
}

TEST_F(AccessTest, TheServerThatIsUsedDecidesOnTheProxy) {
  options_.kubeconfig = write("config", config("https://a"));
  variables_ = {{"HTTPS_PROXY", "http://proxy"}, {"NO_PROXY", "b"}};
  EXPECT_EQ(find_access(options_, environment())->environment_proxy, "http://proxy");
  options_.server = "https://b";
  EXPECT_EQ(find_access(options_, environment())->environment_proxy, "");
}

TEST_F(AccessTest, MissingFilesOfTheListArePassedOver) {
  variables_["KUBECONFIG"] = "/nowhere/at/all::" + write("one", config("https://one")) + ":" + write("two", config("https://two"));
  const auto access = find_access(options_, environment());
  ASSERT_TRUE(access) << access.error().text();
  EXPECT_EQ(access->server, "https://one");
}

TEST_F(AccessTest, AnExplicitFileMustExist) {
  options_.kubeconfig = folder_ + "/absent";
  variables_["KUBECONFIG"] = write("one", config("https://one"));
  const auto access = find_access(options_, environment());
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().text(), options_.kubeconfig + ": cannot be opened: No such file or directory");
}

TEST_F(AccessTest, HomeThenPod) {
  options_.service_account_folder = folder_ + "/sa";
  variables_ = {{"HOME", folder_}, {"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  ASSERT_FALSE(find_access(options_, environment())) << "no token";
  write("sa/token", "abc\n");
  write("sa/ca.crt", "PEM");
  write("sa/namespace", "kube-system\n");
  auto access = find_access(options_, environment());
  ASSERT_TRUE(access) << access.error().text();
  EXPECT_EQ(access->server, "https://[fd00::1]:443");
  EXPECT_EQ(access->token_file, folder_ + "/sa/token");
  EXPECT_EQ(access->default_namespace, "kube-system");

  write(".kube/config", config("https://home"));
  access = find_access(options_, environment());
  ASSERT_TRUE(access);
  EXPECT_EQ(access->server, "https://home");
}

TEST_F(AccessTest, AnAddressOfItsOwnIsCompletedAsThatOfAKubeconfig) {
  const auto with_authority =
      write("secure",
            "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: c, cluster: "
            "{server: 'https://one', certificate-authority-data: 'UEVN'}}]\n");
  const auto plain = write("plain", config("https://one"));
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {with_authority, "10.0.0.1:6443", "https://10.0.0.1:6443"},
      {plain, "10.0.0.1:6443", "http://10.0.0.1:6443"},
      {plain, "https://x:6443/", "https://x:6443"},
      {with_authority, "http://x/", "http://x"},
      {plain, "ftp://x", "--master must begin with https:// or http://"},
      {"", "https://x:6443//", "https://x:6443"},  // alone
  };
  for (const auto& [kubeconfig, master, expected] : cases) {
    options_.kubeconfig = kubeconfig;
    options_.server = master;
    const auto access = find_access(options_, environment());
    EXPECT_EQ(access ? access->server : access.error().message, expected) << master;
  }
}

TEST_F(AccessTest, Nothing) {
  EXPECT_EQ(find_access(options_, environment()).error().message,
            "no cluster to talk to: there is no kubeconfig (--kubeconfig, KUBECONFIG, ~/.kube/config), and this is no pod");
}

}  // namespace
}  // namespace muster::kube
