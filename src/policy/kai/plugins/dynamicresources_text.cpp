#include <fmt/format.h>

#include "policy/kai/claim_book.h"
#include "policy/kai/kube_rules.h"
#include "policy/kai/plugins/dynamicresources.h"
#include "policy/kai/session.h"

// What is wrong with claims, in the original's words.

namespace muster::kai {

std::string DynamicResources::tell_pre_predicate(PodId pod, const std::string& refusal) {
  for (const auto& named : catalog_.claims_of(pod)) {
    const auto* claim = named.is_resolved() ? claims_.find(named.key) : nullptr;
    if (claim == nullptr) return "failed to get resource claim " + (named.is_resolved() ? named.key : named.name) + ": not found";
    if (auto told = tell_claim(pod, named, *claim); !told.empty()) return told;
  }
  return refusal;
}

std::string DynamicResources::tell_claim(PodId pod, const PodClaim& named, const ResourceClaim& claim) const {
  if (claim.reserved_for.size() >= kMostConsumers)
    return fmt::format("resource claim {} has reached its maximum number of consumers ({})", named.key, kMostConsumers);
  const auto& cluster = session().cluster();
  const auto& key = cluster.options().queue_key;
  const auto queue = claim.meta.labels.get(key);
  const auto& expected = cluster.job_of(pod).queue_name;
  if (named.source == PodClaim::Source::kNamed && is_gpu_claim(claim) && queue != expected) {
    const auto why = queue.empty()
                         ? fmt::format("but does not have a queue label ({})", key)
                         : fmt::format("with wrong queue label (expected queue: {}, claim queue label: {})", expected, queue);
    return fmt::format("pod {} cannot be scheduled: DRA claim {} is a shared GPU claim {}", session().books().pod_key(pod),
                       claim.meta.name, why);
  }
  if (claim.allocation) return {};
  for (const auto& request : claim.requests)
    if (request.exact && catalog_.device_class(request.device_class) == nullptr)
      return fmt::format("device class {} does not exist for claim {} request {}", request.device_class, named.key, request.name);
  return {};
}

void DynamicResources::tell_predicate(PodId pod, NodeId node, FitStatus status, FitTally& out) {
  auto& errors = session().fit_errors();
  const auto& record = session().books().node(node);
  const auto& look = look_at(pod);
  if (look.broken) return out.add(errors.told(tell_pre_predicate(pod, "failed to get resource claim")));
  if (!out.keeps_names()) return out.add_unnamed();
  if (status == elsewhere_)
    for (const auto* claim : look.given)
      if (const auto& nodes = claim->allocation->nodes; nodes && !nodes->matches(record.labels, record.name))
        return out.add_named(errors.told(
            fmt::format("claim {}/{} node selector does not match node {}", claim->meta.ns, claim->meta.name, record.name)));
  out.add_named(errors.told("cannot allocate all DRA claims on node " + record.name));
}

}  // namespace muster::kai
