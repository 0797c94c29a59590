#include "sim/controllers/bind_requests.h"

#include <fmt/format.h>

#include "sim/controllers/pods.h"
#include "sim/subresources.h"

namespace muster::sim {
namespace {

const Kind& bind_request_kind() {
  static const Kind& kind = kind_named("scheduling.run.ai", "bindrequests");
  return kind;
}

// Nothing when it went well, otherwise why not.
std::optional<std::string> carried_out(Workbench& bench, const Object& request, const Tree& tree) {
  const Key key{request.key.ns, std::string(tree.text_at("spec.podName"))};
  const auto pod = bench.store().find(pod_kind(), key);
  if (!pod) return fmt::format("there is no pod {}", key.name);
  const auto node = tree.text_at("spec.selectedNode");
  if (node.empty()) return "spec.selectedNode is empty";
  if (pod->fields.get("spec.nodeName") == node) return std::nullopt;
  const auto received = tree.text_at("spec.receivedResourceType");
  if (received == "Fraction") return "shares of GPUs are not simulated";
  Tree binding = Tree::map();
  binding["target"]["kind"] = Tree("Node");
  binding["target"]["name"] = Tree(node);
  if (!received.empty()) binding["metadata"]["annotations"]["received-resource-type"] = Tree(received);
  const auto done = bind_pod(bench.registry(), key, binding, false);
  return done ? std::nullopt : std::optional(done.error().message);
}

}  // namespace

void reconcile_bind_request(Workbench& bench, const Object& request) {
  const auto tree = request.tree();
  const auto phase = tree.text_at("status.phase");
  if (request.is_deleting || phase == "Succeeded" || phase == "Failed") return;
  const auto wrong = carried_out(bench, request, tree);
  static_cast<void>(bench.registry().change(bind_request_kind(), request.key, Part::kStatus, [&](Tree now) -> Answered<Tree> {
    now["status"]["phase"] = Tree(wrong ? "Failed" : "Succeeded");
    if (wrong) now["status"]["reason"] = Tree(*wrong);
    return now;
  }));
}

}  // namespace muster::sim
