#include "app/cluster_json.h"

#include <algorithm>

#include "app/kai_outlook.h"
#include "codec/json_writer.h"

namespace muster {
namespace {

bool is_waiting(JobState state) {
  return state == JobState::kWaiting || state == JobState::kPartial || state == JobState::kPipelined;
}

void write_wait(JsonWriter& json, const Wait& wait) {
  if (wait.place != 0) json.member("position", wait.place);
  if (wait.since.seconds != 0) json.member("since", wait.since.rfc3339());
}

void write_job(JsonWriter& json, const JobView& view, const WaitingJobs& waiting) {
  const auto& job = view.job;
  json.begin_object().member("job", job.name);
  if (!job.workload.empty()) json.member("workload", job.workload);
  json.member("queue", job.queue).member("state", name_of(job.state));
  json.member("phase", job.phase);
  if (const auto wait = waiting.find(job.name); wait != waiting.end() && is_waiting(job.state)) write_wait(json, wait->second);
  json.key("reason").begin_object().member("code", view.code).member("text", job.sentence).end_object();
  json.key("pods").begin_object().member("total", job.pods).member("minimum", job.minimum).member("placed", job.holding);
  json.member("pending", job.pending).member("leaving", job.leaving);
  json.member("succeeded", job.succeeded).member("failed", job.failed).end_object().end_object();
}

}  // namespace

std::vector<JobView> job_views(volcano::Session& session, const RefusedBinds& refused) {
  std::vector<JobView> views;
  for (auto& job : outlooks_of(session, refused)) {
    const auto code = text_of(job.reason).code;
    views.push_back({std::move(job), code});
  }
  return views;
}

std::vector<JobView> job_views(kai::Session& session, const RefusedBinds& refused) {
  std::vector<JobView> views;
  for (auto& outlook : KaiOutlooks(session, KaiOutlooks::kMostAsked, refused).all())
    views.push_back({std::move(outlook.job), text_of(outlook.reason).code});
  return views;
}

std::string jobs_json(std::vector<JobView> jobs, const WaitingJobs& waiting) {
  std::ranges::sort(jobs, {}, [](const JobView& view) { return view.job.name; });
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("jobs").begin_array();
  for (const auto& job : jobs) write_job(json, job, waiting);
  json.end_array().end_object();
  return out;
}

std::string queues_json(const std::vector<QueueView>& queues) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("queues").begin_array();
  for (const auto& queue : queues) {
    json.begin_object().member("queue", queue.name);
    if (!queue.parent.empty()) json.member("parent", queue.parent);
    if (!queue.state.empty()) json.member("state", queue.state);
    write_queue_rows(json, queue.rows);
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace muster
