#include "engine/filters/dynamic_resources.h"

#include <algorithm>

#include "model/quoted.h"

namespace muster {
namespace {

constexpr std::int64_t kMaxAlternatives = 8;

bool is_controlled_by(const ResourceClaim& claim, const std::string& uid) {
  return std::any_of(claim.meta.owners.begin(), claim.meta.owners.end(),
                     [&](const OwnerReference& owner) { return owner.controller && owner.uid == uid; });
}

}  // namespace

DynamicResourcesFilter::DynamicResourcesFilter(const Books& books, FitTable& fits, DeviceCatalog& catalog)
    : books_(books),
      fits_(fits),
      catalog_(catalog),
      none_(fits.status(FitCode::kUnresolvable, "cannot allocate all claims")),
      bad_pools_(fits.status(FitCode::kUnresolvable, "invalid resource pools were encountered")),
      elsewhere_(fits.status(FitCode::kUnresolvable, "resourceclaim not available on the node")),
      finder_(books, catalog) {}

Dependence DynamicResourcesFilter::dependence(PodId pod) const {
  return catalog_.has_claims(pod) ? Dependence::kOthers : Dependence::kNothing;
}

// -------------------------------------------------------------------------------------------------------- preparation

// The claim behind a pod's entry; nullptr when it needs none.
Result<const ClaimEntry*> DynamicResourcesFilter::resolve(PodId pod, const PodClaim& claim) const {
  const auto name = "pod " + in_quotes(books_.pod_key(pod));
  switch (claim.source) {
    case PodClaim::Source::kNotGenerated: return fail(name + ": ResourceClaim not created yet");
    case PodClaim::Source::kUnknown:
      return fail(name + ", spec.resourceClaim " + in_quotes(claim.name) + ": none of the supported fields are set");
    case PodClaim::Source::kNotNeeded: return nullptr;
    case PodClaim::Source::kNamed:
    case PodClaim::Source::kGenerated: break;
  }
  const auto* entry = catalog_.claim(claim.key);
  if (entry == nullptr) return fail("could not find ResourceClaim " + in_quotes(claim.key));
  if (entry->claim.meta.deleted) return fail("resourceclaim " + in_quotes(entry->claim.meta.name) + " is being deleted");
  if (claim.source == PodClaim::Source::kGenerated && !is_controlled_by(entry->claim, books_.pod(pod).uid))
    return fail("ResourceClaim " + claim.key + " was not created for Pod " + books_.pod_key(pod) + " (Pod is not owner)");
  return entry;
}

// The first class that a claim names and that does not exist.
std::optional<FitStatus> DynamicResourcesFilter::check_classes(const ClaimEntry& entry) const {
  const auto check = [&](const std::string& device_class, const std::string& request) -> std::optional<FitStatus> {
    if (device_class.empty()) return fits_.status(FitCode::kError, "request " + request + ": unsupported request type");
    if (catalog_.device_class(device_class) != nullptr) return std::nullopt;
    return fits_.status(FitCode::kUnresolvable, "request " + request + ": device class " + device_class + " does not exist");
  };
  for (const auto& request : entry.claim.requests) {
    if (request.exact) {
      if (auto refusal = check(request.device_class, request.name)) return refusal;
    } else if (request.alternatives.empty()) {
      return fits_.status(FitCode::kUnresolvable,
                          "resource claim " + claim_key(entry.claim) + ", request " + request.name + ": unknown request type");
    }
    if (request.exact) continue;
    for (const auto& alternative : request.alternatives)
      if (auto refusal = check(alternative.device_class, request.name + "/" + alternative.name)) return refusal;
  }
  return std::nullopt;
}

NodeFilter::Prepared DynamicResourcesFilter::look_at(PodId pod) const {
  current_ = Pending();
  current_.pod = pod;
  const auto refuse = [&](FitStatus status) {
    current_.claims.clear();
    current_.open.clear();
    return Prepared{Preparation::kCheck, status};
  };
  for (const auto& claim : catalog_.claims_of(pod)) {
    const auto entry = resolve(pod, claim);
    if (!entry) return refuse(fits_.status(FitCode::kUnresolvable, entry.error().message));
    if (*entry != nullptr) current_.claims.push_back(*entry);
  }
  if (current_.claims.empty()) return {Preparation::kSkip, std::nullopt};
  std::vector<ClaimSpecId> specs;
  for (const auto* entry : current_.claims) {
    if (entry->allocated()) continue;
    if (entry->promised)
      return refuse(fits_.status(FitCode::kUnresolvable,
                                 "resource claim " + claim_key(entry->claim) + " is in the process of being allocated"));
    if (const auto refusal = check_classes(*entry)) return refuse(*refusal);
    current_.open.push_back(&entry->claim);
    specs.push_back(entry->spec);
    current_.prefers |= std::any_of(entry->claim.requests.begin(), entry->claim.requests.end(),
                                    [](const DeviceRequest& request) { return !request.alternatives.empty(); });
  }
  current_.likeness = finder_.likeness_of(specs);
  return {};
}

// ----------------------------------------------------------------------------------------------------------- answers

DynamicResourcesFilter::Answers& DynamicResourcesFilter::answers() const { return finder_.answers(current_.likeness); }

AllocationOutcome DynamicResourcesFilter::search(NodeId node) const { return finder_.search(node, current_.open); }

FitStatus DynamicResourcesFilter::status_of(const AllocationOutcome& outcome, NodeId node) const {
  switch (outcome.kind) {
    case AllocationOutcome::Kind::kFound: return {};
    case AllocationOutcome::Kind::kNone: return none_;
    case AllocationOutcome::Kind::kBadPools: return bad_pools_;
    case AllocationOutcome::Kind::kError: return fits_.status(FitCode::kError, outcome.error);
    case AllocationOutcome::Kind::kTooLong: break;
  }
  return fits_.status(FitCode::kError, "node " + books_.node(node).name + ": timed out trying to allocate devices");
}

// Errors name the claim, so they are not remembered for pods with other claims.
FitStatus DynamicResourcesFilter::ask(Answers& answers, NodeId node) const {
  const auto n = node.index();
  if (answers.asked.test(n)) return answers.refusals[n];
  const auto outcome = search(node);
  const auto status = status_of(outcome, node);
  answers.refusals[n] = status;
  answers.found.assign(n, status.ok());
  answers.points[n] = status.ok() ? static_cast<std::int32_t>(points_of(outcome.allocations)) : 0;
  answers.asked.assign(n, outcome.kind != AllocationOutcome::Kind::kError);
  return status;
}

bool DynamicResourcesFilter::reaches_allocated(NodeId node) const {
  const auto& record = books_.node(node);
  return std::all_of(current_.claims.begin(), current_.claims.end(), [&](const ClaimEntry* entry) {
    const auto& allocation = entry->claim.allocation;
    return !allocation || !allocation->nodes || allocation->nodes->matches(record.labels, record.name);
  });
}

FitStatus DynamicResourcesFilter::check(PodId pod, NodeId node) const {
  if (pod != current_.pod)
    if (const auto refusal = look_at(pod).refusal) return *refusal;
  if (!current_.open.empty())
    if (const auto status = ask(answers(), node); !status.ok()) return status;
  return reaches_allocated(node) ? FitStatus() : elsewhere_;
}

void DynamicResourcesFilter::restrict(PodId pod, Bitset& nodes) const {
  if (pod != current_.pod && look_at(pod).refusal) {
    nodes.clear();
    return;
  }
  if (!current_.open.empty()) {
    auto& known = answers();
    auto unasked = nodes;
    unasked.subtract(known.asked);
    unasked.for_each([&](std::size_t n) { ask(known, NodeId(n)); });
    nodes &= known.found;
  }
  if (current_.open.size() == current_.claims.size()) return;
  const auto before = nodes;
  before.for_each([&](std::size_t n) {
    if (!reaches_allocated(NodeId(n))) nodes.reset(n);
  });
}

// --------------------------------------------------------------------------------------------------------- the score

std::int64_t DynamicResourcesFilter::points_of(const std::vector<DeviceAllocation>& allocations) const {
  std::int64_t points = 0;
  for (std::size_t c = 0; c < current_.open.size(); ++c)
    for (const auto& request : current_.open[c]->requests)
      for (std::size_t i = 0; i < request.alternatives.size(); ++i) {
        const auto name = request.name + "/" + request.alternatives[i].name;
        const auto& devices = allocations[c].devices;
        const bool taken =
            std::any_of(devices.begin(), devices.end(), [&](const AllocatedDevice& device) { return device.request == name; });
        if (taken) points += kMaxAlternatives - static_cast<std::int64_t>(i);
      }
  return points;
}

std::int64_t DynamicResourcesFilter::points(PodId pod, NodeId node) const {
  if (pod != current_.pod) look_at(pod);
  if (current_.open.empty()) return 0;
  auto& known = answers();
  ask(known, node);
  return known.points[node.index()];
}

// -------------------------------------------------------------------------------------------------------- promises

bool DynamicResourcesFilter::reserve(PodId pod, NodeId node) {
  if (!catalog_.has_claims(pod)) return true;
  // Whoever looks for a node at the moment goes on afterwards.
  std::optional<Pending> other;
  if (pod != current_.pod) {
    other = std::move(current_);
    if (look_at(pod).refusal) {
      current_ = std::move(*other);
      return false;
    }
  }
  bool reserved = current_.open.empty();
  if (!reserved && node) {
    auto outcome = search(node);
    reserved = outcome.kind == AllocationOutcome::Kind::kFound;
    if (reserved) promise(pod, std::move(outcome.allocations));
  }
  if (other)
    current_ = std::move(*other);
  else if (reserved)
    current_ = Pending();  // what was prepared for the pod no longer holds
  return reserved;
}

void DynamicResourcesFilter::promise(PodId pod, std::vector<DeviceAllocation> allocations) {
  auto& keys = reserved_[pod];
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    finder_.note_change(allocations[i]);
    keys.push_back(claim_key(*current_.open[i]));
    catalog_.promise(keys.back(), std::move(allocations[i]));
  }
}

void DynamicResourcesFilter::release(PodId pod) {
  if (reserved_.empty()) return;
  const auto found = reserved_.find(pod);
  if (found == reserved_.end()) return;
  for (const auto& key : found->second) {
    if (const auto* entry = catalog_.claim(key); entry != nullptr && entry->promised) finder_.note_change(*entry->promised);
    catalog_.withdraw(key);
  }
  reserved_.erase(found);
}

void DynamicResourcesFilter::confirm(PodId pod) {
  if (reserved_.empty()) return;
  const auto found = reserved_.find(pod);
  if (found == reserved_.end()) return;
  for (const auto& key : found->second) catalog_.confirm(key);
  reserved_.erase(found);
}

}  // namespace muster
