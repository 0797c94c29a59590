#include "engine/filters/node_ports.h"

#include <algorithm>
#include <string_view>

#include "base/assert.h"

namespace muster {
namespace {

std::string_view address(const ContainerPort& port) { return port.host_ip.empty() ? "0.0.0.0" : std::string_view(port.host_ip); }
std::string_view protocol(const ContainerPort& port) { return port.protocol.empty() ? "TCP" : std::string_view(port.protocol); }

// The address of all interfaces collides with every address.
bool collide(const ContainerPort& a, const ContainerPort& b) {
  if (a.host_port <= 0 || a.host_port != b.host_port || protocol(a) != protocol(b)) return false;
  return address(a) == address(b) || address(a) == "0.0.0.0" || address(b) == "0.0.0.0";
}

}  // namespace

NodePortsFilter::NodePortsFilter(Books& books, FitTable& fits)
    : books_(books), taken_(fits.status(FitCode::kUnschedulable, "node(s) didn't have free ports for the requested pod ports")) {
  for (const auto node : IdRange<NodeId>(books.node_count()))
    for (const auto pod : books.pods_present(node)) on_arrive(pod, node);
  books.observe(*this);
}

Dependence NodePortsFilter::dependence(PodId pod) const {
  return books_.shape_of(pod).host_ports.empty() ? Dependence::kNothing : Dependence::kNode;
}

FitStatus NodePortsFilter::check(PodId pod, NodeId node) const {
  if (node.index() >= used_.size()) return {};
  const auto& used = used_[node.index()];
  for (const auto& wanted : books_.shape_of(pod).host_ports)
    if (std::any_of(used.begin(), used.end(), [&](const ContainerPort& port) { return collide(wanted, port); })) return taken_;
  return {};
}

void NodePortsFilter::on_arrive(PodId pod, NodeId node) {
  const auto& ports = books_.shape_of(pod).host_ports;
  if (ports.empty()) return;
  if (node.index() >= used_.size()) used_.resize(node.index() + 1);
  auto& used = used_[node.index()];
  used.insert(used.end(), ports.begin(), ports.end());
}

void NodePortsFilter::on_depart(PodId pod, NodeId node) {
  for (const auto& port : books_.shape_of(pod).host_ports) {
    auto& used = used_[node.index()];
    const auto at = std::find(used.begin(), used.end(), port);
    MUSTER_ASSERT(at != used.end());
    std::swap(*at, used.back());
    used.pop_back();
  }
}

}  // namespace muster
