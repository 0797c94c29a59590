// What our own decisions never exceed: what queues may have, what budgets allow, what a card has.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

#include "property/random_devices.h"
#include "property/scenario_run.h"

namespace muster {
namespace {

void check_after_every_cycle(const Scenario& scenario, const std::function<void(volcano::Session&)>& law) {
  RC_LOG() << description(scenario);
  run_scenario(scenario, {.behaviour = volcano::Behaviour::safe()}, law);
}

Amounts held_by(volcano::Session& session, QueueId queue) {
  Amounts held;
  for (const auto id : IdRange<GroupId>(session.cluster().job_count()))
    if (session.cluster().job(id).queue == queue) held += session.books().group(id).held;
  return held;
}

// A queue that has more than it may, because it was cut, gets nothing until it has less.
RC_GTEST_PROP(Limits, NoBindTakesAQueueBeyondItsCapability, ()) {
  const auto scenario = random_scenario({.evictions = chance(2) ? Evictions::kAlways : Evictions::kPerhaps});
  const auto has = [&](const char* plugin) { return scenario.config.empty() || scenario.config.find(plugin) != std::string::npos; };
  if (!has("proportion") && !has("capacity")) return;
  check_after_every_cycle(scenario, [](volcano::Session& session) {
    const auto& books = session.books();
    for (const auto& bind : session.outbox()) {
      if (bind.kind != Decision::Kind::kBind) continue;
      const auto& queue = session.cluster().queue(session.cluster().job_of(bind.pod).queue);
      const auto held = held_by(session, session.cluster().job_of(bind.pod).queue);
      for (const auto& [resource, amount] : books.shape_of(bind.pod).request) {
        const auto limit = queue.capability.get(resource);  // the scenarios limit cpu alone
        if (amount == 0 || limit == 0) continue;
        RC_LOG() << queue.name << " holds " << held.get(resource) << " of " << limit;
        RC_ASSERT(static_cast<double>(held.get(resource)) <= limit);
      }
    }
  });
}

bool is_for(const volcano::Session& session, const PodDisruptionBudget& budget, PodId pod) {
  const auto& labels = session.books().label_set(session.books().pod(pod).labels);
  return session.books().symbols().text(labels.ns) == budget.meta.ns && budget.selector && budget.selector->matches(labels.labels);
}

RC_GTEST_PROP(Limits, NoCycleEvictsMoreThanABudgetAllows, ()) {
  const auto scenario = random_scenario({.evictions = Evictions::kAlways});
  if (scenario.config.find("pdb") == std::string::npos) return;
  check_after_every_cycle(scenario, [](volcano::Session& session) {
    for (const auto& [ns, budgets] : session.cluster().budgets())
      for (const auto& [name, budget] : budgets) {
        std::int64_t evicted = 0;
        for (const auto& decision : session.outbox())
          evicted += decision.kind == Decision::Kind::kEvict && is_for(session, budget, decision.pod);
        RC_LOG() << name << " allows " << budget.disruptions_allowed << ", evicted " << evicted;
        RC_ASSERT(evicted <= std::max<std::int64_t>(budget.disruptions_allowed, 0));
      }
  });
}

// -------------------------------------------------------------------------------------------------------- devices

// What the binds of all cycles took of each card. Pods that have gone give it back.
class CardUse {
 public:
  void add(const volcano::Session& session) {
    for (const auto& bind : session.outbox())
      if (bind.kind == Decision::Kind::kBind && bind.annotations) taken_[bind.pod] = {bind.node, *bind.annotations};
    std::erase_if(taken_, [&](const auto& entry) { return session.books().removed(entry.first); });
  }
  template <class F>
  void for_each(F f) const {
    for (const auto& [pod, taken] : taken_) f(pod, taken.first, taken.second);
  }

