#pragma once

#include <string>

namespace muster {

// A kubeconfig for a server on the loopback that asks nobody who he is: "127.0.0.1:PORT".
inline std::string kubeconfig_for(const std::string& address) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"
         "users: [{name: u, user: {}}]\nclusters: [{name: c, cluster: {server: \"http://" +
         address + "\"}}]\n";
}
inline std::string kubeconfig_for(int port) { return kubeconfig_for("127.0.0.1:" + std::to_string(port)); }

}  // namespace muster
