#include "policy/kai/node_lacks.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "policy/kai/original_text.h"
#include "policy/kai/session.h"

namespace muster::kai {
namespace {

constexpr std::string_view kOverhead = "Not enough resources due to pod overhead resources. The overhead resources are ";

// A resource of which a node has too little: against what pods use there or wait for. In the books' units; GPUs in thousandths,
// their memory in MiB.
struct Lack {
  LackKind kind = LackKind::kOther;
  ResourceId resource;
  std::int64_t asked = 0, used = 0, capacity = 0;
};
using Lacks = boost::container::small_vector<Lack, 3>;

// What of one node's resources a task asks for, and what the node has of them.
class NodeSide {
 public:
  NodeSide(const Session& session, PodId pod, NodeId node)
      : cluster_(session.cluster()),
        books_(session.books()),
        ledgers_(books_.ledgers()),
        task_(cluster_.task(pod)),
        info_(cluster_.node_info(node)),
        request_(books_.shape_of(pod).request),
        node_(node.index()),
        gpu_(cluster_.gpu().index()) {}

  // Of GPUs, whole ones and parts, without those that claims give.
  std::int64_t asked_gpus() const {
    const auto gpus =
        task_.gpu.kind == GpuKind::kMemory ? gpus_of(info_.portion_of(task_.gpu), task_.gpu.devices) : task_.gpu.gpus();
    return static_cast<std::int64_t>(std::llround(gpus * static_cast<double>(kWholeGpu)));
  }
  std::int64_t asked(std::size_t r) const { return request_.get(ResourceId(r)); }
  std::int64_t capacity(std::size_t r) const { return ledgers_.allocatable[r][node_]; }
  // Also by those who only wait for the node.
  std::int64_t used(std::size_t r) const {
    if (capacity(r) == 0) return 0;
    return capacity(r) - ledgers_.idle[r][node_] + ledgers_.pipelined[r][node_] + (r == gpu_ ? awaited_gpus() : 0);
  }

  // Whether there is as much as it asks for of everything right now, and this much more. Parts of shared GPUs do not count.
  bool is_enough(const Amounts& more = {}) const {
    if (!info_.portion_valid(task_.gpu)) return false;
    for (std::size_t r = 0; r < ledgers_.idle.size(); ++r) {
      const auto amount = r == gpu_ && task_.gpu.kind == GpuKind::kFraction ? asked_gpus() : asked(r);
      const auto idle = (capacity(r) == 0 ? 0 : ledgers_.idle[r][node_]) + more.get(ResourceId(r));
      if (amount > idle) return false;
    }
    return true;
  }

  Lacks lacks() const {
    Lacks out;
    const auto add = [&](LackKind kind, std::size_t r, std::int64_t amount) {
      if (amount > capacity(r) - used(r)) out.push_back({kind, ResourceId(r), amount, used(r), capacity(r)});
    };
    const bool by_instance = task_.gpu.kind == GpuKind::kMig;
    for (std::size_t r = 0; by_instance && r < ledgers_.idle.size(); ++r)
      if (asked(r) > 0 && is_mig(books_.resource_name(ResourceId(r)))) add(LackKind::kOther, r, asked(r));
    if (!by_instance) add(LackKind::kGpus, gpu_, asked_gpus());
    if (!by_instance && task_.gpu.memory > info_.gpu_memory)
      out.push_back({LackKind::kGpuMemory, cluster_.gpu(), task_.gpu.memory, 0, info_.gpu_memory});
    add(LackKind::kOther, kCpu.index(), asked(kCpu.index()));
    add(LackKind::kOther, kMemory.index(), asked(kMemory.index()));
    for (std::size_t r = 0; r < ledgers_.idle.size(); ++r) {
      if (r == kCpu.index() || r == kMemory.index() || r == gpu_ || asked(r) <= 0) continue;
      if (!is_mig(books_.resource_name(ResourceId(r)))) add(LackKind::kOther, r, asked(r));
    }
    return out;
  }

 private:
  // Shared GPUs that are not open yet.
  std::int64_t awaited_gpus() const {
    const auto is_awaited = [](const GpuGroup& group) { return group.used > 0 && group.allocated == 0; };
    return std::count_if(info_.groups.begin(), info_.groups.end(), is_awaited) * kWholeGpu;
  }

