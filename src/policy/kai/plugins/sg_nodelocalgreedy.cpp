#include "policy/kai/plugins/sg_nodelocalgreedy.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "policy/kai/actions/victim_accumulator.h"

namespace muster::kai {
namespace {

class NodeLocalGreedyGenerator final : public ScenarioGenerator {
 public:
  NodeLocalGreedyGenerator(Session& session, const SearchTask& search) : session_(session), victims_(session, search) {
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
        if (!tried_alone_ && !session_.keeps(Quirk::kSurplusByAge)) {
          tried_alone_ = true;
          if (choose_alone(node)) return &scenario_;
        }
        tried_alone_ = false;
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
    take_in();
    std::vector<std::size_t> chosen;
    if (const auto jobs = jobs_on_.find(node); jobs != jobs_on_.end())
      for (const auto job : jobs->second) chosen.insert(chosen.end(), batches_of_[job].begin(), batches_of_[job].end());
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    scenario_.potential.clear();
    if (session_.keeps(Quirk::kCountedTwice))
      add_merged(chosen);
    else
      for (const auto at : chosen) scenario_.potential.push_back(victims_.potential()[at]);
    return !scenario_.potential.empty() || !scenario_.recorded.empty();
  }

  // Only those who leave the node itself, if there are others of their jobs: what a job can do without need not leave together.
  bool choose_alone(NodeId node) {
    take_in();
    const auto jobs = jobs_on_.find(node);
    if (jobs == jobs_on_.end()) return false;
    const auto& cluster = session_.cluster();
    const auto is_here = [&](PodId pod) { return cluster.task(pod).node == node; };
    std::vector<std::size_t> chosen;
    std::size_t all = 0;
    for (const auto job : jobs->second) {
      all += batches_of_[job].size();
      for (const auto at : batches_of_[job])
        if (const auto& tasks = victims_.potential()[at].tasks; std::any_of(tasks.begin(), tasks.end(), is_here))
          chosen.push_back(at);
    }
    if (chosen.size() == all) return false;
    std::sort(chosen.begin(), chosen.end());
    scenario_.potential.clear();
    for (const auto at : chosen) scenario_.potential.push_back(victims_.potential()[at]);
    return true;
  }

  // What was collected of a job is one batch, and those recorded of it are in it once more.
  void add_merged(const std::vector<std::size_t>& chosen) {
    for (const auto at : chosen) {
      const auto& batch = victims_.potential()[at];
      auto& potential = scenario_.potential;
      const auto is_same = [&](const VictimBatch& other) { return other.job == batch.job; };
      auto merged = std::find_if(potential.begin(), potential.end(), is_same);
      if (merged == potential.end()) {
        merged = potential.insert(merged, {batch.job, {}});
        for (const auto& known : scenario_.recorded)
          if (is_same(known)) merged->tasks.insert(merged->tasks.end(), known.tasks.begin(), known.tasks.end());
      }
      merged->tasks.insert(merged->tasks.end(), batch.tasks.begin(), batch.tasks.end());
    }
  }

  // Notes where those are that were collected since.
  void take_in() {
    const auto& potential = victims_.potential();
    for (; known_ < potential.size(); ++known_) {
      batches_of_[potential[known_].job].push_back(known_);
      for (const auto pod : potential[known_].tasks) {
        auto& jobs = jobs_on_[session_.cluster().task(pod).node];
        if (std::find(jobs.begin(), jobs.end(), potential[known_].job) == jobs.end()) jobs.push_back(potential[known_].job);
      }
    }
  }

  Session& session_;
  VictimAccumulator victims_;
  Scenario scenario_;
  std::vector<NodeId> nodes_;  // still to be tried for what is collected
  bool started_ = false;
  bool tried_alone_ = false;  // the node that comes next
  std::size_t known_ = 0;     // how many of those collected are in these
  boost::unordered_flat_map<NodeId, std::vector<GroupId>> jobs_on_;
  boost::unordered_flat_map<GroupId, std::vector<std::size_t>> batches_of_;
};

}  // namespace

std::unique_ptr<ScenarioGenerator> NodeLocalGreedy::make_generator(const SearchTask& search) {
  return std::make_unique<NodeLocalGreedyGenerator>(session(), search);
}

}  // namespace muster::kai
