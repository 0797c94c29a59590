#include "sim/kubelets.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/split.h"
#include "sim/conditions.h"
#include "sim/fields.h"
#include "sim/life_annotations.h"

namespace muster::sim {
namespace {

constexpr std::int64_t kAgainSeconds = 1;

const Kind& simulated_pods() { return kind_named("", "pods"); }
const Kind& simulated_nodes() { return kind_named("", "nodes"); }

bool is_annotated_down(const Tree& node) { return annotation_of(node, kNodeDown) == "true"; }

// One that says so already stays as it is, with its reason.
void set_condition(Tree& object, std::string_view type, std::string_view status, std::string_view reason, const std::string& now) {
  const auto* known = status_condition(object, type);
  if (known == nullptr || known->text_at("status") != status) put_condition(object, type, status, reason, {}, now);
}

// With the taints that keep new pods away and send those away that are there, or without them.
void set_unreachable(Tree& node, bool unreachable, const std::string& now) {
  constexpr std::string_view kKey = "node.kubernetes.io/unreachable";
  auto& taints = node["spec"]["taints"];
  if (!taints.is_list()) taints = Tree::list();
  const auto is_own = [&](const Tree& taint) { return taint.text_at("key") == kKey; };
  if (!unreachable)
    std::erase_if(*taints.as_list(), is_own);
  else if (std::none_of(taints.as_list()->begin(), taints.as_list()->end(), is_own))
    for (const std::string_view effect : {"NoSchedule", "NoExecute"}) {
      Tree taint = Tree::map();
      taint["key"] = Tree(kKey);
      taint["effect"] = Tree(effect);
      taint["timeAdded"] = Tree(now);
      taints.push_back(std::move(taint));
    }
  if (taints.as_list()->empty()) node["spec"].erase("taints");
}

Tree running_state(const std::string& now) {
  Tree out = Tree::map();
  out["running"]["startedAt"] = Tree(now);
  return out;
}

Tree ended_state(std::int64_t code, const Tree& pod, const std::string& now) {
  Tree out = Tree::map();
  const auto* statuses = pod.at("status.containerStatuses");
  if (statuses != nullptr && statuses->is_list() && !statuses->as_list()->empty())
    out["terminated"]["startedAt"] = Tree(statuses->as_list()->front().text_at("state.running.startedAt"));
  out["terminated"]["exitCode"] = Tree(code);
  out["terminated"]["reason"] = Tree(code == 0 ? "Completed" : "Error");
  out["terminated"]["finishedAt"] = Tree(now);
  return out;
}

// When its first container began to run, the last time that it did.
std::optional<std::int64_t> running_since(const Tree& pod) {
  const auto* statuses = pod.at("status.containerStatuses");
  if (statuses == nullptr || !statuses->is_list() || statuses->as_list()->empty()) return std::nullopt;
  return time_at(statuses->as_list()->front(), "state.running.startedAt");
}

void set_containers(Tree& pod, const Tree& state, bool ready, std::int64_t restarts) {
  Tree statuses = Tree::list();
  if (const auto* containers = pod.at("spec.containers"); containers != nullptr && containers->is_list())
    for (const auto& container : *containers->as_list()) {
      Tree one = Tree::map();
      one["name"] = Tree(container.text_at("name"));
      one["image"] = Tree(container.text_at("image"));
      one["ready"] = Tree(ready);
      one["started"] = Tree(ready);
      one["restartCount"] = Tree(restarts);
      one["state"] = state;
      statuses.push_back(std::move(one));
    }
  pod["status"]["containerStatuses"] = std::move(statuses);
}

std::int64_t restarts_of(const Tree& pod) {
  const auto* statuses = pod.at("status.containerStatuses");
  if (statuses == nullptr || !statuses->is_list() || statuses->as_list()->empty()) return 0;
  return bounded_at(statuses->as_list()->front(), "restartCount").value_or(0);
}

}  // namespace

Kubelets::Kubelets(Registry& registry, Store& store, const KubeletSettings& settings)
    : registry_(registry), store_(store), settings_(settings) {
  for (const auto& [key, node] : store_.objects(simulated_nodes())) changed_nodes_.insert(key.name);
  for (const auto& [key, pod] : store_.objects(simulated_pods())) changed_pods_.insert(key);
  store_.on_change([this](const Kind& kind, const Change& change) {
    if (&kind == &simulated_nodes()) changed_nodes_.insert(change.now->key.name);
    if (&kind != &simulated_pods()) return;
    changed_pods_.insert(change.now->key);
    // Another one of this name has a time of its own.
    if (const auto known = promised_.find(change.now->key); change.type == ChangeType::kDeleted && known != promised_.end()) {
      due_[known->second].erase(change.now->key);
      promised_.erase(known);
    }
  });
}

void Kubelets::run() {
  while (!changed_nodes_.empty() || !changed_pods_.empty()) {
    if (!changed_nodes_.empty()) {
      const auto name = *changed_nodes_.begin();
      changed_nodes_.erase(changed_nodes_.begin());
      observe_node(name);
    } else {
      const auto key = *changed_pods_.begin();
      changed_pods_.erase(changed_pods_.begin());
      observe_pod(key);
    }
  }
}

void Kubelets::tick() {
  const auto now = registry_.outside().now().seconds;
  while (!due_.empty() && due_.begin()->first <= now) {
    const auto keys = std::move(due_.begin()->second);
    due_.erase(due_.begin());
    for (const auto& key : keys) {
      promised_.erase(key);
      advance(key);
    }
  }
  run();
}

std::optional<std::int64_t> Kubelets::run_seconds(const Tree& pod) const {
  auto time = annotated_run_time(pod);
  if (!time && pod.text_at("spec.restartPolicy") != "Always") time = settings_.run_time;
  if (!time) return std::nullopt;
  return drawn_seconds(*time, pod.text_at("metadata.uid"), restarts_of(pod), settings_.seed);
}

bool Kubelets::is_up(std::string_view node) const {
  const auto found = store_.find(simulated_nodes(), {"", std::string(node)});
  return found && !is_annotated_down(found->tree());
}

void Kubelets::observe_node(const std::string& name) {
  const auto found = store_.find(simulated_nodes(), {"", name});
  if (!found) return;
  const bool down = is_annotated_down(found->tree());
  const auto now = registry_.outside().time_text();
  const auto before = found->revision;
  static_cast<void>(registry_.change(simulated_nodes(), {"", name}, Part::kServer, [&](Tree node) -> Answered<Tree> {
    set_condition(node, "Ready", down ? "Unknown" : "True", down ? "NodeStatusUnknown" : "KubeletReady", now);
    if (node.at("status.nodeInfo") == nullptr) node["status"]["nodeInfo"]["kubeletVersion"] = Tree("v1.36.0-muster");
    set_unreachable(node, down, now);
    return node;
  }));
  const auto after = store_.find(simulated_nodes(), {"", name});
  if (down || !after || after->revision == before) return;
  // It is back, or new: what waited on it goes on.
  for (const auto& [key, pod] : store_.objects(simulated_pods()))
    if (pod->fields.get("spec.nodeName") == name) changed_pods_.insert(key);
}

void Kubelets::promise(const Key& key, std::int64_t at) {
  if (const auto known = promised_.find(key); known != promised_.end()) due_[known->second].erase(key);
  promised_[key] = at;
  due_[at].insert(key);
}

void Kubelets::observe_pod(const Key& key) {
  const auto found = store_.find(simulated_pods(), key);
  if (!found || !is_up(found->fields.get("spec.nodeName"))) return;
  const auto pod = found->tree();
  const auto now = registry_.outside().now().seconds;
  const auto phase = found->fields.get("status.phase");
  if (found->is_deleting) {
    const auto grace = bounded_at(pod, "metadata.deletionGracePeriodSeconds").value_or(0);
    const auto asked = time_at(pod, "metadata.deletionTimestamp").value_or(now + grace) - grace;
    promise(key, asked + std::min(annotated_seconds(pod, kStopSeconds).value_or(0), grace));
  } else if (phase == "Running") {
    // From when it began, also where this process did not see that.
    const auto since = running_since(pod);
    if (const auto run = run_seconds(pod); run && (since || !promised_.contains(key))) promise(key, since.value_or(now) + *run);
  } else if (phase == "Pending" && !promised_.contains(key)) {
    promise(key, now + annotated_seconds(pod, kStartSeconds).value_or(1));
  }
}

void Kubelets::advance(const Key& key) {
  const auto found = store_.find(simulated_pods(), key);
  if (!found || !is_up(found->fields.get("spec.nodeName"))) return;
  const auto phase = found->fields.get("status.phase");
  bool done = true;
  if (found->is_deleting)
    done = registry_.remove(simulated_pods(), key, {.grace_seconds = 0, .uid = found->uid}).has_value();
  else if (phase == "Pending")
    done = start_pod(key);
  else if (phase == "Running")
    done = end_pod(key);
  if (!done) promise(key, registry_.outside().now().seconds + kAgainSeconds);  // the disk may be full
}

bool Kubelets::start_pod(const Key& key) {
  const auto now = registry_.outside().time_text();
  const auto done = registry_.change(simulated_pods(), key, Part::kStatus, [&](Tree pod) -> Answered<Tree> {
    auto& status = pod["status"];
    status["phase"] = Tree("Running");
    status["startTime"] = Tree(now);
    set_containers(pod, running_state(now), true, restarts_of(pod));
    for (const std::string_view type : {"Initialized", "ContainersReady", "Ready"}) set_condition(pod, type, "True", {}, now);
    return pod;
  });
  return done.has_value();
}

bool Kubelets::end_pod(const Key& key) {
  const auto now = registry_.outside().time_text();
  const auto done = registry_.change(simulated_pods(), key, Part::kStatus, [&](Tree pod) -> Answered<Tree> {
    if (!run_seconds(pod)) return pod;  // it was taken away meanwhile
    const auto code = parse_integer(annotation_of(pod, kExitCode)).value_or(0);
    const auto policy = pod.text_at("spec.restartPolicy");
    if (policy == "Always" || (policy == "OnFailure" && code != 0)) {
      set_containers(pod, running_state(now), true, restarts_of(pod) + 1);
      return pod;
    }
    pod["status"]["phase"] = Tree(code == 0 ? "Succeeded" : "Failed");
    set_containers(pod, ended_state(code, pod, now), false, restarts_of(pod));
    for (const std::string_view type : {"ContainersReady", "Ready"})
      set_condition(pod, type, "False", code == 0 ? "PodCompleted" : "PodFailed", now);
    return pod;
  });
  return done.has_value();
}

}  // namespace muster::sim