  const Cluster& cluster_;
  const Books& books_;
  const NodeLedgers& ledgers_;
  const Task& task_;
  const NodeInfo& info_;
  const Amounts& request_;
  std::size_t node_;
  std::size_t gpu_;
};

std::string_view word_for(const Session& session, const Lack& lack) {
  if (lack.kind == LackKind::kGpus) return "GPUs";
  if (lack.kind == LackKind::kGpuMemory) return "GPU memory";
  if (lack.resource == kCpu) return "CPU cores";
  if (lack.resource == kMemory) return "memory";
  return lack.resource == kPodCount ? std::string_view("pods") : std::string_view(session.books().resource_name(lack.resource));
}

bool is_instance(const Session& session, const Lack& lack) {
  return lack.kind == LackKind::kOther && is_mig(session.books().resource_name(lack.resource));
}

std::string lack_text(const Session& session, const Lack& lack) {
  const auto* what =
      is_instance(session, lack) ? "node(s) didn't have enough of mig profile: " : "node(s) didn't have enough resources: ";
  return what + std::string(word_for(session, lack));
}

// Where it would fit without what its runtime needs besides.
std::string suffix_for(const Session& session, PodId pod, const NodeSide& side) {
  const auto& overhead = session.cluster().task(pod).overhead;
  if (overhead == nullptr || !side.is_enough(overhead->amounts)) return {};
  std::string text = ". " + std::string(kOverhead);
  for (const auto& [name, quantity] : overhead->list) text.append(" ").append(name).append(": ").append(quantity.text());
  return text;
}

std::string told_request(const Session& session, PodId pod, const Lack& lack) {
  const auto& gpu = session.cluster().task(pod).gpu;
  if (gpu.shared() && gpu.devices > 1)
    return fmt::format(
        "{} X {}", gpu.devices,
        short_number(static_cast<double>(lack.asked) / static_cast<double>(kWholeGpu) / static_cast<double>(gpu.devices)));
  if (gpu.claimed > 0) return short_number(static_cast<double>(gpu.claimed)) + " as DRA gpu claims ";
  return short_number(static_cast<double>(lack.asked) / static_cast<double>(kWholeGpu));
}

std::string detail_of(const Session& session, PodId pod, const Lack& lack) {
  constexpr std::string_view kDetail = "Node didn't have enough resources: {}, requested: {}, used: {}, capacity: {}";
  const auto text = [&](std::string_view what, const std::string& asked, const std::string& used, const std::string& capacity) {
    return fmt::format(kDetail, what, asked, used, capacity);
  };
  const auto in = [](std::int64_t amount, double unit) { return cut_number(static_cast<double>(amount) / unit); };
  const auto gpus = [](std::int64_t amount) { return short_number(static_cast<double>(amount) / static_cast<double>(kWholeGpu)); };
  if (lack.kind == LackKind::kGpus) return text("GPUs", told_request(session, pod, lack), gpus(lack.used), gpus(lack.capacity));
  if (lack.kind == LackKind::kGpuMemory)
    return fmt::format(
        "Node didn't have enough resources: Each gpu on the node has a gpu memory capacity of {} Mib. {} Mib of gpu memory has "
        "been requested.",
        lack.capacity, lack.asked);
  for (const auto& [resource, unit] : {std::pair(kCpu, kMilliPerCore), std::pair(kMemory, kBytesPerGb)})
    if (lack.resource == resource)
      return text(word_for(session, lack), in(lack.asked, unit), in(lack.used, unit), in(lack.capacity, unit));
  const auto whole = [&](std::int64_t amount) { return amount / books_per_unit(word_for(session, lack)); };
  return fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}", word_for(session, lack),
                     whole(lack.asked), whole(lack.used), whole(lack.capacity));
}

// Where there is enough of everything else.
std::string lacking_storage(const Session& session, PodId pod, NodeId node) {
  const auto& storage = session.cluster().storage();
  return storage.active() ? storage.obstacle(session.cluster(), pod, node) : std::string();
}

}  // namespace

