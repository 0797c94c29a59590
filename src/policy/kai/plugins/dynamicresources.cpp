#include "policy/kai/plugins/dynamicresources.h"

#include <algorithm>

#include "policy/kai/claim_book.h"
#include "policy/kai/kube_rules.h"
#include "policy/kai/session.h"

namespace muster::kai {
namespace {

// The same devices, with another allocation of one claim.
ClaimedDevicesPtr with_allocation(const ClaimedDevicesPtr& devices, const PodClaim& claim,
                                  std::optional<DeviceAllocation> allocation, Interner<SymbolId>& symbols) {
  auto claims = devices ? devices->claims : std::vector<ClaimedDevices::Claim>();
  const auto at = std::find_if(claims.begin(), claims.end(), [&](const auto& known) { return known.name == claim.name; });
  if (at != claims.end())
    at->allocation = std::move(allocation);
  else
    claims.push_back({claim.name, claim.key, std::move(allocation)});
  return make_claimed(std::move(claims), symbols);
}

}  // namespace

DynamicResources::DynamicResources(Session& session)
    : Plugin(session),
      claims_(session.cluster().claims()),
      finder_(session.cluster().kube_rules().devices),
      catalog_(session.cluster().devices()) {
  auto& fits = session.cluster().fits();
  none_ = fits.status(FitCode::kUnschedulable, "the node has no devices left for its claims");
  elsewhere_ = fits.status(FitCode::kUnresolvable, "the devices of its claims are elsewhere");
}

// Nobody claims anything: nobody is asked.
Points DynamicResources::points() const {
  if (catalog_.pods().empty() && session().cluster().extended_resources().empty()) return Points();
  return Points(Point::kPrePredicate, Point::kPredicate, Point::kEvents);
}

// Devices that were given away in earlier cycles and of which the claims do not know yet are taken.
void DynamicResources::open() {
  if (catalog_.pods().empty()) return;
  const auto& cluster = session().cluster();
  for (const auto id : cluster.listed_jobs()) cluster.job(id).for_each_pod([&](PodId pod) { hold_bound(pod); });
}

void DynamicResources::hold_bound(PodId pod) {
  const auto& task = session().cluster().task(pod);
  if (!task.bind || !task.bind->devices || task.bind->failed || !session().cluster().known(task.bind->node)) return;
  if (task.facts.phase == PodFacts::Phase::kSucceeded || task.facts.phase == PodFacts::Phase::kFailed) return;
  for (const auto& named : catalog_.claims_of(pod)) {
    const auto* given = task.bind->devices->find(named.name);
    const auto* claim = named.is_resolved() ? claims_.find(named.key) : nullptr;
    if (given != nullptr && given->allocation && claim != nullptr && !claim->allocation) claims_.occupy(*given->allocation);
  }
}

// ----------------------------------------------------------------------------------------------------- questions

std::optional<std::string> DynamicResources::pre_predicate(PodId pod) {
  auto& task = session().cluster().task(pod);
  for (const auto& named : catalog_.claims_of(pod)) {
    const auto* claim = named.is_resolved() ? claims_.find(named.key) : nullptr;
    if (claim == nullptr) return "claim " + named.name + " does not exist";
    if (auto refusal = check_claim(pod, named, *claim)) return refusal;
  }
  if (session().cluster().extended_resources().any(task.asks)) task.extended = std::make_shared<ExtendedDevices>();
  return std::nullopt;
}

std::optional<std::string> DynamicResources::check_claim(PodId pod, const PodClaim& named, const ResourceClaim& claim) const {
  if (claim.reserved_for.size() >= kMostConsumers) return "claim " + named.key + " has as many users as it can have";
  const auto& cluster = session().cluster();
  const auto queue = claim.meta.labels.get(cluster.options().queue_key);
  const bool of_queue = !queue.empty() && queue == cluster.job_of(pod).queue_name;
  if (named.source == PodClaim::Source::kNamed && is_gpu_claim(claim) && !of_queue)
    return "claim " + named.key + " for GPUs is not labelled with the queue of the job";
  if (claim.allocation) return std::nullopt;
  for (const auto& request : claim.requests)
    if (request.exact && catalog_.device_class(request.device_class) == nullptr)
      return "device class " + request.device_class + " does not exist";
  return std::nullopt;
}

const DynamicResources::Look& DynamicResources::look_at(PodId pod) {
  if (look_.pod == pod && look_.version == claims_.version()) return look_;
  look_ = {};
  look_.pod = pod;
  look_.version = claims_.version();
  for (const auto& named : catalog_.claims_of(pod)) {
    const auto* entry = named.is_resolved() ? catalog_.claim(named.key) : nullptr;
    if (entry == nullptr) {
      look_.broken = true;
    } else if (entry->allocated()) {
      look_.given.push_back(&entry->claim);
    } else {
      look_.open.push_back(&entry->claim);
      look_.specs.push_back(entry->spec);
    }
  }
  return look_;
}

FitStatus DynamicResources::predicate(PodId pod, NodeId node) {
  const auto& task = session().cluster().task(pod);
  if (!task.extended && !catalog_.has_claims(pod)) return {};
  const auto& look = look_at(pod);
  if (look.broken) return none_;
  const auto& record = session().books().node(node);
  for (const auto* claim : look.given)
    if (const auto& nodes = claim->allocation->nodes; nodes && !nodes->matches(record.labels, record.name)) return elsewhere_;
  const auto extended = task.extended ? extended_on(pod, node) : std::vector<std::string>();
  if (extended.empty()) {
    if (look.open.empty()) return {};
    return finder_.finds(finder_.likeness_of(look.specs), node, look.open) ? FitStatus() : none_;
  }
  const auto special = extended_devices(task.asks, extended, session().cluster().extended_resources());
  auto open = look.open;
  auto specs = look.specs;
  open.push_back(&special.claim);
  specs.push_back(catalog_.spec_of(special.claim));
  return finder_.finds(finder_.likeness_of(specs), node, open) ? FitStatus() : none_;
}

std::vector<std::string> DynamicResources::extended_on(PodId pod, NodeId node) const {
  const auto& cluster = session().cluster();
  const auto& info = cluster.node_info(node);
  const auto& allocatable = session().books().ledgers().allocatable;
  const auto served = [&](const std::string& resource) {
    if (is_gpu(resource)) {
      const auto symbol = session().books().symbols().find(resource);
      return symbol && std::find(info.gpu_names.begin(), info.gpu_names.end(), symbol) != info.gpu_names.end();
    }
    const auto id = session().books().find_resource(resource);
    return id && allocatable[id.index()][node.index()] != 0;
  };
  std::vector<std::string> resources;
  for (const auto& ask : cluster.task(pod).asks)
    if (cluster.extended_resources().class_of(ask.resource) != nullptr && !served(ask.resource)) resources.push_back(ask.resource);
  std::sort(resources.begin(), resources.end());
  resources.erase(std::unique(resources.begin(), resources.end()), resources.end());
  return resources;
}

// -------------------------------------------------------------------------------------------------------- events

// Claim by claim, so that a task may get less than was found for all of them together.
void DynamicResources::on_allocate(PodId pod) {
  for (const auto& named : catalog_.claims_of(pod)) allocate_claim(pod, named);
  if (session().cluster().task(pod).extended) allocate_extended(pod);
}

void DynamicResources::allocate_claim(PodId pod, const PodClaim& named) {
  auto& task = session().cluster().task(pod);
  const auto* claim = named.is_resolved() ? claims_.find(named.key) : nullptr;
  if (claim == nullptr) return;
  auto allocation = claim->allocation;
  // What it had before it was taken away is given back to it, whoever has it now.
  const auto* had = task.devices ? task.devices->find(named.name) : nullptr;
  if (had != nullptr && had->allocation) allocation = had->allocation;
  if (!allocation) {
    auto outcome = finder_.search(task.node, {claim});
    if (outcome.kind != AllocationOutcome::Kind::kFound) return;
    allocation = std::move(outcome.allocations.front());
  }
  claims_.plan(named.key, allocation, with(claim->reserved_for, consumer_of(session().books().pod(pod))));
  task.devices = with_allocation(task.devices, named, std::move(allocation), session().books().symbols());
}

void DynamicResources::allocate_extended(PodId pod) {
  auto& task = session().cluster().task(pod);
  const auto resources = extended_on(pod, task.node);
  if (resources.empty()) return task.extended.reset();
  auto special = extended_devices(task.asks, resources, session().cluster().extended_resources());
  auto outcome = finder_.search(task.node, {&special.claim});
  if (outcome.kind != AllocationOutcome::Kind::kFound) return;
  claims_.occupy(outcome.allocations.front());
  special.claim.allocation = std::move(outcome.allocations.front());
  task.extended = std::make_shared<ExtendedDevices>(std::move(special));
}

void DynamicResources::on_deallocate(PodId pod) {
  auto& task = session().cluster().task(pod);
  for (const auto& named : catalog_.claims_of(pod)) {
    const auto* claim = named.is_resolved() ? claims_.find(named.key) : nullptr;
    if (claim == nullptr) continue;
    auto consumers = without(claim->reserved_for, consumer_of(session().books().pod(pod)));
    auto allocation = consumers.empty() ? std::nullopt : claim->allocation;
    if (task.devices && task.devices->find(named.name) != nullptr)
      task.devices = with_allocation(task.devices, named, allocation, session().books().symbols());
    claims_.plan(named.key, std::move(allocation), std::move(consumers));
  }
  if (!task.extended) return;
  if (task.extended->claim.allocation) claims_.vacate(*task.extended->claim.allocation);
  task.extended.reset();
}

}  // namespace muster::kai
