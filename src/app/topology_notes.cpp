#include "app/topology_notes.h"

#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "app/printable_text.h"
#include "model/name_pattern.h"
#include "model/quoted.h"

namespace muster {
namespace {

using volcano::HyperNodeId;
using volcano::HyperTree;

class HyperNodeNotes {
 public:
  HyperNodeNotes(const volcano::Cluster& cluster, const std::vector<HyperNode>& objects, std::vector<std::string>& out)
      : books_(cluster.books()), tree_(cluster.hyper_tree()), out_(out) {
    for (const auto& object : objects) objects_.insert(object.meta.name);
  }

  void members(const HyperNode& object) {
    std::vector<std::string> missing;
    bool by_name = true;
    for (std::size_t i = 0; i < object.members.size(); ++i) {
      const auto& member = object.members[i];
      const auto field = fmt::format("spec.members[{}].selector", i);
      if (!member.exact.empty()) {
        if (!is_there(member)) missing.push_back(member.exact);
        continue;
      }
      by_name = false;
      if (!member.pattern.empty()) pattern(object, member.pattern, field);
    }
    if (!missing.empty())
      say(object, fmt::format("spec.members names {} not there: {}", missing.size() == 1 ? "one that is" : "some that are",
                              listed(missing, kMostNamed)));
    const auto id = tree_.find(object.meta.name);
    if (!by_name && id && tree_.exists(id) && tree_.nodes(id).empty()) say(object, "spec.members selects no node that is there");
  }

  // Nodes of two domains of one tier, by the two.
  void doubles() {
    std::map<std::pair<HyperNodeId, HyperNodeId>, std::vector<std::string>> nodes;
    for (const auto node : tree_.nodes(HyperTree::root())) {
      const auto& holders = tree_.holders(node);
      for (std::size_t i = 0; i + 1 < holders.size(); ++i)
        if (holders[i + 1] != HyperTree::root() && tree_.tier(holders[i]) == tree_.tier(holders[i + 1]))
          nodes[{holders[i], holders[i + 1]}].push_back(books_.node(node).name);
    }
    for (const auto& [two, names] : nodes)
      out_.push_back(fmt::format("HyperNodes {} and {}, both of tier {}, share {}: {}; {} for both", tree_.name(two.first),
                                 tree_.name(two.second), tree_.tier(two.first), count_of(names.size(), "node"),
                                 listed(names, kMostNamed), names.size() == 1 ? "it counts" : "they count"));
  }

 private:
  void say(const HyperNode& object, const std::string& what) { out_.push_back("HyperNode " + object.meta.name + ": " + what); }

  bool is_there(const HyperNodeMember& member) const {
    if (member.type == HyperNodeMember::Type::kHyperNode) return objects_.contains(member.exact);
    const auto node = books_.find_node(member.exact);
    return node && books_.node(node).known;
  }

  void pattern(const HyperNode& object, const std::string& text, const std::string& field) {
    if (const NamePattern pattern(text); !pattern.valid())
      say(object,
          fmt::format("{}.regexMatch.pattern {} cannot be read and matches no node: {}", field, quoted(text), pattern.error()));
  }

  const Books& books_;
  const HyperTree& tree_;
  std::set<std::string, std::less<>> objects_;
  std::vector<std::string>& out_;
};

}  // namespace

void note_hyper_nodes(const volcano::Cluster& cluster, const std::vector<HyperNode>& objects, std::vector<std::string>& notes) {
  if (objects.empty()) return;
  HyperNodeNotes all(cluster, objects, notes);
  for (const auto& object : objects) all.members(object);
  all.doubles();
  const auto& tree = cluster.hyper_tree();
  if (const auto& conflict = tree.conflict())
    notes.push_back("HyperNodes contradict each other, so jobs with a network topology wait: " + conflict_text(tree, *conflict));
}

std::string conflict_text(const HyperTree& tree, const HyperTree::Conflict& conflict) {
  if (!conflict.child) return fmt::format("{} and {} are above each other", tree.name(conflict.left), tree.name(conflict.right));
  if (conflict.child == HyperTree::root())
    return fmt::format("{} lists {}, the name of the whole cluster", tree.name(conflict.right), tree.name(conflict.child));
  return fmt::format("{} and {} both list {}", tree.name(conflict.left), tree.name(conflict.right), tree.name(conflict.child));
}

}  // namespace muster
