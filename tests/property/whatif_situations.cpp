#include "property/whatif_situations.h"

#include <algorithm>

#include "property/random_scenario.h"

namespace muster {
namespace {

constexpr std::int64_t kCoresAsked = 3;  // of the four that a node has
constexpr const char* kGroupOfPod = "scheduling.k8s.io/group-name";
constexpr const char* kKaiGroupOfPod = "pod-group-name";

bool is_group(const Object& object) {
  return std::holds_alternative<PodGroup>(object) || std::holds_alternative<KaiPodGroup>(object);
}

// The last job of the objects, and all others.
Submission split(std::vector<Object> objects) {
  const auto last = std::find_if(objects.rbegin(), objects.rend(), is_group).base() - 1;
  Submission out;
  out.job = *job_of(*last);
  out.objects.assign(last, objects.end());
  out.cluster.assign(objects.begin(), last);
  return out;
}

void put_back(Pod& pod) {
  pod.spec.node_name.clear();
  pod.status.phase = "Pending";
  pod.meta.deleted.reset();
}

bool has_no_node(const Object& object) {
  const auto* pod = std::get_if<Pod>(&object);
  return pod != nullptr && pod->spec.node_name.empty();
}

// Takes a cluster apart and makes one of it that has nothing but whole nodes, those who hold them, and a job that wants some.
class Crowd {
 public:
  Crowd(Submission& submission, Others others) : submission_(submission), others_(others) {}

  void make() {
    make_urgent(submission_);
    clear();
    add_nodes();
    if (others_ == Others::kGiveWay || !chance(3)) add_running();
    ask();
    if (submission_.waits) place_some();
    if (others_ == Others::kStay && chance(3)) limit_queue();
  }

 private:
  std::vector<Object>& cluster() { return submission_.cluster; }

  // What is needed of the old cluster is kept as a pattern.
  void clear() {
    for (const auto& object : cluster())
      if (const auto* node = std::get_if<Node>(&object)) node_ = *node;
    for (const auto& object : submission_.objects) {
      if (const auto* pod = std::get_if<Pod>(&object)) pod_ = *pod;
      if (is_group(object)) group_ = object;
    }
    std::erase_if(cluster(), [](const Object& object) {
      return is_group(object) || std::holds_alternative<Pod>(object) || std::holds_alternative<Node>(object) ||
             std::holds_alternative<HyperNode>(object) || std::holds_alternative<KaiTopology>(object);
    });
    submission_.objects.clear();
    put_back(pod_);
    pod_.meta.annotations = {};  // such as a share of a GPU, which no node has here
    pod_.spec.init_containers.clear();
    pod_.spec.containers.resize(1);
    pod_.spec.containers.front().limits.clear();
    pod_.spec.containers.front().requests = {{"cpu", Quantity::from_units(kCoresAsked)}};
    if (chance(4)) pod_.spec.containers.front().requests["memory"] = *Quantity::parse("6Gi");
    if (chance(4)) {
      auto& init = pod_.spec.init_containers.emplace_back(pod_.spec.containers.front());
      init.name = "init";
    }
  }

  // Quarters within halves within the whole, of which the last nodes may be no part.
  void add_nodes() {
    const int count = 4 + pick(9);
    const int inside = count - pick(3);
    std::vector<HyperNode> quarters(4), halves(2), whole(1);
    for (int i = 0; i < count; ++i) {
      Node node = node_;
      node.meta.name = "n" + std::to_string(i);
      node.meta.uid = node.meta.name;
      node.allocatable = {{"cpu", *Quantity::parse("4")}, {"memory", *Quantity::parse("8Gi")}, {"pods", *Quantity::parse("10")}};
      if (i < inside) {
        node.meta.labels.set("whole", "w");
        node.meta.labels.set("half", std::to_string(i % 2));
        node.meta.labels.set("quarter", std::to_string(i % 4));
        quarters[static_cast<std::size_t>(i % 4)].members.push_back({.exact = node.meta.name, .pattern = {}, .selector = {}});
      }
      free_.push_back(node.meta.name);
      cluster().emplace_back(std::move(node));
    }
    add_domains(quarters, "quarter", 1, &halves);
    add_domains(halves, "half", 2, &whole);
    add_domains(whole, "whole", 3, nullptr);
    KaiTopology topology;
    topology.meta.name = "t";
    topology.levels = {{"whole", ""}, {"half", ""}, {"quarter", ""}};
    cluster().emplace_back(topology);
  }

