#include <set>

#include "app/cluster_intake.h"
#include "app/input_notes.h"
#include "app/printable_text.h"
#include "app/topology_notes.h"
#include "model/quoted.h"

namespace muster {
namespace {

class ClusterNotes {
 public:
  ClusterNotes(const volcano::Cluster& cluster, const IntakeFacts& facts) : cluster_(cluster), facts_(facts) {}

  std::vector<std::string> all() {
    out_ = facts_.stats.notes;
    note_unknown_fields(facts_.stats, out_);
    emptiness();
    oddities();
    topologies();
    nodes();
    queues();
    jobs();
    pods();
    note_hyper_nodes(cluster_, facts_.hyper_nodes, out_);
    passed_over();
    return std::move(out_);
  }

 private:
  void say(std::string sentence) { out_.push_back(std::move(sentence)); }

  void emptiness() {
    std::size_t nodes = 0;
    for (const auto id : IdRange<NodeId>(cluster_.books().node_count())) nodes += cluster_.books().node(id).known;
    if (facts_.stats.objects == 0)
      say("there is no object that concerns scheduling in the input");
    else if (facts_.nodes == 0)
      say("there is no node in the input, so nothing can be placed");
    else if (nodes == 0)
      say("--node-selector matches none of the " + count_of(facts_.nodes, "node") + " of the input, so nothing can be placed");
    else if (facts_.pods == 0)
      say("there is no pod in the input, so there is nothing to place");
  }

  // The whole cluster is of a tier, too, that of nothing else where there is no HyperNode.
  void topologies() {
    const auto lowest = cluster_.hyper_tree().tiers().front();
    auto others = facts_.with_topology;
    for (const auto& [tier, who] : facts_.tiers_allowed)
      if (tier >= lowest)
        others.add(who);
      else
        say(who.text() + ": no HyperNode is of tier " + std::to_string(tier) +
            " or lower, so with the plugin network-topology-aware the network topology allows no node");
    if (others.count != 0 && facts_.hyper_nodes.empty())
      say("there is no HyperNode in the input, so the network topology of " + others.text() + " has no effect");
    if (facts_.hyper_nodes.empty()) return;
    for (const auto& [name, who] : facts_.tiers_named)
      if (!cluster_.hyper_tree().tier_named(name))
        say(who.text() + ": no HyperNode has the tier name " + quoted(name) + ", so the network topology limits nothing");
  }

  void oddities() {
    for (const auto& [what, who] : facts_.oddities) say(who.text() + ": " + what);
  }

  void nodes() {
    const auto& books = cluster_.books();
    std::vector<std::string> without_slots;
    for (const auto id : IdRange<NodeId>(books.node_count()))
      if (books.node(id).known && books.ledgers().allocatable[kPodCount.index()][id.index()] == 0)
        without_slots.push_back(books.node(id).name);
    if (!without_slots.empty())
      say(count_of(without_slots.size(), "node") + (without_slots.size() == 1 ? " has" : " have") +
          " no pods in status.allocatable and can take none: " + listed(without_slots, kMostNamed));
    std::set<std::string> missing;
    for (const auto id : IdRange<PodId>(books.pod_count()))
      if (const auto node = books.pod(id).accounted_on; node && !books.node(node).known) missing.insert(books.node(node).name);
    if (!missing.empty())
      say("pods are on " + count_of(missing.size(), "node") + " that " + (missing.size() == 1 ? "is" : "are") +
          " not in the input: " + listed(missing, kMostNamed));
  }

  // What is assumed of a queue matters when jobs are in it.
  std::vector<std::string> in_use(const std::vector<std::string>& names) const {
    std::vector<std::string> used;
    for (const auto& name : names)
      if (const auto id = cluster_.find_queue(name); id && has_jobs_.contains(id)) used.push_back(name);
    return used;
  }

