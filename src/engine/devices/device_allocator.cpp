#include "engine/devices/device_allocator.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "engine/devices/capacity_request.h"
#include "engine/devices/device_constraint.h"

namespace muster {
namespace {

constexpr std::size_t kMaxDevicesPerClaim = 32;
constexpr std::size_t kMaxDepth = 4096;  // of the search: it is recursive

// A device, by its place in the pools of the node.
struct Place {
  std::size_t pool = 0;
  std::size_t slice = 0;
  std::size_t device = 0;
};

// A request, or one of its alternatives, prepared for the search.
struct Wish {
  const DeviceRequest* request = nullptr;
  const DeviceRequest* parent = nullptr;  // of an alternative
  const DeviceClass* device_class = nullptr;
  std::size_t count = 0;
  std::vector<Place> all;  // for those that want all devices
};

struct ClaimWork {
  const ResourceClaim* claim = nullptr;
  std::vector<std::vector<Wish>> requests;  // each with its alternatives, or alone
  std::vector<ActiveConstraint> constraints;
  std::size_t chosen = 0;
};

// A device that the search has taken so far.
struct Chosen {
  std::size_t claim = 0;
  const Wish* wish = nullptr;
  Place place;
  DeviceId id;
  bool shared = false;
  Counters consumed;
};

// Where the search stands: the next device of a request.
struct Step {
  std::size_t claim = 0;
  std::size_t request = 0;
  std::size_t alternative = 0;
  std::size_t device = 0;
};

enum class Progress : std::uint8_t {
  kDone,
  kDeadEnd,
  kTooMany,  // more devices than a claim can hold, whatever is tried in this request
  kFailed,   // the outcome says why
};

std::string name_of(const ResourceClaim& claim) { return claim.meta.ns + "/" + claim.meta.name; }

bool tolerates(const DeviceToleration& toleration, const DeviceTaint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  return toleration.op == "Exists";
}

bool kept_away(const Device& device, const DeviceRequest& request) {
  return std::any_of(device.taints.begin(), device.taints.end(), [&](const DeviceTaint& taint) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") return false;
    return std::none_of(request.tolerations.begin(), request.tolerations.end(),
                        [&](const DeviceToleration& toleration) { return tolerates(toleration, taint); });
  });
}

void add_new(const std::vector<Requirement>& from, std::vector<Requirement>& to) {
  for (const auto& requirement : from) {
    auto values = requirement.values;
    std::sort(values.begin(), values.end());
    const bool known = std::any_of(to.begin(), to.end(), [&](const Requirement& other) {
      auto others = other.values;
      std::sort(others.begin(), others.end());
      return other.key == requirement.key && other.op == requirement.op && others == values;
    });
    if (!known) to.push_back(requirement);
  }
}

class Search {
 public:
  Search(const DeviceCatalog& catalog, SelectorAnswers& selectors, const NodeRecord& node, const std::vector<DevicePool>& pools,
         DeviceFeatures features, std::uint64_t max_steps)
      : catalog_(catalog),
        selectors_(selectors),
        node_(node),
        pools_(pools),
        core_(features == DeviceFeatures::kCore),
        steps_left_(max_steps) {}

  AllocationOutcome run(const std::vector<const ResourceClaim*>& claims) {
    for (const auto* claim : claims)
      if (!prepare(*claim)) return std::move(outcome_);
    std::size_t depth = 0;
    for (const auto& work : work_) depth += 2 + work.requests.size() * 2 + kMaxDevicesPerClaim;
    if (depth > kMaxDepth) {
      wrong("the pod has more claims than can be searched for");
      return std::move(outcome_);
    }
    switch (go({}, false, {})) {
      case Progress::kDone: finish(); break;
      case Progress::kFailed: break;
      case Progress::kTooMany: wrong("allocation max size exceeded"); break;
      case Progress::kDeadEnd:
        const bool bad = std::any_of(pools_.begin(), pools_.end(), [](const DevicePool& pool) { return pool.invalid; });
        outcome_.kind = bad ? AllocationOutcome::Kind::kBadPools : AllocationOutcome::Kind::kNone;
    }
    return std::move(outcome_);
  }

