#include "demo/demo.h"

#include "demo/job_objects.h"
#include "demo/world.h"

namespace muster::demo {
namespace {

// How long those that have ended are shown.
constexpr double kKeptMillis = 20'000;

const sim::Kind& demo_pods() { return sim::kind_named("", "pods"); }

Result<sim::ObjectPtr> make(sim::Registry& registry, PlannedObject object) {
  auto made = registry.create(*object.kind, object.ns, std::move(object.tree), {.manager = "muster-demo"});
  if (!made) return fail(made.error().message);
  return *made;
}

bool has_ended(std::string_view phase) { return phase == "Succeeded" || phase == "Failed"; }

}  // namespace

Demo::Demo(sim::Cluster& cluster, const Scenario& scenario, const DemoSettings& settings)
    : cluster_(cluster), scenario_(scenario), settings_(settings), stream_(scenario, settings.load) {}

Result<void> Demo::build() {
  Result<void> out;
  cluster_.with([&](sim::Registry& registry) {
    for (auto& object : world_of(scenario_, settings_.dialect))
      if (auto made = make(registry, std::move(object)); !made && out) out = fail(std::move(made.error()));
  });
  return out;
}

Result<JobCounts> Demo::advance(std::int64_t millis) {
  Result<void> out;
  cluster_.with([&](sim::Registry& registry) {
    const auto until = static_cast<std::int64_t>(static_cast<double>(millis) * settings_.speed);
    while (settings_.has_jobs && out) {
      const auto next = stream_.next_until(until);
      if (!next) break;
      out = submit(registry, *next);
    }
    counts_.running = counts_.waiting = 0;
    counts_.gpus_used = 0;
    for (auto job = jobs_.begin(); job != jobs_.end() && out;) {
      const auto goes_on = look_after(registry, job->second, millis);
      if (!goes_on) out = fail(goes_on.error());
      job = goes_on && *goes_on ? std::next(job) : jobs_.erase(job);
    }
  });
  if (!out) return fail(std::move(out.error()));
  return counts_;
}

Result<void> Demo::submit(sim::Registry& registry, const PlannedJob& plan) {
  auto group = make(registry, group_of(plan, settings_.dialect));
  if (!group) return {};  // somebody else took the name: one job less
  Job job{.plan = plan, .group_uid = (*group)->uid};
  if (auto made = make_missing(registry, job); !made) return made;
  jobs_.emplace(JobKey(plan.plan->queue, plan.name), std::move(job));
  return {};
}

Result<void> Demo::make_missing(sim::Registry& registry, const Job& job) {
  for (std::int64_t i = 0; i < job.plan.pods; ++i) {
    if (registry.store().find(demo_pods(), {job.plan.plan->queue, pod_name(job.plan, i)})) continue;
    auto made = make(registry, pod_of(job.plan, i, job.group_uid, settings_.dialect, settings_.speed));
    if (!made) return fail(std::move(made.error()));
  }
  return {};
}

Demo::PodCounts Demo::count_pods(const sim::Registry& registry, const Job& job) const {
  PodCounts out;
  for (std::int64_t i = 0; i < job.plan.pods; ++i) {
    const auto pod = registry.store().find(demo_pods(), {job.plan.plan->queue, pod_name(job.plan, i)});
    if (!pod)
      ++out.missing;
    else if (has_ended(pod->fields.get("status.phase")))
      ++out.ended;
    else if (!pod->fields.get("spec.nodeName").empty())
      ++out.placed;
  }
  return out;
}

Result<bool> Demo::look_after(sim::Registry& registry, Job& job, std::int64_t millis) {
  const auto& kind = group_kind(settings_.dialect);
  const sim::Key key{job.plan.plan->queue, job.plan.name};
  const auto group = registry.store().find(kind, key);
  if (!group || group->uid != job.group_uid) return false;  // somebody has deleted it, and its pods go with it
  if (group->is_deleting) return true;
  if (job.ended_at) {
    if (static_cast<double>(millis - *job.ended_at) * settings_.speed < kKeptMillis) return true;
    static_cast<void>(registry.remove(kind, key, {.uid = job.group_uid}));
    return false;
  }
  const auto pods = count_pods(registry, job);
  // For fewer than must start together nothing is begun again: they would wait for those that have ended.
  const bool is_over = job.plan.pods - pods.ended < job.plan.least && pods.placed == 0 && pods.ended > 0;
  if (is_over || pods.ended == job.plan.pods) {
    job.ended_at = millis;
    ++counts_.done;
    return true;
  }
  counts_.gpus_used += pods.placed * job.plan.plan->gpus;
  ++(pods.placed + pods.ended >= job.plan.least ? counts_.running : counts_.waiting);
  if (pods.missing == 0) return true;
  counts_.begun_again += static_cast<std::size_t>(pods.missing);
  if (auto made = make_missing(registry, job); !made) return fail(std::move(made.error()));
  return true;
}

}  // namespace muster::demo
