#include "app/kai_job_order.h"

#include <map>
#include <vector>

#include "codec/json_writer.h"
#include "policy/kai/actions/job_line.h"

namespace muster {
namespace {

void write_order(JsonWriter& json, const std::vector<const kai::Job*>& jobs) {
  json.begin_array();
  for (const auto* job : jobs) json.begin_object().member("id", job->name).member("priority", job->priority).end_object();
  json.end_array();
}

}  // namespace

std::string kai_job_order_json(kai::Session& session) {
  kai::JobLine line(session, {});
  kai::push_jobs(session, line, {});
  std::vector<const kai::Job*> all;
  std::map<std::string, std::vector<const kai::Job*>> by_queue;
  while (!line.empty()) {
    const auto& job = line.pop();
    all.push_back(&job);
    by_queue[session.cluster().queues()[job.queue].name].push_back(&job);
  }
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("global_order");
  write_order(json, all);
  json.key("queue_order").begin_object();
  for (const auto& [queue, jobs] : by_queue) {
    json.key(queue);
    write_order(json, jobs);
  }
  json.end_object().end_object();
  return out;
}

}  // namespace muster