 private:
  bool wrong(std::string text) {
    outcome_.kind = AllocationOutcome::Kind::kError;
    outcome_.error = std::move(text);
    return false;
  }

  const SliceEntry& slice(const Place& place) const { return *pools_[place.pool].here[place.slice]; }
  const Device& device(const Place& place) const { return slice(place).slice.devices[place.device]; }
  DeviceId id(const Place& place) const { return slice(place).ids[place.device]; }

  // ---- before the search
  bool prepare(const ResourceClaim& claim) {
    auto& work = work_.emplace_back();
    work.claim = &claim;
    std::size_t least = 0;
    for (const auto& request : claim.requests) {
      auto& wishes = work.requests.emplace_back();
      if (core_ && request.has_alternatives)
        return wrong("claim " + name_of(claim) + ", request " + request.name + ": alternatives are not supported");
      if (request.alternatives.empty()) {
        wishes.push_back(Wish{&request, nullptr, nullptr, 0, {}});
      } else {
        for (const auto& alternative : request.alternatives) wishes.push_back(Wish{&alternative, &request, nullptr, 0, {}});
      }
      auto fewest = std::numeric_limits<std::size_t>::max();
      for (auto& wish : wishes) {
        if (!prepare(claim, wish)) return false;
        fewest = std::min(fewest, wish.count);
      }
      least += std::min(fewest, std::numeric_limits<std::size_t>::max() - least);
    }
    if (least > kMaxDevicesPerClaim)
      return wrong("claim " + name_of(claim) + ": number of requested devices " + std::to_string(least) +
                   " exceeds the claim limit of " + std::to_string(kMaxDevicesPerClaim));
    for (std::size_t i = 0; i < claim.constraints.size(); ++i) {
      const auto& constraint = claim.constraints[i];
      if (!constraint.match_attribute && !constraint.distinct_attribute)
        return wrong("claim " + name_of(claim) + ", constraint #" + std::to_string(i) +
                     ": empty constraint (unsupported constraint type?)");
      work.constraints.emplace_back(constraint);
    }
    return true;
  }

  bool prepare(const ResourceClaim& claim, Wish& wish) {
    const auto& request = *wish.request;
    const auto where = "claim " + name_of(claim) + ", request " + request.name;
    for (std::size_t i = 0; i < request.selectors.size(); ++i)
      if (request.selectors[i].empty())
        return wrong(where + ", selector #" + std::to_string(i) + ": CEL expression empty (unsupported selector type?)");
    if (core_ && request.admin_access) return wrong(where + ": administrative access is not supported");
    if (request.device_class.empty()) return wrong(where + ": missing device class name (unsupported request type?)");
    wish.device_class = catalog_.device_class(request.device_class);
    if (wish.device_class == nullptr)
      return wrong(where + ": could not retrieve device class " + request.device_class + ": deviceclass.resource.k8s.io \"" +
                   request.device_class + "\" not found");
    switch (request.mode) {
      case AllocationMode::kExactCount:
        wish.count = static_cast<std::size_t>(std::max<std::int64_t>(request.count, 0));
        return true;
      case AllocationMode::kAll: return find_all(claim, wish, where);
      case AllocationMode::kUnknown: break;
    }
    return wrong(where + ": unsupported count mode " + request.mode_text);
  }

  bool find_all(const ResourceClaim& claim, Wish& wish, const std::string& where) {
    for (std::size_t p = 0; p < pools_.size(); ++p) {
      const auto& pool = pools_[p];
      const auto refuse = [&](const char* state) {
        return wrong(where + ": asks for all devices, but resource pool " + pool.driver + "/" + pool.name + " is currently " +
                     state);
      };
      if (pool.incomplete) return refuse("being updated");
      if (pool.invalid) return refuse("invalid");
      for (std::size_t s = 0; s < pool.here.size(); ++s)
        for (std::size_t d = 0; d < pool.here[s]->slice.devices.size(); ++d) {
          const Place place{p, s, d};
          const auto chosen = selectable(claim, wish, place);
          if (!chosen) return wrong(chosen.error().message);
          if (*chosen && has_capacity(wish, place)) wish.all.push_back(place);
        }
    }
    wish.count = wish.all.size();
    return true;
  }

