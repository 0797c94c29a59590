#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "app/stopwatch.h"
#include "codec/case_reader.h"
#include "engine/outbox.h"

// Measures the cycles after the first: a large cluster is loaded from a case file, scheduled once, and then changed a little before
// every further cycle, as clusters do. Prints one JSON object.
//
//   PROGRAM CASE.jsonl [ROUNDS] [CHANGES]
//
// In each round half of CHANGES running pods finish and disappear, and as many new ones arrive in gangs of ten. What was bound
// before starts to run in between. A Dialect has the types Cluster, Scheduler, Session, Observer and Group, and says in static
// functions what differs: see later_cycles.cpp.
namespace muster::bench {

// Keeps the decisions of the last cycle.
template <class Dialect>
class Keep final : public Dialect::Observer {
 public:
  void closed(typename Dialect::Session& session) override { outbox = session.outbox(); }
  Outbox outbox;
};

template <class Dialect>
std::unique_ptr<typename Dialect::Scheduler> load(const std::string& path, Timestamp& now) {
  const auto input = Input::read(path);
  if (!input) return nullptr;
  CaseReader reader(*input);
  const auto line = reader.next();
  if (!line) return nullptr;
  auto cluster = std::make_unique<typename Dialect::Cluster>();
  const auto scenario = reader.read(*line, [&](Object&& object, const Location&) -> Result<void> {
    cluster->apply(object);
    return {};
  });
  if (!scenario) return nullptr;
  now = scenario->now;
  return Dialect::scheduler(std::move(cluster), scenario->config);
}

template <class Dialect>
void finish_pods(typename Dialect::Cluster& cluster, std::size_t& next, int count) {
  for (; count > 0 && next < cluster.books().pod_count(); ++next) {
    const PodId pod(next);
    if (cluster.books().removed(pod) || !Dialect::runs(cluster, pod)) continue;
    cluster.remove_pod(pod);
    --count;
  }
}

template <class Dialect>
void add_gangs(typename Dialect::Cluster& cluster, int round, int pods, const std::string& queue) {
  constexpr int kGang = 10;
  for (int gang = 0; gang * kGang < pods; ++gang) {
    typename Dialect::Group group;
    group.meta.ns = "work";
    group.meta.name = "later-" + std::to_string(round) + "-" + std::to_string(gang);
    group.meta.created.seconds = 1'767'225'600 + round;
    group.min_member = kGang;
    group.queue = queue;
    Dialect::prepare(group);
    cluster.apply(group);
    for (int i = 0; i < kGang; ++i) {
      Pod pod;
      pod.meta.ns = "work";
      pod.meta.name = group.meta.name + "-" + std::to_string(i);
      pod.meta.uid = pod.meta.name;
      pod.meta.created = group.meta.created;
      pod.meta.annotations.set(Dialect::kGroupAnnotation, group.meta.name);
      pod.spec.scheduler_name = Dialect::kSchedulerName;
      pod.spec.containers.push_back({});
      pod.spec.containers.back().requests = {{"cpu", Quantity::from_units(1)}, {"memory", Quantity::from_units(1 << 30)}};
      pod.status.phase = "Pending";
      cluster.apply(pod);
    }
  }
}

template <class Dialect>
int run(const std::string& path, int rounds, int changes) {
  Timestamp now;
  const auto scheduler = load<Dialect>(path, now);
  if (scheduler == nullptr) {
    std::fprintf(stderr, "cannot read a case from %s\n", path.c_str());
    return 1;
  }
  auto& cluster = scheduler->cluster();
  const auto queue = Dialect::first_queue(cluster);
  Keep<Dialect> keep;
  Stopwatch watch;
  scheduler->run_cycle(now, keep);
  const auto first = watch.lap();
  std::vector<std::int64_t> later;
  std::size_t next = 0;
  std::size_t bound = keep.outbox.size();
  for (int round = 0; round < rounds; ++round) {
    Dialect::start_bound(cluster, keep.outbox);
    finish_pods<Dialect>(cluster, next, changes / 2);
    add_gangs<Dialect>(cluster, round, changes / 2, queue);
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

template <class Dialect>
int run_main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s CASE.jsonl [ROUNDS] [CHANGES]\n", argv[0]);
    return 2;
  }
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
  const int changes = argc > 3 ? std::atoi(argv[3]) : 100;
  return run<Dialect>(argv[1], std::max(rounds, 1), std::max(changes, 0));
}

}  // namespace muster::bench