  void queues() {
    for (const auto id : IdRange<GroupId>(cluster_.job_count()))
      if (const auto& job = cluster_.job(id); job.has_pod_group && job.queue) has_jobs_.insert(job.queue);
    const auto about = [&](const std::vector<std::string>& names, std::string_view one, std::string_view many) {
      if (!names.empty())
        say((names.size() == 1 ? "queue " : "queues ") + listed(names, kMostNamed) + std::string(names.size() == 1 ? one : many));
    };
    about(in_use(facts_.queues_made), " was not in the input and is made as Volcano makes it at its start: open, weight 1",
          " were not in the input and are made as Volcano makes them at its start: open, weight 1");
    about(in_use(facts_.queues_without_state), " has no status.state and counts as Open",
          " have no status.state and count as Open");
    about(in_use(facts_.queues_without_weight), " has no weight and counts with 1", " have no weight and count with 1");
    about(facts_.queues_of_weight_zero, " has weight 0, which Volcano's admission makes 1",
          " have weight 0, which Volcano's admission makes 1");
    for (const auto& [name, queue] : facts_.queues)
      if (!queue.parent.empty() && !cluster_.find_queue(queue.parent))
        say("queue " + name + " names the parent " + queue.parent +
            ", which does not exist: what it holds counts for no parent (Volcano's scheduler crashes here)");
  }

  bool has_ended(GroupId id) const {
    const auto& group = cluster_.books().group(id);
    const auto count = [&](PodState state) { return group.count[static_cast<std::size_t>(state)]; };
    return count(PodState::kSucceeded) + count(PodState::kFailed) == group.pods.size();
  }

  void jobs() {
    std::vector<std::string> groupless;
    std::map<std::string, std::vector<std::string>> queueless;
    for (const auto id : IdRange<GroupId>(cluster_.job_count())) {
      const auto& job = cluster_.job(id);
      if (!cluster_.books().exists(id)) continue;
      if (!job.has_pod_group && has_ended(id)) continue;  // its pods wait for nothing
      if (!job.has_pod_group)
        groupless.push_back(job.ns + "/" + job.name);
      else if (!job.queue)
        queueless[job.queue_name].push_back(job.ns + "/" + job.name);
    }
    if (!groupless.empty())
      say(count_of(groupless.size(), "PodGroup") + " that pods name " + (groupless.size() == 1 ? "does" : "do") +
          " not exist, so the pods wait: " + listed(groupless, kMostNamed));
    for (const auto& [queue, names] : queueless)
      say("queue " + queue + " does not exist, so " + (names.size() == 1 ? "this PodGroup waits: " : "these PodGroups wait: ") +
          listed(names, kMostNamed));
  }

  void pods() {
    note_requests_from_limits(facts_.requests_from_limits, out_);
    if (!facts_.ungrouped.empty())
      say(count_of(facts_.ungrouped.size(), "pod") +
          " of this scheduler without a PodGroup (a cluster's controller would make one): " + listed(facts_.ungrouped, kMostNamed));
    if (const auto& lost = cluster_.pods_without_claim(); !lost.empty()) {
      std::vector<std::string> names;
      for (const auto& [name, pod] : lost) names.push_back(name);
      say(count_of(names.size(), "pod") + (names.size() == 1 ? " names" : " name") +
          " a resource claim that does not exist and, as in Volcano, " + (names.size() == 1 ? "is" : "are") +
          " passed over until it does: " + listed(names, kMostNamed));
    }
    for (const auto& [name, count] : facts_.other_schedulers)
      say(count_of(count, "pod") + (count == 1 ? " waits" : " wait") + " for another scheduler" +
          (name.empty() ? " (no schedulerName)" : ": " + name));
    for (const auto& [name, naming] : facts_.priority_classes_named)
      if (!facts_.priority_classes.contains(name))
        say("priority class " + name + " does not exist; " + naming.first +
            (naming.count == 1 ? " counts" : " and " + std::to_string(naming.count - 1) + " more count") +
            " with the default priority");
  }

  void passed_over() {
    if (facts_.of_kai.count != 0)
      say(facts_.of_kai.text() + (facts_.of_kai.count == 1 ? " is" : " are") +
          " of KAI's API and left aside by Volcano's scheduler: see --dialect kai");
    note_skipped_kinds(facts_.stats, Api::kVolcano, out_);
  }

  const volcano::Cluster& cluster_;
  const IntakeFacts& facts_;
  std::set<QueueId> has_jobs_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> notes_on(const volcano::Cluster& cluster, const IntakeFacts& facts) {
  return ClusterNotes(cluster, facts).all();
}

}  // namespace muster
