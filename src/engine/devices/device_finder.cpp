#include "engine/devices/device_finder.h"

namespace muster {
namespace {

constexpr std::size_t kMaxChangeList = 4096;

}  // namespace

DeviceFinder::DeviceFinder(const Books& books, DeviceCatalog& catalog, DeviceFeatures features)
    : books_(books), catalog_(catalog), features_(features), selectors_(catalog) {}

DeviceFinder::LikenessId DeviceFinder::likeness_of(std::span<const ClaimSpecId> specs) {
  std::string text;
  for (const auto spec : specs) text.append(std::to_string(spec.index())).append(1, ',');
  const auto id = likenesses_.intern(text);
  if (!answers_.contains(id)) answers_.resize(likenesses_.size());
  return id;
}

// A number that changes with everything that concerns all nodes.
std::uint64_t DeviceFinder::epoch() {
  const bool same = last_epoch_ != 0 && last_catalog_ == catalog_.version() && last_facts_ == books_.node_facts_version() &&
                    last_common_ == common_changes_;
  if (same) return last_epoch_;
  last_catalog_ = catalog_.version();
  last_facts_ = books_.node_facts_version();
  last_common_ = common_changes_;
  return ++last_epoch_;
}

const std::vector<DevicePool>& DeviceFinder::pools_of(NodeId node) {
  if (pools_.size() < books_.node_count()) pools_.resize(books_.node_count());
  auto& known = pools_[node.index()];
  if (const auto now = epoch(); known.epoch != now) {
    known.pools = gather_pools(catalog_, books_.node(node), features_);
    known.epoch = now;
  }
  return known.pools;
}

DeviceFinder::Answers& DeviceFinder::answers(LikenessId likeness) {
  auto& answers = answers_[likeness];
  if (!answers) answers = std::make_unique<Answers>();
  if (const auto now = epoch(); answers->epoch != now || answers->asked.size() != books_.node_count()) {
    answers->epoch = now;
    answers->asked.resize(books_.node_count());
    answers->found.resize(books_.node_count());
    answers->refusals.assign(books_.node_count(), FitStatus());
    answers->points.assign(books_.node_count(), 0);
    answers->seen = changed_.size();
  }
  for (; answers->seen < changed_.size(); ++answers->seen) answers->asked.reset(changed_[answers->seen].index());
  return *answers;
}

AllocationOutcome DeviceFinder::search(NodeId node, const std::vector<const ResourceClaim*>& claims) {
  return allocate_devices(catalog_, selectors_, books_.node(node), pools_of(node), claims, features_);
}

bool DeviceFinder::finds(LikenessId likeness, NodeId node, const std::vector<const ResourceClaim*>& claims) {
  auto& known = answers(likeness);
  const auto n = node.index();
  if (known.asked.test(n)) return known.found.test(n);
  const auto outcome = search(node, claims);
  const bool found = outcome.kind == AllocationOutcome::Kind::kFound;
  known.found.assign(n, found);
  known.asked.assign(n, outcome.kind != AllocationOutcome::Kind::kError);
  return found;
}

void DeviceFinder::note_change(const DeviceAllocation& allocation) {
  for (const auto& device : allocation.devices) {
    const auto& home = catalog_.pool(device.driver, device.pool).only_node;
    const auto node = home.empty() ? NodeId() : books_.find_node(home);
    if (node)
      changed_.push_back(node);
    else
      ++common_changes_;
  }
  if (changed_.size() <= kMaxChangeList) return;
  changed_.clear();
  ++common_changes_;
}

}  // namespace muster