void tell_lacks(Session& session, PodId pod, NodeId node, FitTally& out) {
  if (session.fits_now(pod, node)) return;
  auto& errors = session.fit_errors();
  const NodeSide side(session, pod, node);
  if (side.is_enough()) {
    const auto storage = lacking_storage(session, pod, node);
    if (!storage.empty()) out.add(errors.told(storage));
    return;
  }
  out.add_silent();
  const auto suffix = suffix_for(session, pod, side);
  for (const auto& lack : side.lacks()) {
    auto& known = errors.told_of(lack.kind, lack.resource);
    if (!known) known = errors.told(lack_text(session, lack));
    out.add(suffix.empty() ? known : errors.told(errors.text(known) + suffix));
  }
}

std::vector<std::string> lacks_in_detail(const Session& session, PodId pod, NodeId node) {
  std::vector<std::string> out;
  if (session.fits_now(pod, node)) return out;
  const NodeSide side(session, pod, node);
  if (side.is_enough()) {
    auto storage = lacking_storage(session, pod, node);
    if (!storage.empty()) out.push_back(std::move(storage));
    return out;
  }
  const bool alone = session.books().group(session.books().pod(pod).group).pods.size() <= 1;
  const auto suffix = suffix_for(session, pod, side);
  for (const auto& lack : side.lacks())
    out.push_back((alone ? detail_of(session, pod, lack)
                         : fmt::format("Node didn't have enough resources: {}, taking all considerations into account",
                                       word_for(session, lack))) +
                  suffix);
  return out;
}

// ------------------------------------------------------------------------------------------------------- remembered

std::uint32_t NodeLacks::set_of(const FitTally& tally) {
  const auto same = [&](const Set& set) { return set.tally.any() == tally.any() && set.tally.counts() == tally.counts(); };
  const auto known = std::find_if(sets_.begin(), sets_.end(), same);
  const auto at = static_cast<std::uint32_t>(known - sets_.begin());
  if (at == sets_.size()) sets_.push_back({tally, 0});
  return at;
}

void NodeLacks::look_at(Session& session, PodId pod, NodeId node, std::uint32_t rank) {
  FitTally tally;
  if (!session.fits_later(pod, node)) tell_lacks(session, pod, node, tally);
  const auto set = set_of(tally);
  --sets_[of_node_[rank]].nodes;
  ++sets_[set].nodes;
  of_node_[rank] = set;
}

void NodeLacks::refresh(Session& session, PodId pod) {
  const auto& books = session.books();
  const auto& nodes = session.cluster().nodes_by_name();
  const auto end = books.log_end();
  if (!built_ || seen_ < books.log_start()) {
    built_ = true;
    sets_.assign(1, {{}, static_cast<std::uint32_t>(nodes.size())});
    of_node_.assign(nodes.size(), 0);
    looked_.assign(nodes.size(), refreshes_);
    for (std::uint32_t rank = 0; rank < nodes.size(); ++rank) look_at(session, pod, nodes[rank], rank);
  } else {
    ++refreshes_;
    for (auto at = seen_; at < end; ++at) {
      const auto node = books.logged(at);
      if (!session.cluster().known(node)) continue;
      const auto rank = session.cluster().name_rank(node);
      if (std::exchange(looked_[rank], refreshes_) != refreshes_) look_at(session, pod, node, rank);
    }
  }
  seen_ = end;
}

void NodeLacks::tally(Session& session, PodId pod, const NodeSet& nodes, FitTally& out) {
  refresh(session, pod);
  std::vector<std::uint32_t> counts(sets_.size(), 0);
  if (nodes.size() == of_node_.size())
    for (std::size_t i = 0; i < sets_.size(); ++i) counts[i] = sets_[i].nodes;
  else
    for (const auto node : nodes) ++counts[of_node_[session.cluster().name_rank(node)]];
  for (std::size_t i = 1; i < sets_.size(); ++i) {
    if (counts[i] == 0) continue;
    if (sets_[i].tally.any()) out.add_silent();
    for (const auto& [reason, times] : sets_[i].tally.counts()) out.add(reason, times * counts[i]);
  }
}

}  // namespace muster::kai
