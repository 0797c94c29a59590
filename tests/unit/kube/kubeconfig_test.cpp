#include "kube/kubeconfig.h"

#include <gtest/gtest.h>

namespace muster::kube {
namespace {

constexpr std::string_view kPlain = R"(apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: c1
  cluster:
    server: https://10.0.0.1:6443/
    certificate-authority: certs/ca.pem
    tls-server-name: kubernetes
    proxy-url: http://proxy:3128
    extensions:
    - name: other
      extension: 1
    - name: client.authentication.k8s.io/exec
      extension: {audience: a, scopes: [b, 2, true, null, 0.5]}
- name: c2
  cluster: {server: "https://two", insecure-skip-tls-verify: true}
users:
- name: u1
  user: {client-certificate-data: Q0VSVA==, client-key: /keys/k.pem}
- name: u2
  user:
    tokenFile: token
    token: old
    as: alice
    as-uid: "7"
    as-groups: [dev, ops]
    as-user-extra: {reason: [test, more]}
- name: u3
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/login
      args: [--cluster, x]
      env: [{name: A, value: "1"}]
      provideClusterInfo: true
      interactiveMode: Never
contexts:
- name: dev
  context: {cluster: c1, user: u1, namespace: research}
- name: token
  context: {cluster: c2, user: u2}
- name: exec
  context: {cluster: c2, user: u3}
- name: nobody
  context: {cluster: c2, user: absent}
- name: nowhere
  context: {cluster: absent, user: u1}
)";

Result<Access> access_in(std::string_view text, const std::string& context = {},
                         const std::string& file = "/home/me/.kube/config") {
  const auto read = read_kubeconfig(text, file);
  if (!read) return fail(read.error());
  const KubeconfigFile files[] = {*read};
  return access_of(files, context);
}

TEST(Kubeconfig, CurrentContextWithCertificates) {
  const auto access = access_in(kPlain);
  ASSERT_TRUE(access) << access.error().text();
  EXPECT_EQ(access->server, "https://10.0.0.1:6443");
  EXPECT_EQ(access->authority.file, "/home/me/.kube/certs/ca.pem");
  EXPECT_EQ(access->tls_server_name, "kubernetes");
  EXPECT_EQ(access->proxy, "http://proxy:3128");
  EXPECT_EQ(access->exec_config, R"({"audience":"a","scopes":["b",2,true,null,0.5]})");
  EXPECT_EQ(access->client_certificate.text, "CERT");
  EXPECT_EQ(access->client_key.file, "/keys/k.pem");
  EXPECT_EQ(access->default_namespace, "research");
  EXPECT_TRUE(access->check_certificate);
}

TEST(Kubeconfig, TokenFileAndImpersonation) {
  const auto access = access_in(kPlain, "token");
  ASSERT_TRUE(access) << access.error().text();
  EXPECT_EQ(access->token_file, "/home/me/.kube/token");
  EXPECT_EQ(access->token, "old");
  EXPECT_FALSE(access->check_certificate);
  EXPECT_EQ(access->impersonate.user, "alice");
  EXPECT_EQ(access->impersonate.uid, "7");
  EXPECT_EQ(access->impersonate.groups, (std::vector<std::string>{"dev", "ops"}));
  EXPECT_EQ(access->impersonate.extra.at("reason"), (std::vector<std::string>{"test", "more"}));
}

TEST(Kubeconfig, ExecIsRelativeToTheFile) {
  const auto access = access_in(kPlain, "exec");
  ASSERT_TRUE(access) << access.error().text();
  ASSERT_TRUE(access->exec);
  EXPECT_EQ(access->exec->command, "/home/me/.kube/bin/login");
  EXPECT_EQ(access->exec->arguments.size(), 2u);
  EXPECT_EQ(access->exec->environment.front().second, "1");
  EXPECT_TRUE(access->exec->wants_cluster);
}

TEST(Kubeconfig, FirstFileWins) {
  const auto first = read_kubeconfig(R"(
clusters: [{name: c1, cluster: {server: "https://first"}}]
)",
                                     "/a/config");
  const auto second = read_kubeconfig(kPlain, "/b/config");
  ASSERT_TRUE(first && second);
  const KubeconfigFile files[] = {*first, *second};
  const auto access = access_of(files, "");
  ASSERT_TRUE(access) << access.error().text();
  EXPECT_EQ(access->server, "https://first");
  EXPECT_TRUE(access->authority.empty()) << "an entry counts as a whole";
  EXPECT_EQ(access->client_key.file, "/keys/k.pem");
}

struct Refused {
  const char* name;
  const char* text;
  const char* context;
  const char* error;
};

class KubeconfigErrors : public testing::TestWithParam<Refused> {};

TEST_P(KubeconfigErrors, NamePlace) {
  const auto access = access_in(GetParam().text, GetParam().context, "/c");
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().text(), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Table, KubeconfigErrors,
    testing::Values(
        Refused{"empty", "", "", "/c: has no current-context; choose one with --context: there is none"},
        Refused{"type", "clusters: 7\n", "", "/c:1:11: clusters: must be a list, not an integer"},
        Refused{"list", "- a\n", "", "/c:1:1: must be a map, not a list"},
        Refused{"kind", "kind: Pod\n", "", "/c:1:7: kind: must be Config, so this is no kubeconfig"},
        Refused{"nameless", "users:\n- user: {}\n", "", "/c:2:3: users[0].name: must not be empty"},
        Refused{"twice", "users:\n- {name: a}\n- {name: a}\n", "", "/c:3:10: users[1].name: \"a\" is there twice"},
        Refused{"context", "contexts: [{name: x}]\n", "y", "/c: has no context \"y\": there is \"x\""},
        Refused{"base64",
                "contexts: [{name: x, context: {cluster: c}}]\nclusters:\n- name: c\n  cluster:\n    server: https://a\n"
                "    certificate-authority-data: '%'\n",
                "x", "/c:6:34: clusters[c].cluster.certificate-authority-data: is not base64"},
        Refused{"alpha",
                "contexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: 'https://a'}}]\n"
                "users:\n- name: u\n  user:\n    exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}\n",
                "x",
                "/c:6:24: users[u].user.exec.apiVersion: must be client.authentication.k8s.io/v1 or v1beta1, not "
                "\"client.authentication.k8s.io/v1alpha1\""}),
    [](const auto& case_) { return case_.param.name; });

TEST(Kubeconfig, AServerWithoutSchemeIsReachedByTlsWhereAnythingNeedsIt) {
  const auto server = [](const std::string& cluster, const std::string& user) {
    return access_in("contexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: 'h:1'" +
                         cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n",
                     "x")
        ->server;
  };
  EXPECT_EQ(server("", ""), "http://h:1");
  EXPECT_EQ(server(", certificate-authority: ca.pem", "token: t"), "https://h:1");
  EXPECT_EQ(server(", insecure-skip-tls-verify: true", "token: t"), "https://h:1");
  EXPECT_EQ(server("", "client-certificate: c.pem, client-key: k.pem"), "https://h:1");
}

TEST(Kubeconfig, UnknownUserAndCluster) {
  EXPECT_EQ(access_in(kPlain, "nobody").error().message,
            "\"absent\" is no user of this kubeconfig: there is \"u1\", \"u2\", \"u3\"");
  EXPECT_EQ(access_in(kPlain, "nowhere").error().message, "\"absent\" is no cluster of this kubeconfig: there is \"c1\", \"c2\"");
}

}  // namespace
}  // namespace muster::kube