  // Whether class and request choose the device, and the node can reach it.
  Result<bool> selectable(const ResourceClaim& claim, const Wish& wish, const Place& place) {
    const auto& entry = slice(place);
    if (core_ && device(place).has_binding_conditions) return false;
    auto chosen = selectors_.choose(wish.device_class->selectors, entry, place.device);
    if (!chosen) return fail("class " + wish.device_class->meta.name + ": " + chosen.error().message);
    if (!*chosen) return false;
    chosen = selectors_.choose(wish.request->selectors, entry, place.device);
    if (!chosen) return fail("claim " + name_of(claim) + ": " + chosen.error().message);
    return *chosen && (!entry.slice.reach_per_device || reaches(device(place).reach, node_));
  }

  // ---- the search
  bool may_go_on() {
    if (steps_left_ != 0) return --steps_left_, true;
    outcome_.kind = AllocationOutcome::Kind::kTooLong;
    return false;
  }

  Progress go(const Step& step, bool in_alternative, const Place& start) {
    if (!may_go_on()) return Progress::kFailed;
    if (step.claim >= work_.size()) return Progress::kDone;
    auto& work = work_[step.claim];
    if (step.request >= work.requests.size()) {
      const auto result = go({step.claim + 1, 0, 0, 0}, false, {});
      // Another alternative of this claim may leave devices with which a later one needs fewer.
      return result == Progress::kTooMany ? Progress::kDeadEnd : result;
    }
    const auto& wishes = work.requests[step.request];
    if (!in_alternative && wishes.front().parent != nullptr) return try_alternatives(step, wishes.size());
    const auto& wish = wishes[step.alternative];
    const bool wants_all = wish.request->mode == AllocationMode::kAll;
    if (wants_all && wish.all.empty()) return Progress::kDeadEnd;
    if (step.device >= wish.count) return go({step.claim, step.request + 1, 0, 0}, false, {});
    if (work.chosen + wish.count - step.device > kMaxDevicesPerClaim) return Progress::kTooMany;
    return wants_all ? take_all(step, wish, in_alternative) : take_any(step, wish, in_alternative, start);
  }

  Progress try_alternatives(Step step, std::size_t count) {
    bool always_too_many = true;
    for (step.alternative = 0; step.alternative < count; ++step.alternative) {
      const auto result = go(step, true, {});
      if (result == Progress::kTooMany) continue;
      always_too_many = false;
      if (result != Progress::kDeadEnd) return result;
    }
    return always_too_many ? Progress::kTooMany : Progress::kDeadEnd;
  }

  static Step next(Step step) {
    ++step.device;
    return step;
  }

  Progress take_all(const Step& step, const Wish& wish, bool in_alternative) {
    const auto& place = wish.all[step.device];
    switch (take(step, wish, place, true)) {
      case Taken::kYes: break;
      case Taken::kNo: return Progress::kDeadEnd;
      case Taken::kFailed: return Progress::kFailed;
    }
    const auto result = go(next(step), in_alternative, {});
    if (result != Progress::kDone) give_back(step.claim);
    return result;
  }

  // Devices of one request are taken in the order of places, so that no set of devices is tried twice.
  Progress take_any(const Step& step, const Wish& wish, bool in_alternative, const Place& start) {
    for (auto place = start; place.pool < pools_.size(); ++place.pool, place.slice = 0, place.device = 0) {
      const auto& pool = pools_[place.pool];
      if (pool.incomplete || pool.invalid) continue;
      for (; place.slice < pool.here.size(); ++place.slice, place.device = 0)
        for (; place.device < pool.here[place.slice]->slice.devices.size(); ++place.device) {
          const auto result = try_place(step, wish, in_alternative, place);
          if (result != Progress::kDeadEnd) return result;
        }
    }
    return Progress::kDeadEnd;
  }

  Progress try_place(const Step& step, const Wish& wish, bool in_alternative, const Place& place) {
    if (!may_go_on()) return Progress::kFailed;
    const bool busy = wish.request->admin_access ? chosen_for(id(place), step.claim) : in_use(id(place));
    if (busy) return Progress::kDeadEnd;
    const auto chosen = selectable(*work_[step.claim].claim, wish, place);
    if (!chosen) {
      wrong(chosen.error().message);
      return Progress::kFailed;
    }
    if (!*chosen || !has_capacity(wish, place) || take(step, wish, place, false) != Taken::kYes) return Progress::kDeadEnd;
    auto after = place;
    ++after.device;
    const auto result = go(next(step), in_alternative, after);
    if (result != Progress::kDone) give_back(step.claim);
    return result;
  }

