#include "daemon/cache_dumper.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <unistd.h>

#include "codec/json_writer.h"
#include "model/json.h"

namespace muster::daemon {
namespace {

constexpr std::string_view kDumpedKinds[] = {"Node", "PriorityClass", "HyperNode", "PodGroup", "Pod"};
constexpr std::string_view kGroupOfPod = "scheduling.k8s.io/group-name";

std::vector<const kube::ResourceKind*> dumped_kinds() {
  std::vector<const kube::ResourceKind*> kinds;
  for (const auto name : kDumpedKinds)
    for (const auto& kind : kube::resource_kinds())
      if (kind.kind == name && kind.use != kube::KindUse::kKai) kinds.push_back(&kind);
  return kinds;
}

// An object, and what it says of itself.
struct Raw {
  std::string_view text;
  Json json;

  const Json* meta() const { return json.find("metadata"); }
  std::string name() const { return text_at(meta(), "name"); }
  std::string key() const { return text_at(meta(), "namespace") + "/" + name(); }
  const Json* spec() const { return json.find("spec"); }
};

std::vector<Raw> raw_objects(const std::vector<ObjectList>& lists, std::string_view kind) {
  std::vector<Raw> out;
  for (const auto& list : lists) {
    if (list.kind->kind != kind) continue;
    for (const auto& item : list.items)
      if (auto json = read_json(item)) out.push_back({item, std::move(*json)});
  }
  return out;
}

using PodsBy = std::map<std::string, std::vector<const Raw*>>;

void write_tasks(JsonWriter& json, const PodsBy& pods, const std::string& of) {
  json.key("Tasks").begin_object();
  if (const auto found = pods.find(of); found != pods.end())
    for (const auto* pod : found->second) {
      const auto uid = text_at(pod->meta(), "uid");
      json.key(uid.empty() ? pod->key() : uid).begin_object().member("UID", uid).member("Name", pod->name());
      json.member("Namespace", text_at(pod->meta(), "namespace")).member("NodeName", text_at(pod->spec(), "nodeName"));
      json.key("Pod").raw(pod->text).end_object();
    }
  json.end_object();
}

// What the scheduler keeps of a PodGroup: its metadata is not apart.
void write_group(JsonWriter& json, const Raw& group) {
  json.key("PodGroup").begin_object();
  if (const auto* meta = group.meta())
    for (const auto& [key, value] : meta->members) json.key(key).raw(value.raw);
  for (const auto& [name, key] : {std::pair("Spec", "spec"), std::pair("Status", "status")})
    if (const auto* part = group.json.find(key)) json.key(name).raw(part->raw);
  json.end_object();
}

void write_dumped_nodes(JsonWriter& json, const std::vector<Raw>& nodes, const PodsBy& pods) {
  json.begin_object();
  for (const auto& node : nodes) {
    json.key(node.name()).begin_object().member("Name", node.name()).key("Node").raw(node.text);
    write_tasks(json, pods, node.name());
    json.end_object();
  }
  json.end_object();
}

void write_hyper_nodes(JsonWriter& json, const std::vector<Raw>& hyper_nodes) {
  json.begin_object();
  for (const auto& one : hyper_nodes)
    json.key(one.name()).begin_object().member("Name", one.name()).key("HyperNode").raw(one.text).end_object();
  json.end_object();
}

void write_jobs(JsonWriter& json, const std::vector<Raw>& groups, const PodsBy& pods,
                const std::map<std::string, std::int64_t>& priorities) {
  json.begin_object();
  for (const auto& group : groups) {
    const auto priority = priorities.find(text_at(group.spec(), "priorityClassName"));
    json.key(group.key()).begin_object().member("UID", group.key()).member("Name", group.name());
    json.member("Namespace", text_at(group.meta(), "namespace")).member("Queue", text_at(group.spec(), "queue"));
    json.member("Priority", priority == priorities.end() ? 0 : priority->second);
    write_tasks(json, pods, group.key());
    write_group(json, group);
    json.end_object();
  }
  json.end_object();
}

// In a shared folder nobody is to have put something in its place, and nobody else is to read it.
std::string write_new_file(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return std::strerror(errno);
  std::string problem;
  while (!text.empty() && problem.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) problem = std::strerror(errno);
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::close(file) != 0 && problem.empty()) problem = std::strerror(errno);
  return problem;
}

}  // namespace

