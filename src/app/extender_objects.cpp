#include "app/extender_objects.h"

#include <map>
#include <span>

namespace muster {
namespace {

using volcano::Session;

// {"MilliCPU": 1000, "Memory": 0, "ScalarResources": {"pods": 1}, "MaxTaskNum": 0}; get(resource) tells an amount.
template <class F>
void write_resource(JsonWriter& json, const Books& books, F get) {
  json.begin_object().member("MilliCPU", get(kCpu)).member("Memory", get(kMemory)).key("ScalarResources").begin_object();
  for (const auto resource : IdRange<ResourceId>(books.resource_count()))
    if (resource != kCpu && resource != kMemory)
      if (const auto amount = get(resource); amount != 0) json.member(books.resource_name(resource), amount);
  json.end_object().member("MaxTaskNum", 0).end_object();
}

void write_amounts(JsonWriter& json, const Books& books, const Amounts& amounts) {
  write_resource(json, books, [&](ResourceId resource) { return amounts.get(resource); });
}

void write_column(JsonWriter& json, const Books& books, const std::vector<Column>& columns, NodeId node) {
  write_resource(json, books, [&](ResourceId resource) { return columns[resource.index()][node.index()]; });
}

void write_map(JsonWriter& json, std::string_view key, const StringMap& map) {
  json.key(key).begin_object();
  for (const auto& [name, value] : map) json.member(name, value);
  json.end_object();
}

// A resource list as Kubernetes writes it, in thousandths where the books count thousandths.
void write_resource_list(JsonWriter& json, const Books& books, const Amounts& amounts) {
  json.begin_object();
  for (const auto& [resource, amount] : amounts) {
    const bool whole = resource == kMemory || resource == kPodCount;
    const bool even = whole || amount % 1000 == 0;
    const auto text = whole ? std::to_string(amount) : even ? std::to_string(amount / 1000) : std::to_string(amount) + "m";
    json.member(books.resource_name(resource), text);
  }
  json.end_object();
}

std::string_view phase_of(PodState state) {
  switch (state) {
    case PodState::kRunning:
    case PodState::kReleasing: return "Running";
    case PodState::kSucceeded: return "Succeeded";
    case PodState::kFailed: return "Failed";
    case PodState::kUnknown: return "Unknown";
    default: return "Pending";
  }
}

// The original numbers states by powers of two, in the same order.
std::uint32_t status_of(PodState state) { return 1u << static_cast<unsigned>(state); }

Amounts without_count(const Amounts& amounts) {
  Amounts out;
  for (const auto& [resource, amount] : amounts)
    if (resource != kPodCount) out.set(resource, amount);
  return out;
}

void write_pod_object(JsonWriter& json, const Session& session, PodId pod) {
  const auto& books = session.books();
  const auto& record = books.pod(pod);
  const auto& shape = books.shape_of(pod);
  json.begin_object().key("metadata").begin_object().member("name", record.name);
  json.member("namespace", books.symbols().text(record.ns)).member("uid", record.uid);
  json.member("creationTimestamp", record.created.rfc3339());
  write_map(json, "labels", books.label_set(record.labels).labels);
  write_map(json, "annotations", session.cluster().task(pod).annotations);
  json.end_object().key("spec").begin_object();
  if (record.node && record.state != PodState::kAllocated && record.state != PodState::kPipelined)
    json.member("nodeName", books.node(record.node).name);
  json.member("priority", session.cluster().task(pod).pod_priority);
  write_map(json, "nodeSelector", shape.node_selector);
  json.key("containers").begin_array().begin_object().member("name", "").key("resources").begin_object().key("requests");
  write_resource_list(json, books, without_count(shape.request));
  json.key("limits");
  write_resource_list(json, books, shape.limits);
  json.end_object().end_object().end_array().end_object().key("status").begin_object();
  json.member("phase", phase_of(record.state)).end_object().end_object();
}

std::string job_uid(const Books& books, PodId pod) {
  const auto group = books.pod(pod).group;
  return group ? books.group(group).name : std::string();
}

void write_tasks(JsonWriter& json, const Session& session, std::span<const PodId> pods) {
  std::map<std::string_view, PodId> by_uid;
  for (const auto pod : pods) by_uid.emplace(session.books().pod(pod).uid, pod);
  json.begin_object();
  for (const auto& [uid, pod] : by_uid) {
    json.key(uid);
    write_task(json, session, pod);
  }
  json.end_object();
}

void write_pod_group(JsonWriter& json, const volcano::Job& job) {
  json.key("PodGroup").begin_object().key("metadata").begin_object().member("name", job.name).member("namespace", job.ns);
  json.member("uid", job.uid).member("creationTimestamp", job.created.rfc3339());
  write_map(json, "labels", job.labels);
  write_map(json, "annotations", job.annotations);
  json.end_object().key("spec").begin_object().member("minMember", job.min_available).member("queue", job.queue_name);
  json.member("priorityClassName", job.priority_class);
  if (job.min_resource_list) {
    json.key("minResources").begin_object();
    for (const auto& [resource, amount] : *job.min_resource_list) json.member(resource, amount.text());
    json.end_object();
  }
  json.end_object().key("status").begin_object().member("phase", name_of(job.status.phase)).end_object().end_object();
}

}  // namespace

void write_task(JsonWriter& json, const Session& session, PodId pod) {
  const auto& books = session.books();
  const auto& record = books.pod(pod);
  const auto& task = session.cluster().task(pod);
  const auto& shape = books.shape_of(pod);
  json.begin_object().member("UID", record.uid).member("Job", job_uid(books, pod)).member("Name", record.name);
  json.member("Namespace", books.symbols().text(record.ns));
  json.member("TaskRole", record.role ? std::string_view(books.symbols().text(record.role)) : std::string_view());
  for (const auto* key : {"Resreq", "InitResreq"}) {
    json.key(key);
    write_amounts(json, books, shape.request);
  }
  json.member("NodeName", record.node ? std::string_view(books.node(record.node).name) : std::string_view());
  json.member("EvictionOccurred", false).member("JobAllocatedHyperNode", "").member("Status", status_of(record.state));
  json.key("LastTransaction").null().member("Priority", record.priority).member("VolumeReady", false);
  json.member("Preemptable", task.preemptable).member("BestEffort", shape.best_effort);
  json.member("HasRestartableInitContainer", shape.restartable_init).member("SchGated", record.gated);
  json.member("RevocableZone", task.annotations.get("volcano.sh/revocable-zone")).key("NumaInfo").null().key("Pod");
  write_pod_object(json, session, pod);
  write_map(json, "PodAnnotations", task.annotations);
  json.member("CustomBindErrHandlerSucceeded", false).end_object();
}

void write_node(JsonWriter& json, const Session& session, NodeId node) {
  const auto& books = session.books();
  const auto& record = books.node(node);
  const auto& ledgers = books.ledgers();
  Amounts allocatable;
  for (const auto resource : IdRange<ResourceId>(books.resource_count()))
    if (const auto amount = ledgers.allocatable[resource.index()][node.index()]; amount != 0) allocatable.set(resource, amount);
  const auto& capacity = session.cluster().capacity(node);
  json.begin_object().member("Name", record.name).key("Node").begin_object().key("metadata").begin_object();
  json.member("name", record.name);
  write_map(json, "labels", record.labels);
  json.end_object().key("spec").begin_object();
  if (record.unschedulable) json.member("unschedulable", true);
  if (!record.taints.empty()) {
    json.key("taints").begin_array();
    for (const auto& taint : record.taints)
      json.begin_object()
          .member("key", taint.key)
          .member("value", taint.value)
          .member("effect", name_of(taint.effect))
          .end_object();
    json.end_array();
  }
  json.end_object().key("status").begin_object().key("allocatable");
  write_resource_list(json, books, allocatable);
  json.key("capacity");
  write_resource_list(json, books, capacity);
  json.end_object().end_object();
  json.key("State").begin_object().member("Phase", 1).member("Reason", "").end_object();
  const std::pair<const char*, const std::vector<Column>*> columns[] = {
      {"Releasing", &ledgers.releasing}, {"Pipelined", &ledgers.pipelined},     {"Idle", &ledgers.idle},
      {"Used", &ledgers.used},           {"Allocatable", &ledgers.allocatable},
  };
  for (const auto& [key, column] : columns) {
    json.key(key);
    write_column(json, books, *column, node);
  }
  json.key("Capacity");
  write_amounts(json, books, capacity);
  json.key("Tasks");
  write_tasks(json, session, books.pods_on(node));
  json.member("RevocableZone", record.labels.get("volcano.sh/revocable-zone")).key("Others").null().end_object();
}

void write_job(JsonWriter& json, const Session& session, GroupId id) {
  const auto& books = session.books();
  const auto& job = session.cluster().job(id);
  const auto& group = books.group(id);
  json.begin_object().member("UID", group.name).member("PgUID", job.uid).member("Name", job.name).member("Namespace", job.ns);
  json.member("Queue", job.queue_name).member("Priority", job.priority).member("MinAvailable", job.min_available);
  std::map<std::uint32_t, std::vector<PodId>> by_status;
  for (const auto pod : group.pods) by_status[status_of(books.pod(pod).state)].push_back(pod);
  json.key("TaskStatusIndex").begin_object();
  for (const auto& [status, pods] : by_status) {
    json.key(std::to_string(status));
    write_tasks(json, session, pods);
  }
  json.end_object().key("Tasks");
  write_tasks(json, session, group.pods);
  json.key("TaskMinAvailable").begin_object();
  for (const auto& role : job.roles)
    if (role.has_minimum) json.member(role.name ? books.symbols().text(role.name) : std::string(), role.minimum);
  json.end_object().member("TaskMinAvailableTotal", job.role_minimum_total).key("Allocated");
  write_amounts(json, books, group.held);
  auto total = group.held;
  total += group.waiting;
  json.key("TotalRequest");
  write_amounts(json, books, total);
  json.member("CreationTimestamp", job.created.rfc3339());
  write_pod_group(json, job);
  json.end_object();
}

void write_queue(JsonWriter& json, const Session& session, QueueId id) {
  const auto& books = session.books();
  const auto& queue = session.cluster().queue(id);
  const auto write_limits = [&](const char* key, const volcano::Resource& amounts) {
    json.key(key);
    Amounts whole;
    amounts.for_each_significant(
        [&](ResourceId resource, double amount) { whole.set(resource, static_cast<std::int64_t>(amount)); });
    write_resource_list(json, books, whole);
  };
  json.begin_object().member("UID", queue.name).member("Name", queue.name).member("Weight", queue.weight);
  json.member("Weights", queue.annotations.get("volcano.sh/hierarchy-weights"));
  json.member("Hierarchy", queue.annotations.get("volcano.sh/hierarchy"))
      .key("Queue")
      .begin_object()
      .key("metadata")
      .begin_object();
  json.member("name", queue.name).member("uid", queue.uid);
  write_map(json, "annotations", queue.annotations);
  json.end_object().key("spec").begin_object().member("weight", queue.weight).member("parent", queue.parent);
  if (queue.reclaimable) json.member("reclaimable", *queue.reclaimable);
  write_limits("capability", queue.capability);
  write_limits("deserved", queue.deserved);
  json.end_object().key("status").begin_object().member("state", queue.open ? "Open" : "Closed").end_object().end_object();
  json.end_object();
}

}  // namespace muster
