#include "kube/access.h"

#include <cstdlib>
#include <filesystem>

#include "kube/environment_proxy.h"
#include "kube/kubeconfig.h"
#include "kube/text_file.h"

namespace muster::kube {
namespace {

Result<KubeconfigFile> read_one(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return fail(text.error());
  return read_kubeconfig(*text, path);
}

// The files of KUBECONFIG, or the one in the home folder: what is not there is passed over.
std::vector<std::string> default_files(const Environment& environment) {
  std::vector<std::string> out;
  const auto list = environment("KUBECONFIG");
  if (list && !list->empty()) {
    for (std::size_t at = 0; at <= list->size();) {
      const auto end = std::min(list->find(':', at), list->size());
      if (end > at) out.push_back(list->substr(at, end - at));
      at = end + 1;
    }
  } else if (const auto home = environment("HOME"); home && !home->empty()) {
    out.push_back(*home + "/.kube/config");
  }
  std::erase_if(out, [](const std::string& path) {
    std::error_code ignored;
    return !std::filesystem::exists(path, ignored);
  });
  return out;
}

Result<Access> access_as_found(const AccessOptions& options, const Environment& environment) {
  const auto paths = options.kubeconfig.empty() ? default_files(environment) : std::vector{options.kubeconfig};
  if (paths.empty() && environment("KUBERNETES_SERVICE_HOST")) return in_cluster_access(options, environment);
  if (paths.empty() && !options.server.empty()) {
    Access nobody;
    nobody.origin = "nobody: there is no kubeconfig";
    return nobody;
  }
  if (paths.empty())
    return fail("no cluster to talk to: there is no kubeconfig (--kubeconfig, KUBECONFIG, ~/.kube/config), and this is no pod");
  std::vector<KubeconfigFile> files;
  for (const auto& path : paths) {
    auto file = read_one(path);
    if (!file) return fail(file.error());
    files.push_back(std::move(*file));
  }
  return access_of(files, options.context);
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::optional<std::string> check_server(std::string& server) {
  while (server.ends_with('/')) server.pop_back();
  if (server.empty()) return "must not be empty";
  if (server.find("://") == std::string::npos || server.starts_with("http://") || server.starts_with("https://"))
    return std::nullopt;
  return "must begin with https:// or http://";
}

void complete_server(Access& access) {
  if (access.server.find("://") != std::string::npos) return;
  const bool secure = !access.authority.empty() || !access.client_certificate.empty() || !access.check_certificate;
  access.server = (secure ? "https://" : "http://") + access.server;
}

Result<Access> find_access(const AccessOptions& options, const Environment& environment) {
  auto access = access_as_found(options, environment);
  if (!access) return access;
  if (!options.server.empty()) {
    access->server = options.server;
    if (const auto wrong = check_server(access->server)) return fail("--master " + *wrong);
    complete_server(*access);
  }
  access->environment_proxy = proxy_of_environment(access->server, environment);
  return access;
}

Result<Access> in_cluster_access(const AccessOptions& options, const Environment& environment) {
  const auto host = environment("KUBERNETES_SERVICE_HOST");
  const auto port = environment("KUBERNETES_SERVICE_PORT");
  if (!host || host->empty() || !port || port->empty())
    return fail("this is no pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  Access out;
  const bool ipv6 = host->find(':') != std::string::npos;
  out.server = "https://" + (ipv6 ? "[" + *host + "]" : *host) + ":" + *port;
  out.authority.file = options.service_account_folder + "/ca.crt";
  out.token_file = options.service_account_folder + "/token";
  if (const auto token = read_text_file(out.token_file); !token) return fail(token.error());
  if (const auto authority = read_text_file(out.authority.file); !authority) return fail(authority.error());
  if (const auto ns = read_text_file(options.service_account_folder + "/namespace")) out.default_namespace = trimmed(*ns);
  out.origin = "the pod's service account";
  return out;
}

}  // namespace muster::kube
