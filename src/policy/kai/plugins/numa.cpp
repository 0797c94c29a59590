#include "policy/kai/plugins/numa.h"

#include <algorithm>

#include "policy/kai/session.h"

namespace muster::kai {
namespace {

constexpr double kOneZone = 100;

// Nothing but these words counts, as in the original.
bool bool_of(const std::string& text, bool fallback) {
  for (const auto* yes : {"1", "t", "T", "true", "TRUE", "True"})
    if (text == yes) return true;
  for (const auto* no : {"0", "f", "F", "false", "FALSE", "False"})
    if (text == no) return false;
  return fallback;
}

std::set<std::string, std::less<>> names_in(std::string_view list) {
  std::set<std::string, std::less<>> names;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    auto name = list.substr(0, comma);
    while (!name.empty() && (name.front() == ' ' || name.front() == '\t')) name.remove_prefix(1);
    while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.remove_suffix(1);
    if (!name.empty()) names.emplace(name);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return names;
}

}  // namespace

Numa::Numa(Session& session, const PluginOption& option)
    : Plugin(session),
      ignored_(names_in(option.arguments.get("ignoreList", ""))),
      reconstructs_(bool_of(option.arguments.get("reconstructAvailable", "true"), true)) {
  auto& symbols = session.books().symbols();
  gpu_ = NumaAmounts::resource("gpu", symbols);
  for (const auto& name : ignored_) ignored_ids_.insert(NumaAmounts::resource(name, symbols));
  not_aligned_ =
      session.cluster().fits().status(FitCode::kUnschedulable, "the node's NUMA zones cannot take it as its policy asks");
}

void Numa::open() {
  auto& cluster = session().cluster();
  states_.assign(session().books().node_count(), {});
  for (const auto& [id, node] : cluster.numa_nodes())
    if (cluster.known(id)) open_node(id, node);
  for (const auto id : cluster.listed_jobs()) cluster.job(id).for_each_pod([&](PodId pod) { seed(pod); });
}

void Numa::open_node(NodeId id, const NumaNode& node) {
  auto& state = states_[id];
  state.node = &node;
  most_zones_ = std::max(most_zones_, node.zones.size());
  if (!node.aligns()) return;
  state.free = NumaTable(node.zones.size(), node.resources.size());
  for (std::size_t zone = 0; zone < node.zones.size(); ++zone)
    for (std::size_t r = 0; r < node.resources.size(); ++r)
      state.free.at(zone, r) = (reconstructs_ ? node.zones[zone].allocatable : node.zones[zone].available)[r];
  for (const auto& resource : node.resources) {
    const bool counts = !ignored_ids_.contains(resource.id);
    state.counts.push_back(counts);
    state.counts_always.push_back(counts && !resource.guaranteed_only);
    if (!resource.guaranteed_only && !ignored_.contains(resource.name)) devices_.insert(resource.id);
  }
  if (!reconstructs_) return;
  const auto& cluster = session().cluster();
  for (const auto pod : session().books().pods_on(id))
    if (kActiveAllocated.contains(cluster.task(pod).status)) charge(state, recorded(pod, node), -1);
}

// A pod that holds a place is known to be in the zones that were recorded, if they are such as count.
void Numa::seed(PodId pod) {
  auto& task = session().cluster().task(pod);
  task.numa_placement.clear();
  const auto* request = request_of(pod);
  if (request == nullptr || !session().cluster().known(task.node)) return;
  const auto& state = states_[task.node];
  if (state.node != nullptr && state.node->aligns() && concerns(pod, *request, state))
    task.numa_placement = recorded(pod, *state.node);
}

const NumaRequest* Numa::request_of(PodId pod) const { return session().cluster().task(pod).numa.get(); }

// A record that names an unknown zone is none.
NumaPlacement Numa::recorded(PodId pod, const NumaNode& node) const {
  const auto& task = session().cluster().task(pod);
  const auto* request = request_of(pod);
  if (request == nullptr) return {};
  const bool has_order = task.bind && !task.bind->failed && session().cluster().known(task.bind->node) && !task.bind->numa.empty();
  const auto& shares = !request->observed.empty() ? request->observed : has_order ? task.bind->numa : request->predicted;
  NumaPlacement placement;
  for (const auto& share : shares) {
    const auto zone = node.find_zone(share.zone);
    if (!zone) return {};
    placement.push_back({*zone, share.amount});
  }
  std::stable_sort(placement.begin(), placement.end(), [](const NumaPart& l, const NumaPart& r) { return l.zone < r.zone; });
  return placement;
}

void Numa::charge(State& state, const NumaPlacement& placement, double sign) {
  if (state.node == nullptr || !state.node->aligns()) return;
  auto& symbols = session().books().symbols();
  for (const auto& part : placement) {
    if (part.zone >= state.node->zones.size()) continue;
    for (const auto& [name, quantity] : part.amount)
      if (const auto at = state.node->find_resource(NumaAmounts::resource(name, symbols)))
        state.free.at(part.zone, *at) += sign * NumaAmounts::amount(name, quantity);
  }
}

void Numa::charge(PodId pod, double sign) {
  const auto& task = session().cluster().task(pod);
  if (!task.numa_placement.empty() && states_.contains(task.node)) charge(states_[task.node], task.numa_placement, sign);
}

bool Numa::asks_for(PodId pod, const NumaRequest& request, SymbolId resource) const {
  return resource == gpu_ ? session().cluster().task(pod).gpu.gpus() > 0 : request.asked.get(resource) > 0;
}

// Guaranteed pods, and others for the devices that they ask for.
bool Numa::concerns(PodId pod, const NumaRequest& request, const State& state) const {
  if (request.guaranteed) return true;
  const auto& resources = state.node->resources;
  return std::any_of(resources.begin(), resources.end(), [&](const NumaNode::Resource& resource) {
    return !resource.guaranteed_only && !ignored_.contains(resource.name) && asks_for(pod, request, resource.id);
  });
}

std::optional<NumaTable> Numa::place(const NumaRequest& request, const State& state) const {
  return NumaFit(*state.node, state.free, request.guaranteed ? state.counts : state.counts_always).place(request);
}

FitStatus Numa::predicate(PodId pod, NodeId node) {
  const auto& state = states_[node];
  const auto* request = request_of(pod);
  if (state.node == nullptr || !state.node->refuses() || request == nullptr || !concerns(pod, *request, state)) return {};
  return place(*request, state) ? FitStatus() : not_aligned_;
}

void Numa::tell_predicate(PodId, NodeId, FitStatus, FitTally& out) {
  out.add(session().fit_errors().told("node cannot NUMA-align the pod's resources under its Topology Manager policy"));
}

NumaPlacement Numa::numa_placement(PodId pod, NodeId node) {
  NumaPlacement placement;
  const auto& state = states_[node];
  const auto* request = request_of(pod);
  if (state.node == nullptr || !state.node->aligns() || request == nullptr || !concerns(pod, *request, state)) return placement;
  const auto taken = place(*request, state);
  if (!taken) return placement;
  for (std::size_t zone = 0; zone < state.node->zones.size(); ++zone) {
    ResourceList amount;
    for (std::size_t r = 0; r < state.node->resources.size(); ++r) {
      const auto whole = static_cast<std::int64_t>(taken->at(zone, r));
      const auto& name = state.node->resources[r].name;
      if (taken->at(zone, r) > 0) amount[name] = name == "cpu" ? Quantity::from_milli(whole) : Quantity::from_units(whole);
    }
    if (!amount.empty()) placement.push_back({zone, std::move(amount)});
  }
  return placement;
}

// The zones that the pod would span; nothing: it does not fit.
std::optional<std::size_t> Numa::span(PodId pod, const NumaRequest& request, const State& state) const {
  if (state.node == nullptr) return most_zones_;
  const auto zones = state.node->zones.size();
  if (!state.node->aligns() || !concerns(pod, request, state)) return zones;
  const auto taken = place(request, state);
  if (!taken) return std::nullopt;
  std::size_t spanned = 0;
  for (std::size_t zone = 0; zone < zones; ++zone) {
    bool any = false;
    for (std::size_t r = 0; r < state.node->resources.size(); ++r) any = any || taken->at(zone, r) > 0;
    spanned += any ? 1 : 0;
  }
  return std::max<std::size_t>(spanned, 1);
}

void Numa::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  const auto* request = request_of(pod);
  if (most_zones_ == 0 || request == nullptr) return;
  const auto asks = [&](SymbolId device) { return asks_for(pod, *request, device); };
  if (!request->guaranteed && std::none_of(devices_.begin(), devices_.end(), asks)) return;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (const auto zones = span(pod, *request, states_[nodes[i]])) totals[i] += kOneZone / static_cast<double>(*zones);
}

}  // namespace muster::kai