  void add_domains(std::vector<HyperNode>& domains, const std::string& level, std::int64_t tier, std::vector<HyperNode>* above) {
    for (std::size_t i = 0; i < domains.size(); ++i) {
      auto& domain = domains[i];
      domain.meta.name = level + std::to_string(i);
      domain.tier = tier;
      domain.tier_name = level;
      if (above != nullptr)
        (*above)[i % above->size()].members.push_back(
            {.type = HyperNodeMember::Type::kHyperNode, .exact = domain.meta.name, .pattern = {}, .selector = {}});
      cluster().emplace_back(domain);
    }
  }

  // Jobs of one to four nodes each, and nodes between them that stay free.
  void add_running() {
    std::vector<std::string> still_free;
    for (std::size_t next = 0; next < free_.size();) {
      if (chance(4)) {
        still_free.push_back(free_[next++]);
        continue;
      }
      const auto size = std::min(static_cast<std::size_t>(1 + pick(4)), free_.size() - next);
      const bool leaves = chance(6);
      const auto job = "runs" + std::to_string(running_++);
      add_group(cluster(), job, others_ == Others::kStay ? size : 1);
      for (std::size_t i = 0; i < size; ++i) {
        auto pod = member_of(job, i);
        place(pod, free_[next++]);
        if (leaves) pod.meta.deleted = Timestamp{1'700'000'000, 0};
        cluster().emplace_back(std::move(pod));
      }
    }
    free_ = std::move(still_free);
  }

  void ask() {
    minimum_ = static_cast<std::size_t>(1 + pick(others_ == Others::kGiveWay ? 4 : 10));
    const auto name = submission_.job.substr(submission_.job.find('/') + 1);
    add_group(submission_.objects, name, minimum_);
    const bool has_roles = chance(3) && minimum_ > 1;
    const bool by_labels = has_roles && chance(3);
    if (auto* group = std::get_if<PodGroup>(&submission_.objects.front())) want(*group, has_roles);
    if (auto* group = std::get_if<KaiPodGroup>(&submission_.objects.front())) want(*group);
    for (std::size_t i = 0; i < minimum_ + static_cast<std::size_t>(pick(2)); ++i) {
      auto pod = member_of(name, i);
      if (has_roles) (by_labels ? pod.meta.labels : pod.meta.annotations).set("volcano.sh/task-spec", i == 0 ? "ps" : "worker");
      submission_.objects.emplace_back(std::move(pod));
    }
  }

  void want(PodGroup& group, bool has_roles) {
    group.priority_class = "high";
    group.phase = submission_.waits ? one_of({"Inqueue", "Pending"}) : "";
    if (has_roles) group.min_task_member = {{"ps", 1}, {"worker", static_cast<std::int32_t>(minimum_) - (chance(3) ? 0 : 1)}};
    if (chance(3)) group.min_resources = ResourceList{{"cpu", cores_of(minimum_)}};
    switch (pick(4)) {
      case 1: group.topology = NetworkTopology{TopologyMode::kHard, 1 + pick(2), ""}; break;
      case 2: group.topology = NetworkTopology{TopologyMode::kHard, std::nullopt, one_of({"quarter", "half"})}; break;
      default: break;
    }
  }

  static void want(KaiPodGroup& group) {
    group.priority_class = one_of({"high", "low"});
    if (chance(2)) group.constraint = {"t", one_of({"quarter", "half"}), ""};
  }

  // Of a job that waits, a few pods may have got nodes before.
  void place_some() {
    auto left = std::min({static_cast<std::size_t>(pick(3)), free_.size(), minimum_ - 1});
    for (auto& object : submission_.objects)
      if (auto* pod = std::get_if<Pod>(&object); pod != nullptr && left > 0) place(*pod, free_[--left]);
    for (const auto& object : submission_.objects)
      if (std::holds_alternative<Pod>(object) && !has_no_node(object)) cluster().push_back(object);
    std::erase_if(submission_.objects, [](const Object& object) { return !is_group(object) && !has_no_node(object); });
  }

  // One member less than the job needs, if it has more than one.
  void limit_queue() {
    const auto members = std::max<std::size_t>(minimum_ - 1, 1);
    for (auto& object : cluster()) {
      if (auto* queue = std::get_if<Queue>(&object); queue != nullptr && queue->meta.name == "default")
        queue->capability["cpu"] = cores_of(members);
      if (auto* queue = std::get_if<KaiQueue>(&object);
          queue != nullptr && queue->meta.name == std::get<KaiPodGroup>(submission_.objects.front()).queue)
        queue->cpu.limit = static_cast<double>(cores_of(members).milli());
    }
  }

  // ---- what jobs are made of

  void add_group(std::vector<Object>& objects, const std::string& name, std::size_t members) {
    const auto complete = [&](auto& group) {
      group.meta.name = name;
      group.meta.uid = name;
      group.min_member = static_cast<std::int32_t>(members);
      group.sub_groups.clear();
    };
    auto object = group_;
    if (auto* group = std::get_if<PodGroup>(&object)) {
      complete(*group);
      group->min_task_member.clear();
      group->priority_class = others_ == Others::kGiveWay ? "low" : one_of({"low", "high"});
      group->phase = "Running";
    }
    if (auto* group = std::get_if<KaiPodGroup>(&object)) {
      complete(*group);
      group->priority_class = one_of({"low", "fixed"});
    }
    objects.push_back(std::move(object));
  }

  Pod member_of(const std::string& job, std::size_t index) const {
    auto pod = pod_;
    pod.meta.name = job + "-" + std::to_string(index);
    pod.meta.uid = pod.meta.name;
    pod.meta.annotations.set(std::holds_alternative<KaiPodGroup>(group_) ? kKaiGroupOfPod : kGroupOfPod, job);
    return pod;
  }

  static void place(Pod& pod, const std::string& node) {
    pod.spec.node_name = node;
    pod.status.phase = "Running";
  }

  static Quantity cores_of(std::size_t members) { return Quantity::from_units(kCoresAsked * static_cast<std::int64_t>(members)); }

  Submission& submission_;
  const Others others_;
  Node node_;
  Pod pod_;
  Object group_;
  std::vector<std::string> free_;  // nodes
  std::size_t minimum_ = 0;
  int running_ = 0;
};

}  // namespace

Submission last_job_of(std::vector<Object> objects) {
  auto out = split(std::move(objects));
  for (auto& object : out.objects) {
    if (auto* group = std::get_if<PodGroup>(&object)) group->phase.clear();
    if (auto* pod = std::get_if<Pod>(&object)) put_back(*pod);
  }
  return out;
}

Submission last_waiting_job_of(std::vector<Object> objects) {
  auto out = split(std::move(objects));
  out.waits = true;
  if (std::ranges::none_of(out.objects, has_no_node)) put_back(std::get<Pod>(out.objects.back()));
  for (const auto& object : out.objects)
    if (!is_group(object) && !has_no_node(object)) out.cluster.push_back(object);
  std::erase_if(out.objects, [](const Object& object) { return !is_group(object) && !has_no_node(object); });
  return out;
}

void make_urgent(Submission& submission) {
  for (auto* objects : {&submission.cluster, &submission.objects})
    for (auto& object : *objects) {
      const bool is_new = objects == &submission.objects;
      const auto* priority = is_new ? "high" : "low";
      if (auto* group = std::get_if<KaiPodGroup>(&object)) group->priority_class = priority;
      if (auto* group = std::get_if<PodGroup>(&object)) {
        group->priority_class = priority;
        group->queue = "default";
        group->min_resources.reset();
        group->topology.reset();
        if (!is_new) group->min_member = 1;
      }
      if (auto* node = std::get_if<Node>(&object)) {
        node->taints.clear();
        node->unschedulable = false;
      }
      if (auto* queue = std::get_if<Queue>(&object)) {
        queue->capability.clear();
        queue->state = "Open";
      }
      auto* pod = std::get_if<Pod>(&object);
      if (pod == nullptr) continue;
      pod->spec.priority.reset();
      pod->meta.deleted.reset();
      pod->spec.affinity = {};
      if (!is_new) continue;
      pod->spec.node_selector = {};
      pod->spec.spread.clear();
      pod->spec.scheduling_gates.clear();
    }
}

void crowd_whole_nodes(Submission& submission, Others others) { Crowd(submission, others).make(); }

}  // namespace muster
