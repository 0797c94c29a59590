#include "property/kai_scenario.h"

#include <fmt/format.h>

#include "property/random_scenario.h"
#include "support/kai_world.h"

namespace muster {
namespace {

using kai::KaiJobSpec;
using kai::KaiWorld;

constexpr int kMostGpus = 4;

struct Nodes {
  std::vector<int> free;  // GPUs of each node

  // A node that has so many to spare; empty: none.
  std::string take(int gpus) {
    const auto from = static_cast<std::size_t>(pick(static_cast<int>(free.size())));
    for (std::size_t i = 0; i < free.size(); ++i) {
      const auto at = (from + i) % free.size();
      if (free[at] < gpus) continue;
      free[at] -= gpus;
      return "n" + std::to_string(at);
    }
    return {};
  }
};

std::vector<std::string> add_queues(KaiWorld& world) {
  std::vector<std::string> leaves = {"q"};
  for (int department = 0, departments = pick(2) + 1; department < departments; ++department) {
    const auto parent = "d" + std::to_string(department);
    world.queue(parent, "", pick(6) - 1, pick(3));
    for (int leaf = 0, count = pick(2) + 1; leaf < count; ++leaf) {
      leaves.push_back(parent + "-" + std::to_string(leaf));
      world.queue(leaves.back(), parent, pick(5), pick(3));
    }
  }
  return leaves;
}

KaiJobSpec random_job(int index, const std::vector<std::string>& leaves, Nodes& nodes) {
  KaiJobSpec spec;
  spec.name = "job" + std::to_string(index);
  spec.queue = leaves[static_cast<std::size_t>(pick(static_cast<int>(leaves.size())))];
  spec.pods = pick(4) + 1;
  spec.minimum = pick(spec.pods + 1);
  spec.priority = one_of({"low", "high", "low", "fixed"});
  spec.created = 10 * index;
  if (pick(4) == 3)
    spec.fraction = one_of({"0.5", "0.3", "0.7"});
  else
    spec.gpus = pick(3);
  if (!spec.fraction.empty() || pick(3) == 0) return spec;
  const int running = pick(2) == 0 ? spec.pods : std::max(spec.minimum, 1);
  auto trial = nodes;
  for (int pod = 0; pod < running; ++pod) spec.nodes.push_back(trial.take(spec.gpus));
  if (std::count(spec.nodes.begin(), spec.nodes.end(), std::string()) > 0)
    spec.nodes.clear();
  else
    nodes = trial;
  return spec;
}

class Observer final : public kai::CycleObserver {
 public:
  explicit Observer(const KaiRunOptions& options) : options_(options) {}
  void opened(kai::Session& session) override {
    recorder.opened(session);
    if (options_.opened) options_.opened(session);
  }
  void acted(kai::Session& session, std::string_view action) override {
    recorder.acted(session, action);
    if (options_.acted && action == session.config().actions.back()) options_.acted(session);
  }
  void closed(kai::Session& session) override {
    recorder.closed(session);
    if (options_.closed) options_.closed(session);
  }

  KaiRecorder recorder;

 private:
  const KaiRunOptions& options_;
};

struct InWords {
  std::string operator()(const Node& node) const {
    return fmt::format("node {}: {} GPUs\n", node.meta.name, node.allocatable.at("nvidia.com/gpu").units());
  }
  std::string operator()(const KaiQueue& queue) const {
    return fmt::format("queue {} of {}: quota {} weight {}\n", queue.meta.name, queue.parent, queue.gpu.quota,
                       queue.gpu.over_quota_weight);
  }
  std::string operator()(const KaiPodGroup& group) const {
    return fmt::format("group {}: queue {}, minimum {}, {}\n", group.meta.name, group.queue, group.min_member.value_or(-1),
                       group.priority_class);
  }
  std::string operator()(const Pod& pod) const {
    const auto& requests = pod.spec.containers.front().requests;
    const auto gpus = requests.find("nvidia.com/gpu");
    return fmt::format("pod {}: {} GPUs, fraction {}, node {}\n", pod.meta.name, gpus == requests.end() ? 0 : gpus->second.units(),
                       pod.meta.annotations.get("gpu-fraction"), pod.spec.node_name);
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

}  // namespace

KaiScenario random_kai_scenario() {
  KaiWorld world;
  Nodes nodes;
  for (int i = 0, count = pick(4) + 1; i < count; ++i) {
    nodes.free.push_back(pick(kMostGpus) + 1);
    world.node("n" + std::to_string(i), nodes.free.back());
  }
  const auto leaves = add_queues(world);
  for (int i = 0, count = pick(8) + 1; i < count; ++i) world.job(random_job(i, leaves, nodes));
  KaiScenario scenario;
  scenario.objects = std::move(world.objects());
  return scenario;
}

std::vector<std::string> run_kai_scenario(const KaiScenario& scenario, const KaiRunOptions& options) {
  kai::ClusterOptions cluster_options;
  cluster_options.behaviour = options.behaviour;
  auto cluster = std::make_unique<kai::Cluster>(cluster_options);
  for (const auto& object : scenario.objects) cluster->apply(object);
  KaiBetweenCycles cluster_life(scenario.between, *cluster, {});
  kai::Scheduler scheduler(std::move(cluster), kai::default_config(), options.search);
  std::vector<std::string> outcomes;
  for (int cycle = 0; cycle < scenario.cycles; ++cycle) {
    Observer observer(options);
    scheduler.run_cycle(KaiWorld::kNow, observer);
    if (options.settled) options.settled(scheduler.cluster());
    cluster_life.play(scheduler.cluster(), observer.recorder, KaiWorld::kNow);
    outcomes.push_back(kai_outcome_json(std::nullopt, {observer.recorder.take()}, {}, nullptr));
  }
  return outcomes;
}

std::string description(const KaiScenario& scenario) {
  std::string text;
  for (const auto& object : scenario.objects) text += std::visit(InWords(), object);
  return text;
}

}  // namespace muster
