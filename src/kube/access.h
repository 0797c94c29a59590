#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kube/clock.h"

namespace muster::kube {

// A PEM text that is given as it is or lies in a file, which may be replaced while we run. Both empty: none. Given text wins.
struct PemSource {
  std::string text;
  std::string file;

  bool empty() const { return text.empty() && file.empty(); }
};

// A program that prints credentials (client.authentication.k8s.io).
struct ExecSettings {
  std::string api_version;  // ".../v1" or ".../v1beta1"
  std::string command;      // absolute, or to be found in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string install_hint;
  bool wants_cluster = false;  // provideClusterInfo
};

struct Impersonation {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

// How to reach one API server and who we are there. Plain values; files are read by whoever uses them, and again when they change.
struct Access {
  std::string server;  // "https://10.0.0.1:6443", perhaps with a path, without a slash at the end
  PemSource authority;
  std::string tls_server_name;
  std::string proxy;              // of the kubeconfig
  std::string environment_proxy;  // that counts where the kubeconfig has none
  std::string exec_config;        // what the cluster has to say to the plugin below, as JSON; empty: nothing
  bool check_certificate = true;

  PemSource client_certificate;
  PemSource client_key;
  std::string token;
  std::string token_file;  // wins over the token as long as it can be read
  std::string user;        // basic authentication
  std::string password;
  std::optional<ExecSettings> exec;
  Impersonation impersonate;

  std::string default_namespace = "default";
  std::string origin;  // for messages: the kubeconfig's context, or "the pod's service account"
};

// Looks up an environment variable.
using Environment = std::function<std::optional<std::string>(const std::string&)>;
Environment process_environment();

struct AccessOptions {
  std::string kubeconfig;   // --kubeconfig: exactly this file
  std::string context;      // --context: instead of current-context
  std::string server = {};  // --master: instead of the address that is found; alone, without anybody's identity
  std::string service_account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// Who we are, found as kubectl finds it: --kubeconfig, else those files of KUBECONFIG that exist, else ~/.kube/config, else the
// service account when we run in a pod; by the proxy of the kubeconfig, else that of the environment. Errors name file, line and
// column where there are some.
Result<Access> find_access(const AccessOptions& options, const Environment& environment);

// Takes slashes from the end of an address; what is wrong with it, or nothing.
std::optional<std::string> check_server(std::string& server);
// Gives an address without a scheme one. As kubectl does: anything that only TLS needs asks for it.
void complete_server(Access& access);

// From the variables and the files that every pod is given.
Result<Access> in_cluster_access(const AccessOptions& options, const Environment& environment);

}  // namespace muster::kube