 private:
  std::map<PodId, std::pair<NodeId, StringMap>> taken_;
};

std::vector<std::string> split(std::string_view text, char by) {
  std::vector<std::string> parts(1);
  for (const auto c : text) c == by ? parts.emplace_back() : parts.back() += c, void();
  return parts;
}

struct Use {
  std::int64_t memory = 0;
  std::int64_t cores = 0;
  std::int64_t sharers = 0;
};

// "<card>,<type>,<memory>,<cores>" of each device that a pod got.
void add_virtual_cards(std::string_view ids, std::map<std::string, Use>& use) {
  for (const auto& container : split(ids, ';'))
    for (const auto& device : split(container, ':')) {
      const auto parts = split(device, ',');
      if (parts.size() < 4) continue;
      auto& card = use[parts[0]];
      card.memory += std::stoll(parts[2]);
      card.cores += std::stoll(parts[3]);
      ++card.sharers;
    }
}

RC_GTEST_PROP(Limits, NoVirtualCardIsGivenOutBeyondWhatItHas, ()) {
  const auto scenario = random_devices(DeviceKind::kVgpu);
  std::map<std::string, Use> limits;
  for (const auto& object : scenario.objects)
    if (const auto* node = std::get_if<Node>(&object))
      for (const auto& card : split(node->meta.annotations.get("volcano.sh/node-vgpu-register"), ':'))
        if (const auto parts = split(card, ','); parts.size() > 3)
          limits[parts[0]] = {std::stoll(parts[2]), 100, std::stoll(parts[1])};
  CardUse taken;
  check_after_every_cycle(scenario, [&](volcano::Session& session) {
    taken.add(session);
    std::map<std::string, Use> use;
    taken.for_each([&](PodId, NodeId, const StringMap& notes) { add_virtual_cards(notes.get("volcano.sh/vgpu-ids-new"), use); });
    for (const auto& [card, used] : use) {
      RC_LOG() << fmt::format("{}: memory {}, cores {}, sharers {}\n", card, used.memory, used.cores, used.sharers);
      RC_ASSERT(limits.contains(card) && used.memory <= limits[card].memory && used.cores <= limits[card].cores &&
                used.sharers <= limits[card].sharers);
    }
  });
}

RC_GTEST_PROP(Limits, NoSharedCardIsGivenOutBeyondWhatItHas, ()) {
  const auto scenario = random_devices(DeviceKind::kGpuShare);
  std::map<std::string, std::int64_t> memory_of;
  for (const auto& object : scenario.objects)
    if (const auto* node = std::get_if<Node>(&object); node != nullptr && node->allocatable.contains("volcano.sh/gpu-number"))
      memory_of[node->meta.name] =
          node->allocatable.at("volcano.sh/gpu-memory").units() / node->allocatable.at("volcano.sh/gpu-number").units();
  std::map<std::string, std::int64_t> asks;
  const auto read = [&](const Object& object) {
    if (const auto* pod = std::get_if<Pod>(&object);
        pod != nullptr && pod->spec.containers.front().limits.contains("volcano.sh/gpu-memory"))
      asks[pod->meta.name] = pod->spec.containers.front().limits.at("volcano.sh/gpu-memory").units();
  };
  for (const auto& object : scenario.objects) read(object);
  for (const auto& changes : scenario.between)
    for (const auto& change : changes)
      if (const auto* object = std::get_if<Object>(&change)) read(*object);
  CardUse taken;
  check_after_every_cycle(scenario, [&](volcano::Session& session) {
    taken.add(session);
    std::map<std::pair<std::string, std::string>, std::int64_t> use;
    taken.for_each([&](PodId pod, NodeId node, const StringMap& notes) {
      use[{session.books().node(node).name, std::string(notes.get("volcano.sh/gpu-index"))}] += asks[session.books().pod(pod).name];
    });
    for (const auto& [card, used] : use) {
      RC_LOG() << fmt::format("{} card {}: {} of {}\n", card.first, card.second, used, memory_of[card.first]);
      RC_ASSERT(used <= memory_of[card.first]);
    }
  });
}

}  // namespace
}  // namespace muster
