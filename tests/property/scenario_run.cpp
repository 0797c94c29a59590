#include "property/scenario_run.h"

#include <fmt/format.h>

#include "app/between_cycles.h"
#include "app/outcome_json.h"
#include "app/volcano_setup.h"
#include "base/assert.h"

namespace muster {
namespace {

constexpr Timestamp kNow{1'800'000'000, 0};

class Recorder final : public volcano::CycleObserver {
 public:
  Recorder(const RunOptions& options, const std::function<void(volcano::Session&)>& look) : options_(options), look_(look) {}

  void opened(volcano::Session& session) override {
    if (options_.opened) options_.opened(session);
  }
  void acted(volcano::Session& session, std::string_view action) override {
    if (action != session.config().actions.back()) return;
    reporter_.before_close(session);
    if (options_.acted) options_.acted(session);
  }
  void closed(volcano::Session& session) override {
    reporter_.after_close(session);
    outbox_ = session.outbox();
    if (look_) look_(session);
  }
  std::string outcome(std::size_t cycle) { return outcome_json("cycle " + std::to_string(cycle), {reporter_.take()}, nullptr); }
  const Outbox& outbox() const { return outbox_; }

 private:
  const RunOptions& options_;
  const std::function<void(volcano::Session&)>& look_;
  VolcanoReporter reporter_;
  Outbox outbox_;
};

// Plays what happened to the cluster since a cycle made these decisions.
struct Player {
  volcano::Cluster& cluster;
  const Outbox& decisions;

  void operator()(const Object& object) { cluster.apply(object); }
  void operator()(const PodGoes& gone) {
    if (const auto pod = cluster.find_pod(gone.pod)) cluster.remove_pod(pod);
  }
  void operator()(const BoundPodsRun&) { BetweenCycles(Between::kBoundPodsRun).play(cluster, decisions); }
};

std::string line_of(const Pod& pod) {
  const auto& spec = pod.spec;
  std::string text = fmt::format("pod {}/{}", pod.meta.ns, pod.meta.name);
  for (const auto& [name, quantity] : spec.containers.front().requests) text += fmt::format(" {}={}", name, quantity.text());
  if (!spec.node_name.empty())
    text += fmt::format(" on {} {}{}", spec.node_name, pod.status.phase, pod.meta.deleted ? " leaving" : "");
  for (const auto& [key, value] : pod.meta.labels) text += fmt::format(" {}={}", key, value);
  for (const auto& [key, value] : pod.meta.annotations) text += fmt::format(" {}={}", key, value);
  for (const auto& [key, value] : spec.node_selector) text += fmt::format(" selects {}={}", key, value);
  if (spec.affinity.node_required) text += " node-required";
  if (!spec.affinity.node_preferred.empty()) text += " node-preferred";
  const auto terms = [&](std::string_view what, const auto& list, auto term_of) {
    for (const auto& item : list) {
      const PodAffinityTerm& term = term_of(item);
      text += fmt::format(" {} app={} by {}", what, term.selector->requirements.front().values.front(), term.topology_key);
    }
  };
  const auto plain = [](const PodAffinityTerm& term) -> const PodAffinityTerm& { return term; };
  const auto weighted = [](const WeightedPodAffinityTerm& term) -> const PodAffinityTerm& { return term.term; };
  terms("near", spec.affinity.pod_required, plain), terms("away-from", spec.affinity.anti_required, plain);
  terms("rather-near", spec.affinity.pod_preferred, weighted), terms("rather-away-from", spec.affinity.anti_preferred, weighted);
  for (const auto& spread : spec.spread)
    text += fmt::format(" spread app={} by {} {}", spread.selector->requirements.front().values.front(), spread.topology_key,
                        spread.max_skew);
  for (const auto& port : spec.containers.front().ports) text += fmt::format(" port {}", port.host_port);
  for (const auto& toleration : spec.tolerations) text += fmt::format(" tolerates {}={}", toleration.key, toleration.value);
  for (const auto& gate : spec.scheduling_gates) text += fmt::format(" gate {}", gate);
  if (spec.priority) text += fmt::format(" priority {}", *spec.priority);
  return text + (spec.containers.front().image.empty() ? "" : " image " + spec.containers.front().image);
}

std::string line_of(const Node& node) {
  std::string text = "node " + node.meta.name;
  for (const auto& [name, quantity] : node.allocatable) text += fmt::format(" {}={}", name, quantity.text());
  for (const auto& [key, value] : node.meta.labels) text += fmt::format(" {}={}", key, value);
  for (const auto& taint : node.taints)
    text += fmt::format(" taint {}={}:{}", taint.key, taint.value, static_cast<int>(taint.effect));
  for (const auto& image : node.images) text += " image " + image.names.front();
  return text + (node.unschedulable ? " cordoned" : "");
}

std::string line_of(const PodGroup& group) {
  std::string text = fmt::format("group {} min {} queue {} {} {}", group.meta.name, group.min_member, group.queue, group.phase,
                                 group.priority_class);
  for (const auto& [role, minimum] : group.min_task_member) text += fmt::format(" {}>={}", role, minimum);
  if (group.topology)
    text += fmt::format(" {} within {}{}", group.topology->mode == TopologyMode::kSoft ? "soft" : "hard",
                        group.topology->highest_tier.value_or(0), group.topology->highest_tier_name);
  for (const auto& policy : group.sub_groups)
    text += fmt::format(" sub-groups of {}, {} needed, within {}", *policy.size, *policy.min_sub_groups,
                        policy.topology ? policy.topology->highest_tier.value_or(0) : 0);
  return text + (group.min_resources ? fmt::format(" needs cpu={}", group.min_resources->at("cpu").text()) : "");
}

std::string line_of(const Queue& queue) {
  std::string text = fmt::format("queue {} weight {} {}", queue.meta.name, queue.weight, queue.state);
  for (const auto& [name, quantity] : queue.capability) text += fmt::format(" at most {}={}", name, quantity.text());
  for (const auto& [name, quantity] : queue.guarantee) text += fmt::format(" at least {}={}", name, quantity.text());
  return text;
}

std::string line_of(const HyperNode& hyper) {
  std::string text = fmt::format("hyper node {} tier {}", hyper.meta.name, hyper.tier);
  for (const auto& member : hyper.members) text += " " + member.exact + member.pattern + (member.selector ? "zone=a" : "");
  return text;
}

std::string line_of(const PodDisruptionBudget& budget) {
  const auto& all = budget.selector->requirements;
  return fmt::format("budget {} allows {} of {}", budget.meta.name, budget.disruptions_allowed,
                     all.empty() ? "all" : "app=" + all.front().values.front());
}

std::string line_of(const auto& object) { return "other " + object.meta.name; }

std::string line_of(const Change& change) {
  if (const auto* object = std::get_if<Object>(&change)) return std::visit([](const auto& o) { return line_of(o); }, *object);
  if (const auto* gone = std::get_if<PodGoes>(&change)) return "gone " + gone->pod;
  return "bound pods run";
}

}  // namespace

std::vector<std::string> run_scenario(const Scenario& scenario, const RunOptions& options,
                                      const std::function<void(volcano::Session&)>& look) {
  auto config = read_volcano_config(scenario.config, "config", Strictness::kExact);
  MUSTER_ASSERT(config.has_value());
  auto cluster_options = scenario.options;
  volcano::remember_for(config->config, cluster_options);
  auto cluster = std::make_unique<volcano::Cluster>(std::move(cluster_options));
  for (const auto& object : scenario.objects) cluster->apply(object);
  cluster->settle();
  volcano::Scheduler scheduler(std::move(cluster), std::move(config->config), options.behaviour, options.search);

  std::vector<std::string> outcomes;
  for (std::size_t cycle = 0; cycle <= scenario.between.size(); ++cycle) {
    Recorder recorder(options, look);
    scheduler.run_cycle(kNow, recorder);
    outcomes.push_back(recorder.outcome(cycle));
    if (cycle < scenario.between.size())
      for (const auto& change : scenario.between[cycle]) std::visit(Player{scheduler.cluster(), recorder.outbox()}, change);
  }
  return outcomes;
}

std::string description(const Scenario& scenario) {
  std::string text = scenario.config + "\nshards: " + scenario.options.shard_mode + "\n";
  for (const auto& object : scenario.objects) text += std::visit([](const auto& o) { return line_of(o); }, object) + "\n";
  for (const auto& changes : scenario.between) {
    text += "--- next cycle\n";
    for (const auto& change : changes) text += line_of(change) + "\n";
  }
  return text;
}

}  // namespace muster
