#include "app/node_json.h"

#include <algorithm>

#include "app/amount_text.h"
#include "base/nearest_name.h"

namespace muster {
namespace {

void write_node_amount(JsonWriter& json, const Books& books, ResourceId resource, NodeId node, std::int64_t more_used) {
  const auto& ledgers = books.ledgers();
  const auto& name = books.resource_name(resource);
  const auto amount = [&](std::string_view key, const std::vector<Column>& columns, std::int64_t more = 0) {
    json.member(key, amount_in_units(name, static_cast<double>(columns[resource.index()][node.index()] + more)));
  };
  json.key(name).begin_object();
  amount("allocatable", ledgers.allocatable);
  amount("used", ledgers.used, more_used);
  amount("idle", ledgers.idle);
  amount("releasing", ledgers.releasing);
  json.end_object();
}

void write_domains(JsonWriter& json, const std::vector<std::string>& domains) {
  if (domains.empty()) return;
  json.key("domains").begin_array();
  for (const auto& domain : domains) json.value(domain);
  json.end_array();
}

// Whether the cluster has marked it as one whose kubelet says nothing, or says that it is not ready.
bool answers(const NodeRecord& node) {
  return std::ranges::none_of(node.taints, [](const Taint& taint) {
    return taint.key == "node.kubernetes.io/not-ready" || taint.key == "node.kubernetes.io/unreachable";
  });
}

// Leaves the object open.
void write_node(JsonWriter& json, const Books& books, NodeId id, const NodeKnowledge& knowledge) {
  const auto& node = books.node(id);
  json.begin_object().member("node", node.name).member("unschedulable", node.unschedulable);
  if (!answers(node)) json.member("ready", false);
  if (knowledge.domains) write_domains(json, knowledge.domains(id));
  json.member("pods", books.pods_on(id).size()).key("resources").begin_object();
  const auto& ledgers = books.ledgers();
  for (const auto resource : IdRange<ResourceId>(books.resource_count())) {
    const auto r = resource.index();
    const auto more = knowledge.more_used ? knowledge.more_used(id, resource) : 0;
    if (ledgers.allocatable[r][id.index()] != 0 || ledgers.used[r][id.index()] + more != 0)
      write_node_amount(json, books, resource, id, more);
  }
  json.end_object();
}

void write_pod_names(JsonWriter& json, const Books& books, NodeId node, const NodeKnowledge& knowledge) {
  std::vector<std::pair<std::string, std::string>> pods;
  for (const auto pod : books.pods_on(node))
    pods.emplace_back(books.pod_key(pod), knowledge.job_of ? knowledge.job_of(pod) : std::string());
  std::ranges::sort(pods);
  json.key("pod_names").begin_array();
  for (const auto& [pod, job] : pods) {
    json.begin_object().member("pod", pod);
    if (!job.empty()) json.member("job", job);
    json.end_object();
  }
  json.end_array();
}

void write_device_amounts(JsonWriter& json, const std::vector<DeviceView::Amount>& amounts) {
  if (amounts.empty()) return;
  json.key("amounts").begin_object();
  for (const auto& amount : amounts)
    json.key(amount.resource).begin_object().member("used", amount.used).member("total", amount.total).end_object();
  json.end_object();
}

void write_devices(JsonWriter& json, const std::vector<DeviceView>& devices) {
  json.key("devices").begin_array();
  for (const auto& device : devices) {
    json.begin_object().member("device", device.device);
    if (!device.resource.empty()) json.member("resource", device.resource);
    json.member("used", device.used);
    write_device_amounts(json, device.amounts);
    json.key("pods").begin_array();
    for (const auto& pod : device.pods) json.value(pod);
    json.end_array().end_object();
  }
  json.end_array();
}

std::vector<NodeId> nodes_by_name(const Books& books) {
  std::vector<NodeId> nodes;
  for (const auto id : IdRange<NodeId>(books.node_count()))
    if (books.node(id).known) nodes.push_back(id);
  std::ranges::sort(nodes, {}, [&](NodeId id) -> const std::string& { return books.node(id).name; });
  return nodes;
}

tl::unexpected<Error> no_such_node(const Books& books, const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto id : nodes_by_name(books)) names.push_back(books.node(id).name);
  const auto near = nearest_name(name, names);
  return fail("there is no node " + name + (near.empty() ? "" : "; did you mean " + near + "?"));
}

}  // namespace

std::string nodes_json(const Books& books, const NodeKnowledge& knowledge) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("nodes").begin_array();
  for (const auto id : nodes_by_name(books)) {
    write_node(json, books, id, knowledge);
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

Result<std::string> node_json(const Books& books, const std::string& name, const NodeKnowledge& knowledge) {
  const auto id = books.find_node(name);
  if (!id || !books.node(id).known) return no_such_node(books, name);
  std::string out;
  JsonWriter json(out);
  write_node(json, books, id, knowledge);
  write_pod_names(json, books, id, knowledge);
  if (knowledge.devices)
    if (const auto devices = knowledge.devices(id)) write_devices(json, *devices);
  json.end_object();
  return out;
}

}  // namespace muster
