#include "policy/kai/plugins/sg_nodelocalgreedy.h"

#include <algorithm>
#include <set>

#include "policy/kai/actions/victim_accumulator.h"

namespace muster::kai {
namespace {

class Generator final : public ScenarioGenerator {
 public:
  Generator(Session& session, const SearchTask& search) : session_(session), victims_(session, search) {
    scenario_ = {search.preemptor, search.pending, *search.recorded, {}};
  }

  const Scenario* next() override {
    if (!started_) {
      started_ = true;
      if (victims_.is_conceivable() && !scenario_.recorded.empty()) return &scenario_;
    }
    for (;;) {
      while (!nodes_.empty()) {
        const auto node = nodes_.back();
        nodes_.pop_back();
        if (choose(node)) return &scenario_;
      }
      if (!victims_.advance()) return nullptr;
      nodes_ = nodes_of(victims_.potential().back().job);
    }
  }

 private:
  // By name, the first at the end.
  std::vector<NodeId> nodes_of(GroupId id) const {
    const auto& cluster = session_.cluster();
    std::vector<NodeId> nodes;
    cluster.job(id).for_each_pod([&](PodId pod) {
      if (const auto node = cluster.task(pod).node; cluster.known(node)) nodes.push_back(node);
    });
    std::sort(nodes.begin(), nodes.end(), [&](NodeId l, NodeId r) { return cluster.name_rank(l) > cluster.name_rank(r); });
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  // All that was collected of the jobs that have somebody to leave on the node.
  bool choose(NodeId node) {
    std::set<GroupId> jobs;
    for (const auto& batch : victims_.potential())
      for (const auto pod : batch.tasks)
        if (session_.cluster().task(pod).node == node) jobs.insert(batch.job);
    scenario_.potential.clear();
    for (const auto& batch : victims_.potential())
      if (jobs.contains(batch.job)) scenario_.potential.push_back(batch);
    return !scenario_.potential.empty() || !scenario_.recorded.empty();
  }

  Session& session_;
  VictimAccumulator victims_;
  Scenario scenario_;
  std::vector<NodeId> nodes_;  // still to be tried for what is collected
  bool started_ = false;
};

}  // namespace

std::unique_ptr<ScenarioGenerator> NodeLocalGreedy::make_generator(const SearchTask& search) {
  return std::make_unique<Generator>(session(), search);
}

}  // namespace muster::kai
