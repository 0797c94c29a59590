#include "app/cluster_json.h"

#include <algorithm>

#include "app/amount_text.h"
#include "app/kai_outlook.h"
#include "codec/json_writer.h"

namespace muster {
namespace {

void write_job(JsonWriter& json, const JobView& view) {
  const auto& job = view.job;
  json.begin_object().member("job", job.name).member("queue", job.queue).member("state", name_of(job.state));
  json.member("phase", job.phase);
  json.key("reason").begin_object().member("code", view.code).member("text", job.sentence).end_object();
  json.key("pods").begin_object().member("total", job.pods).member("minimum", job.minimum).member("placed", job.holding);
  json.member("pending", job.pending).member("leaving", job.leaving).end_object().end_object();
}

void write_node_amount(JsonWriter& json, const Books& books, ResourceId resource, NodeId node) {
  const auto& ledgers = books.ledgers();
  const auto& name = books.resource_name(resource);
  const auto amount = [&](std::string_view key, const std::vector<Column>& columns) {
    json.member(key, amount_in_units(name, static_cast<double>(columns[resource.index()][node.index()])));
  };
  json.key(name).begin_object();
  amount("allocatable", ledgers.allocatable);
  amount("used", ledgers.used);
  amount("idle", ledgers.idle);
  amount("releasing", ledgers.releasing);
  json.end_object();
}

void write_node(JsonWriter& json, const Books& books, NodeId id) {
  const auto& node = books.node(id);
  json.begin_object().member("node", node.name).member("unschedulable", node.unschedulable);
  json.member("pods", books.pods_on(id).size()).key("resources").begin_object();
  const auto& ledgers = books.ledgers();
  for (const auto resource : IdRange<ResourceId>(books.resource_count())) {
    const auto r = resource.index();
    if (ledgers.allocatable[r][id.index()] != 0 || ledgers.used[r][id.index()] != 0) write_node_amount(json, books, resource, id);
  }
  json.end_object().end_object();
}

}  // namespace

std::vector<JobView> job_views(volcano::Session& session) {
  std::vector<JobView> views;
  for (auto& job : outlooks_of(session)) {
    const auto code = text_of(job.reason).code;
    views.push_back({std::move(job), code});
  }
  return views;
}

std::vector<JobView> job_views(kai::Session& session) {
  std::vector<JobView> views;
  for (auto& outlook : KaiOutlooks(session).all()) views.push_back({std::move(outlook.job), text_of(outlook.reason).code});
  return views;
}

std::string jobs_json(std::vector<JobView> jobs) {
  std::ranges::sort(jobs, {}, [](const JobView& view) { return view.job.name; });
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("jobs").begin_array();
  for (const auto& job : jobs) write_job(json, job);
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

std::string nodes_json(const Books& books) {
  std::vector<NodeId> nodes;
  for (const auto id : IdRange<NodeId>(books.node_count()))
    if (books.node(id).known) nodes.push_back(id);
  std::ranges::sort(nodes, {}, [&](NodeId id) -> const std::string& { return books.node(id).name; });
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("nodes").begin_array();
  for (const auto id : nodes) write_node(json, books, id);
  json.end_array().end_object();
  return out;
}

}  // namespace muster
