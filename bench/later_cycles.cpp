// Measures the cycles after the first: a large cluster is loaded from a case file, scheduled once, and then changed a little before
// every further cycle, as clusters do. Prints one JSON object.
//
//   later_cycles CASE.jsonl [ROUNDS] [CHANGES]
//
// In each round half of CHANGES running pods finish and disappear, and as many new ones arrive in gangs of ten. What was bound
// before starts to run in between.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "app/between_cycles.h"
#include "app/stopwatch.h"
#include "app/volcano_setup.h"
#include "codec/case_reader.h"
#include "policy/volcano/scheduler.h"

namespace muster {
namespace {

constexpr int kGang = 10;

// Keeps the decisions of the last cycle.
class Keep final : public volcano::CycleObserver {
 public:
  void closed(volcano::Session& session) override { outbox = session.outbox(); }
  Outbox outbox;
};

std::unique_ptr<volcano::Scheduler> load(const std::string& path, Timestamp& now) {
  const auto input = Input::read(path);
  if (!input) return nullptr;
  CaseReader reader(*input);
  const auto line = reader.next();
  if (!line) return nullptr;
  auto cluster = std::make_unique<volcano::Cluster>();
  const auto scenario = reader.read(*line, [&](Object&& object, const Location&) -> Result<void> {
    cluster->apply(object);
    return {};
  });
  if (!scenario) return nullptr;
  cluster->settle();
  now = scenario->now;
  auto config = read_volcano_config(scenario->config, "config", Strictness::kExact);
  if (!config) return nullptr;
  return std::make_unique<volcano::Scheduler>(std::move(cluster), std::move(config->config), volcano::Behaviour::exact(),
                                              SearchKind::kIndex);
}

void finish_pods(volcano::Cluster& cluster, std::size_t& next, int count) {
  for (; count > 0 && next < cluster.books().pod_count(); ++next) {
    const PodId pod(next);
    if (cluster.books().removed(pod) || cluster.books().pod(pod).state != PodState::kRunning) continue;
    cluster.remove_pod(pod);
    --count;
  }
}

void add_gangs(volcano::Cluster& cluster, int round, int pods, const std::string& queue) {
  for (int gang = 0; gang * kGang < pods; ++gang) {
    PodGroup group;
    group.meta.ns = "work";
    group.meta.name = "later-" + std::to_string(round) + "-" + std::to_string(gang);
    group.meta.created.seconds = 1'767'225'600 + round;
    group.min_member = kGang;
    group.queue = queue;
    group.phase = "Pending";
    cluster.apply(group);
    for (int i = 0; i < kGang; ++i) {
      Pod pod;
      pod.meta.ns = "work";
      pod.meta.name = group.meta.name + "-" + std::to_string(i);
      pod.meta.uid = pod.meta.name;
      pod.meta.created = group.meta.created;
      pod.meta.annotations.set("scheduling.k8s.io/group-name", group.meta.name);
      pod.spec.scheduler_name = "volcano";
      pod.spec.containers.push_back({});
      pod.spec.containers.back().requests = {{"cpu", Quantity::from_units(1)}, {"memory", Quantity::from_units(1 << 30)}};
      pod.status.phase = "Pending";
      cluster.apply(pod);
    }
  }
}

int run(const std::string& path, int rounds, int changes) {
  Timestamp now;
  const auto scheduler = load(path, now);
  if (scheduler == nullptr) {
    std::fprintf(stderr, "later_cycles: cannot read a case from %s\n", path.c_str());
    return 1;
  }
  auto& cluster = scheduler->cluster();
  std::string queue = "default";
  if (cluster.job_count() > 0) queue = cluster.job(GroupId(0)).queue_name;
  BetweenCycles life(Between::kBoundPodsRun);
  Keep keep;
  Stopwatch watch;
  scheduler->run_cycle(now, keep);
  const auto first = watch.lap();
  std::vector<std::int64_t> later;
  std::size_t next = 0;
  std::size_t bound = keep.outbox.size();
  for (int round = 0; round < rounds; ++round) {
    life.play(cluster, keep.outbox);
    finish_pods(cluster, next, changes / 2);
    add_gangs(cluster, round, changes / 2, queue);
    watch.lap();
    scheduler->run_cycle(now, keep);
    later.push_back(watch.lap());
    bound += keep.outbox.size();
  }
  std::sort(later.begin(), later.end());
  std::printf("{\"first_us\":%lld,\"median_us\":%lld,\"worst_us\":%lld,\"bound\":%zu}\n", static_cast<long long>(first),
              static_cast<long long>(later[later.size() / 2]), static_cast<long long>(later.back()), bound);
  return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: later_cycles CASE.jsonl [ROUNDS] [CHANGES]\n");
    return 2;
  }
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
  const int changes = argc > 3 ? std::atoi(argv[3]) : 100;
  return muster::run(argv[1], std::max(rounds, 1), std::max(changes, 0));
}
