#include <fmt/format.h>

#include "app/input_notes.h"
#include "app/kai_intake.h"
#include "app/printable_text.h"
#include "base/nearest_name.h"
#include "model/quoted.h"

namespace muster {
namespace {

class Notes {
 public:
  Notes(const kai::ClusterOptions& options, const KaiIntakeFacts& facts) : options_(options), facts_(facts) {}

  std::vector<std::string> all() {
    out_ = facts_.stats.notes;
    emptiness();
    for (const auto& [what, who] : facts_.oddities) say(who.text() + ": " + what);
    note_unknown_fields(facts_.stats, out_);
    queues();
    groups();
    names();
    pods();
    if (facts_.of_volcano.count != 0)
      say(facts_.of_volcano.text() + (facts_.of_volcano.count == 1 ? " is" : " are") +
          " of Volcano's API and left aside by KAI's scheduler: see --dialect volcano");
    note_skipped_kinds(facts_.stats, Api::kKai, out_);
    return std::move(out_);
  }

 private:
  void say(std::string sentence) { out_.push_back(std::move(sentence)); }

  void emptiness() {
    const auto elsewhere = facts_.nodes_elsewhere;
    if (facts_.stats.objects == 0)
      say("there is no object that concerns scheduling in the input");
    else if (facts_.nodes == 0)
      say("there is no node in the input, so nothing can be placed");
    else if (facts_.pods == 0)
      say("there is no pod in the input, so there is nothing to place");
    if (elsewhere == 0) return;
    const auto shard = options_.node_pool.empty() ? "nodes without the label " + options_.node_pool_key
                                                  : options_.node_pool_key + "=" + options_.node_pool;
    say(fmt::format("{} of {} {} to other shards and {} left out: this one is {} (--partition-label-value)", elsewhere,
                    count_of(facts_.nodes, "node"), elsewhere == 1 ? "belongs" : "belong", elsewhere == 1 ? "is" : "are", shard));
  }

  bool is_queue(const std::string& name) const {
    const auto found = facts_.queue_facts.find(name);
    return found != facts_.queue_facts.end() && found->second.in_shard;
  }

  void queues() {
    for (const auto& [name, place] : facts_.queues)
      if (!place.parent.empty() && is_queue(name) && !is_queue(place.parent))
        say("queue " + name + " names the parent " + place.parent +
            ", which does not exist: as in KAI it is left out, with all below it" + suggestion(place.parent));
    std::set<std::string> used;
    for (const auto& [name, group] : facts_.groups)
      if (group.in_shard && facts_.groups_named.contains(name)) used.insert(group.queue);
    std::map<std::string, std::vector<std::string>> closed;  // by the resources
    for (const auto& name : used)
      if (const auto found = facts_.queue_facts.find(name); found != facts_.queue_facts.end() && !found->second.closed.empty())
        closed[listed(found->second.closed, kMostNamed)].push_back(name);
    for (const auto& [resources, names] : closed)
      say((names.size() == 1 ? "queue " : "queues ") + listed(names, kMostNamed) + (names.size() == 1 ? " has" : " have") +
          " a limit of 0 or none for " + resources + ", which in KAI is nothing at all; -1 is no limit");
  }

  std::string suggestion(const std::string& name) const {
    std::vector<std::string_view> known;
    for (const auto& [queue, facts] : facts_.queue_facts) known.push_back(queue);
    const auto near = nearest_name(name, known);
    return near.empty() ? "" : "; did you mean " + quoted(near) + "?";
  }

  void groups() {
    std::set<std::string> parents;
    for (const auto& [name, place] : facts_.queues)
      if (is_queue(name)) parents.insert(place.parent);
    std::map<std::string, std::vector<std::string>> queueless, inner;
    for (const auto& [name, group] : facts_.groups) {
      if (!group.in_shard) continue;
      if (!is_queue(group.queue))
        queueless[group.queue].push_back(group.name);
      else if (parents.contains(group.queue))
        inner[group.queue].push_back(group.name);
    }
    const auto wait = [](const std::vector<std::string>& names) {
      return (names.size() == 1 ? "this PodGroup waits: " : "these PodGroups wait: ") + listed(names, kMostNamed);
    };
    for (const auto& [queue, names] : queueless)
      say((queue.empty() ? "no queue is named" : "queue " + queue + " does not exist") + ", so " + wait(names) + suggestion(queue));
    for (const auto& [queue, names] : inner) say("queue " + queue + " has queues below it and takes no jobs, so " + wait(names));
    for (const auto& [name, who] : facts_.shared_names)
      say("KAI knows a PodGroup by its name alone, and " + std::to_string(who.count) + " are called " + name +
          ": the last one counts, with the pods of all (" + who.text() + ")");
  }

  void names() {
    for (const auto& [name, who] : facts_.topologies_named)
      if (!facts_.topologies.contains(name)) say("topology " + name + " does not exist, so " + who.text() + " cannot be placed");
    for (const auto& [named, who] : facts_.levels_named) {
      const auto& [topology, level] = named;
      const auto known = facts_.levels.find(topology);
      if (facts_.topologies.contains(topology) && (known == facts_.levels.end() || !known->second.contains(level)))
        say("topology " + topology + " has no level " + level + ", so " + who.text() + " cannot be placed");
    }
    for (const auto& [name, who] : facts_.priority_classes_named)
      if (!facts_.priority_classes.contains(name))
        say("priority class " + name + " does not exist; " + who.text() + (who.count == 1 ? " counts" : " count") +
            " with the default priority");
  }

  bool has_part(const std::string& group, const std::string& label) const {
    const auto part = label.empty() ? std::string(kai::SubGroups::kDefault) : label;
    const auto parts = facts_.parts.find(group);
    return parts == facts_.parts.end() ? part == kai::SubGroups::kDefault : parts->second.contains(part);
  }

  void pods() {
    note_requests_from_limits(facts_.requests_from_limits, out_);
    std::vector<std::string> missing;
    for (const auto& [group, who] : facts_.groups_named)
      if (!facts_.groups.contains(group)) missing.push_back(group + " (of " + who.text() + ")");
    if (!missing.empty())
      say(count_of(missing.size(), "PodGroup") + " that pods name " + (missing.size() == 1 ? "does" : "do") +
          " not exist, so the pods wait: " + listed(missing, kMostNamed));
    for (const auto& [named, who] : facts_.parts_named)
      if (const auto& [group, part] = named;
          facts_.groups.contains(group) && !facts_.broken.contains(group) && !has_part(group, part))
        say("PodGroup " + group + " has no sub-group " + (part.empty() ? "for pods without the label" : part) +
            ", so these pods are left out: " + who.text());
    if (!facts_.ungrouped.empty())
      say(count_of(facts_.ungrouped.size(), "pod") +
          " of this scheduler without a PodGroup (a cluster's podgrouper would make one): " + listed(facts_.ungrouped, kMostNamed));
    for (const auto& [name, who] : facts_.taken_from_others)
      say((name.empty() ? "no schedulerName" : "schedulerName " + quoted(name)) + " of " + who.text() +
          " has no effect: as in KAI, what names a PodGroup is placed with it");
    for (const auto& [name, count] : facts_.other_schedulers)
      say(count_of(count, "pod") + (count == 1 ? " waits" : " wait") + " for another scheduler" +
          (name.empty() ? " (no schedulerName)" : ": " + name));
  }

  const kai::ClusterOptions& options_;
  const KaiIntakeFacts& facts_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> notes_on(const kai::ClusterOptions& options, const KaiIntakeFacts& facts) {
  return Notes(options, facts).all();
}

}  // namespace muster
