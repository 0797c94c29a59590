#include "daemon/volcano_job_numbers.h"

#include "daemon/age.h"
#include "policy/volcano/plugins/drf.h"
#include "policy/volcano/plugins/gang.h"

namespace muster::daemon {
namespace {

constexpr std::int64_t kNanosPerMicro = 1000;

std::string job_key(const std::string& ns, const std::string& name) { return ns + "/" + name; }

}  // namespace

VolcanoJobNumbers::Series& VolcanoJobNumbers::series_of(const volcano::Job& job) {
  const auto [place, is_new] = jobs_.try_emplace(job_key(job.ns, job.name));
  auto& series = place->second;
  if (is_new) ++namesakes_[job.name];
  if (is_new || series.queue != job.queue_name) {
    if (!is_new) metrics_.remove_job_times(job.name, series.queue, job.ns);
    series.queue = job.queue_name;
    metrics_.e2e_job_scheduling_start_time.with({job.name, job.queue_name, job.ns}).set(static_cast<double>(job.created.seconds));
  }
  return series;
}

// Every job's share changes with what the cluster has.
void VolcanoJobNumbers::on_closing(volcano::Session& session) {
  auto* drf = session.plugin<volcano::Drf>("drf");
  if (drf == nullptr) {
    total_.reset();
    return;
  }
  const auto& cluster = session.cluster();
  const auto tell = [&](GroupId id) {
    if (const auto& job = cluster.job(id); job.schedulable()) tell_share(job, drf->share_of_job(id));
  };
  const auto& total = session.books().total_allocatable();
  if (total_ == total) {
    for (const auto id : session.jobs_to_close()) tell(id);
    return;
  }
  total_ = total;
  for (const auto id : IdRange<GroupId>(cluster.job_count())) tell(id);
}

void VolcanoJobNumbers::tell_share(const volcano::Job& job, double share) {
  auto& series = series_of(job);
  if (series.share == nullptr) series.share = &metrics_.job_share.with({job.ns, job.name});
  series.share->set(share);
}

void VolcanoJobNumbers::on_closed(volcano::Session& session, std::int64_t late_micros) {
  const auto& cluster = session.cluster();
  for (const auto id : session.jobs_to_close())
    if (cluster.job(id).has_pod_group) tell_gang(cluster.job(id));
  for (const auto id : session.tally().placed)
    if (cluster.job(id).has_pod_group) tell_placed(cluster.job(id), session.now(), late_micros);
  if (session.plugin<volcano::Gang>("gang") == nullptr) {
    unready_.clear();
    return;
  }
  for (auto* series : unready_) series->retries->increment();
  metrics_.unschedule_job_count.set(static_cast<double>(unready_.size()));
}

// A job of which gang has said nothing keeps what was told of it.
void VolcanoJobNumbers::tell_gang(const volcano::Job& job) {
  auto& series = series_of(job);
  const bool unready = job.schedulable() && job.gang_condition == "Unschedulable";
  if (unready) {
    if (series.retries == nullptr) series.retries = &metrics_.job_retry_counts.with({job.name});
    unready_.insert(&series);
  } else {
    unready_.erase(&series);
  }
  if (!job.schedulable() || job.gang_condition.empty()) return;
  if (series.lacking == nullptr) series.lacking = &metrics_.unschedule_task_count.with({job.name});
  series.lacking->set(unready ? static_cast<double>(job.gang_missing) : 0);
}

// Pods have their nodes when the cycle is over, not when it began.
void VolcanoJobNumbers::tell_placed(const volcano::Job& job, const Timestamp& now, std::int64_t late_micros) {
  const auto& series = series_of(job);
  const auto age = age_in_millis(job.created, now, late_micros);
  metrics_.e2e_job_scheduling_latency.observe(age);
  metrics_.e2e_job_scheduling_duration.with({job.name, series.queue, job.ns}).set(age);
  const auto seconds = now.seconds + (now.nanos + late_micros * kNanosPerMicro) / kNanosPerSecond;
  metrics_.e2e_job_scheduling_last_time.with({job.name, series.queue, job.ns}).set(static_cast<double>(seconds));
}

void VolcanoJobNumbers::on_gone(const std::string& ns, const std::string& name) {
  const auto known = jobs_.find(job_key(ns, name));
  if (known == jobs_.end()) return;
  metrics_.remove_job_times(name, known->second.queue, ns);
  metrics_.job_share.remove({ns, name});
  unready_.erase(&known->second);
  jobs_.erase(known);
  const auto namesakes = namesakes_.find(name);
  if (--namesakes->second != 0) return;
  namesakes_.erase(namesakes);
  metrics_.remove_job_id(name);
}

void VolcanoJobNumbers::forget_all() {
  while (!jobs_.empty()) {
    const auto key = jobs_.begin()->first;
    const auto slash = key.find('/');
    on_gone(key.substr(0, slash), key.substr(slash + 1));
  }
  total_.reset();
}

}  // namespace muster::daemon