  // ---- one device
  enum class Taken : std::uint8_t { kYes, kNo, kFailed };

  Taken take(const Step& step, const Wish& wish, const Place& place, bool must) {
    const auto& found = device(place);
    const auto which = id(place);
    const auto& request = *wish.request;
    const bool shares = found.shareable && !core_;
    auto& work = work_[step.claim];
    if (request.admin_access ? !found.shareable && chosen_for(which, step.claim) : in_use(which)) return Taken::kNo;
    if (core_ && !found.consumes.empty()) return Taken::kNo;
    const bool counted_already = shares && (catalog_.consumed(which) != nullptr || shared_by_search(which));
    if (!counted_already && !found.consumes.empty() && !take_counters(place)) return Taken::kNo;
    if (!core_ && kept_away(found, request)) return Taken::kNo;

    const auto name = request_name(wish);
    const auto& driver = pools_[place.pool].driver;
    for (std::size_t i = 0; i < work.constraints.size(); ++i) {
      if (work.constraints[i].add(name, driver, found)) continue;
      if (must) {
        wrong("claim " + name_of(*work.claim) + ", request " + request.name + ": cannot add device " + device_name(place) +
              " because a claim constraint would not be satisfied");
        return Taken::kFailed;
      }
      for (std::size_t e = 0; e < i; ++e) work.constraints[e].remove(name);
      return Taken::kNo;
    }
    if (!has_capacity(wish, place)) return Taken::kNo;
    Chosen chosen{step.claim, &wish, place, which, shares, {}};
    if (shares) chosen.consumed = capacity_taken(request.capacity, found).value_or(Counters());
    chosen_.push_back(std::move(chosen));
    ++work.chosen;
    return Taken::kYes;
  }

  void give_back(std::size_t claim) {
    const auto last = std::move(chosen_.back());
    chosen_.pop_back();
    auto& work = work_[claim];
    --work.chosen;
    for (auto& constraint : work.constraints) constraint.remove(request_name(*last.wish));
    if (!last.shared && !device(last.place).consumes.empty()) return_counters(last.place);
  }

  static RequestName request_name(const Wish& wish) {
    if (wish.parent == nullptr) return {wish.request->name, {}};
    return {wish.parent->name, wish.request->name};
  }
  std::string device_name(const Place& place) const {
    const auto& pool = pools_[place.pool];
    return pool.driver + "/" + pool.name + "/" + device(place).name;
  }

  bool chosen_for(DeviceId device, std::size_t claim) const {
    return std::any_of(chosen_.begin(), chosen_.end(),
                       [&](const Chosen& c) { return c.id == device && c.claim == claim && !c.shared; });
  }
  bool in_use(DeviceId device) const {
    return catalog_.taken(device) ||
           std::any_of(chosen_.begin(), chosen_.end(), [&](const Chosen& c) { return c.id == device && !c.shared; });
  }
  bool shared_by_search(DeviceId device) const {
    return std::any_of(chosen_.begin(), chosen_.end(), [&](const Chosen& c) { return c.id == device && c.shared; });
  }

  bool has_capacity(const Wish& wish, const Place& place) const {
    if (core_) return true;
    const auto& found = device(place);
    if (found.capacity.empty()) return wish.request->capacity.empty();
    const auto wanted = capacity_taken(wish.request->capacity, found);
    if (!wanted) return false;
    Counters planned;
    for (const auto& chosen : chosen_)
      if (chosen.id == id(place) && chosen.shared)
        for (const auto& [name, amount] : chosen.consumed) planned[name] = planned[name] + amount;
    return capacity_left(found, *wanted, catalog_.consumed(id(place)), planned);
  }

  // ---- counters that devices of a pool share
  using CounterTable = std::map<std::string, Counters>;