std::string cache_dump_text(const std::vector<ObjectList>& lists) {
  const auto pods = raw_objects(lists, "Pod");
  PodsBy by_node;
  PodsBy by_job;
  for (const auto& pod : pods) {
    if (const auto node = text_at(pod.spec(), "nodeName"); !node.empty()) by_node[node].push_back(&pod);
    const auto group = text_at(pod.meta() == nullptr ? nullptr : pod.meta()->find("annotations"), kGroupOfPod);
    if (!group.empty()) by_job[text_at(pod.meta(), "namespace") + "/" + group].push_back(&pod);
  }
  std::map<std::string, std::int64_t> priorities;
  for (const auto& one : raw_objects(lists, "PriorityClass"))
    if (const auto* value = one.json.find("value")) priorities[one.name()] = value->as_int().value_or(0);
  std::string out;
  const auto add = [&](const auto& write) {
    JsonWriter json(out);
    write(json);
    out += '\n';
  };
  add([&](JsonWriter& json) { write_dumped_nodes(json, raw_objects(lists, "Node"), by_node); });
  add([&](JsonWriter& json) { write_hyper_nodes(json, raw_objects(lists, "HyperNode")); });
  add([&](JsonWriter& json) { write_jobs(json, raw_objects(lists, "PodGroup"), by_job, priorities); });
  return out;
}

CacheDumper::~CacheDumper() {
  if (writer_.joinable()) writer_.join();
}

void CacheDumper::write_file() {
  if (busy_.exchange(true)) return sources_.log.warn("a dump is being written: this one is passed over");
  sources_.on_loop([self = shared_from_this()](kube::Loop& loop) { self->list(loop); });
}

void CacheDumper::list(kube::Loop& loop) {
  ObjectLists::collect(loop, dumped_kinds(), [self = shared_from_this()](Result<std::vector<ObjectList>> lists) {
    if (lists) return self->write(std::move(*lists));
    self->busy_ = false;
    self->sources_.log.error("no dump: " + lists.error().text());
  });
}

void CacheDumper::write(std::vector<ObjectList> lists) {
  for (const auto& list : lists)
    if (!list.problem.empty()) sources_.log.warn("a dump without " + std::string(list.kind->plural) + ": " + list.problem);
  if (writer_.joinable()) writer_.join();  // of the one before, which is done
  writer_ = std::thread([this, held = std::move(lists)] {
    const auto path = folder_ + "/snapshot-" + std::to_string(clock_.wall().seconds) + ".json";
    const auto problem = write_new_file(path, cache_dump_text(held));
    if (problem.empty())
      sources_.log.info("a dump was written", {{"file", path}});
    else
      sources_.log.error("no dump: " + problem, {{"file", path}});
    busy_ = false;
  });
}

void CacheDumper::tell_log() {
  for (const auto what : {Sight::What::kNodes, Sight::What::kJobs}) tell(what);
}

void CacheDumper::tell(Sight::What what) {
  const bool is_nodes = what == Sight::What::kNodes;
  const bool posted = sources_.post([self = shared_from_this(), what, is_nodes](CycleLoop& cycles) {
    if (const auto why = cycles.why_no_sights(); !why.empty()) return self->sources_.log.warn("no dump: " + why);
    cycles.add_sight({.what = what, .tell = [self, is_nodes](const Result<std::string>& told) {
                        const auto json = told ? read_json(*told) : std::nullopt;
                        const auto* items = json ? json->find(is_nodes ? "nodes" : "jobs") : nullptr;
                        if (items == nullptr) return;
                        for (const auto& item : items->items)
                          self->sources_.log.info("dump", {{is_nodes ? "node" : "job", std::string(item.raw)}});
                      }});
  });
  if (!posted) sources_.log.warn("no dump: the cluster is being read");
}

}  // namespace muster::daemon