  const CounterTable& available_counters(const DevicePool& pool) {
    auto& known = available_[&pool];
    if (known) return *known;
    known.emplace();
    for (const auto& [name, set] : pool.counters) (*known)[name] = set->counters;
    for (const auto* list : {&pool.here, &pool.elsewhere})
      for (const auto* entry : *list)
        for (std::size_t d = 0; d < entry->ids.size(); ++d) {
          if (!catalog_.taken(entry->ids[d])) continue;
          for (const auto& consumption : entry->slice.devices[d].consumes)
            for (const auto& [counter, amount] : consumption.counters) {
              auto& left = (*known)[consumption.name][counter];
              left = left - amount;
            }
        }
    return *known;
  }

  bool take_counters(const Place& place) {
    const auto& pool = pools_[place.pool];
    const auto& available = available_counters(pool);
    auto& used = used_counters_[&pool];
    for (const auto& consumption : device(place).consumes)
      for (const auto& [counter, amount] : consumption.counters) {
        auto& total = used[consumption.name][counter];
        total = total + amount;
      }
    for (const auto& [set, counters] : available)
      for (const auto& [counter, left] : counters)
        if (left < used[set][counter]) {
          return_counters(place);
          return false;
        }
    return true;
  }

  void return_counters(const Place& place) {
    auto& used = used_counters_[&pools_[place.pool]];
    for (const auto& consumption : device(place).consumes)
      for (const auto& [counter, amount] : consumption.counters) {
        auto& total = used[consumption.name][counter];
        total = total - amount;
      }
  }

  // ---- the result
  void finish() {
    outcome_.kind = AllocationOutcome::Kind::kFound;
    outcome_.allocations.resize(work_.size());
    for (const auto& chosen : chosen_) {
      const auto name = request_name(*chosen.wish);
      AllocatedDevice result;
      result.request = std::string(name.request);
      if (!name.alternative.empty()) result.request.append("/").append(name.alternative);
      result.driver = pools_[chosen.place.pool].driver;
      result.pool = pools_[chosen.place.pool].name;
      result.device = device(chosen.place).name;
      result.admin_access = chosen.wish->request->admin_access;
      result.shared = chosen.shared;
      result.consumed = chosen.consumed;
      outcome_.allocations[chosen.claim].devices.push_back(std::move(result));
    }
    for (std::size_t c = 0; c < work_.size(); ++c) outcome_.allocations[c].nodes = nodes_for(c);
  }

  // The nodes on which all devices of a claim can be reached; none: all nodes.
  std::optional<NodeSelector> nodes_for(std::size_t claim) const {
    NodeSelectorTerm term;
    for (const auto& chosen : chosen_) {
      if (chosen.claim != claim) continue;
      const auto& entry = slice(chosen.place).slice;
      const auto& reach = entry.reach_per_device ? device(chosen.place).reach : entry.reach;
      if (!reach.node.empty() || device(chosen.place).binds_to_node) {
        NodeSelectorTerm here;
        here.fields.push_back({"metadata.name", SelectorOp::kIn, {node_.name}});
        return NodeSelector{{std::move(here)}};
      }
      if (!reach.selector || reach.selector->terms.empty()) continue;
      add_new(reach.selector->terms.front().fields, term.fields);
      add_new(reach.selector->terms.front().expressions, term.expressions);
    }
    if (term.fields.empty() && term.expressions.empty()) return std::nullopt;
    return NodeSelector{{std::move(term)}};
  }

  const DeviceCatalog& catalog_;
  SelectorAnswers& selectors_;
  const NodeRecord& node_;
  const std::vector<DevicePool>& pools_;
  bool core_;  // what is beyond the core of the API is off
  std::uint64_t steps_left_;
  std::vector<ClaimWork> work_;
  std::vector<Chosen> chosen_;
  std::map<const DevicePool*, std::optional<CounterTable>> available_;
  std::map<const DevicePool*, CounterTable> used_counters_;
  AllocationOutcome outcome_;
};

}  // namespace

AllocationOutcome allocate_devices(const DeviceCatalog& catalog, SelectorAnswers& selectors, const NodeRecord& node,
                                   const std::vector<DevicePool>& pools, const std::vector<const ResourceClaim*>& claims,
                                   DeviceFeatures features, std::uint64_t max_steps) {
  selectors.refresh();
  return Search(catalog, selectors, node, pools, features, max_steps).run(claims);
}

}  // namespace muster
