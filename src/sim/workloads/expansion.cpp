#include "sim/workloads/expansion.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "grouping/kai.h"
#include "grouping/volcano.h"
#include "sim/pod_admission.h"
#include "sim/workloads/made_pods.h"

namespace muster::sim {
namespace {

constexpr std::string_view kGroupOfVolcano = "scheduling.k8s.io/group-name";
constexpr std::string_view kGroupOfKai = "pod-group-name";
const grouping::ObjectKind kPodObject{"", "v1", "Pod"};

std::string key_text(std::string_view ns, std::string_view name) { return fmt::format("{}/{}", ns, name); }

// What there is beside a pod: the workloads of the question, and classes of priorities.
class QuestionView : public grouping::View {
 public:
  explicit QuestionView(const Surroundings& surroundings) : surroundings_(surroundings) {}

  void add(const Submitted& workload) {
    if (auto read = grouping::Object::read(workload.object.text(), workload.kind))
      objects_.insert_or_assign({workload.kind, key_text(read->ns, read->name)}, std::move(*read));
  }

  tl::expected<grouping::Object, Missing> find(const grouping::ObjectKind& kind, const std::string& ns,
                                               const std::string& name) const override {
    if (kind.kind == "PriorityClass" && priority_of_class(surroundings_, name)) return *grouping::Object::read("{}", kind);
    const auto found = objects_.find({kind, key_text(ns, name)});
    if (found == objects_.end()) return tl::unexpected(Missing::kNotThere);
    return found->second;
  }

  bool has_live_pod(const std::string&, const grouping::Texts&) const override { return false; }

 private:
  const Surroundings& surroundings_;
  std::map<std::pair<grouping::ObjectKind, std::string>, grouping::Object> objects_;
};

// Whether somewhere in it there is a template of pods.
bool has_template(const Tree& tree) {
  if (const auto* list = tree.as_list()) return std::any_of(list->begin(), list->end(), has_template);
  const auto* map = tree.as_map();
  if (map == nullptr) return false;
  const auto* containers = tree.at("spec.containers");
  if (containers != nullptr && containers->is_list()) return true;
  return std::any_of(map->begin(), map->end(), [](const auto& member) { return has_template(member.value); });
}

// Of a kind that has a template of pods, but no controller here.
Error not_known(const Submitted& workload) {
  Error error(
      fmt::format("what pods are made of a {} {} is not known here: give the pods that its controller would make, "
                  "and their PodGroup",
                  workload.kind.api_version(), workload.kind.kind));
  if (workload.kind.kind == "CronJob")
    error = Error("a CronJob is not asked about itself: give the Job of one run, which is its spec.jobTemplate");
  error.object = shown(workload);
  return error;
}

// A merge patch of metadata, as groupers write them.
void take_patch(Tree& pod, const std::string& patch) {
  const auto read = Tree::parse(patch);
  for (const std::string_view field : {"labels", "annotations"})
    for (const auto& [key, value] : texts_of(read ? read->at(fmt::format("metadata.{}", field)) : nullptr))
      pod["metadata"][field][key] = Tree(value);
}

class Expander {
 public:
  explicit Expander(const Surroundings& surroundings) : surroundings_(surroundings), view_(surroundings) {
    if (!surroundings.scheduler_names.empty()) {
      volcano_.scheduler_names = surroundings.scheduler_names;
      kai_.scheduler_name = surroundings.scheduler_names.front();
    }
    if (!surroundings.node_pool_label.empty()) kai_.node_pool_label = surroundings.node_pool_label;
  }

  Result<void> take(Submitted workload) {
    prepare(workload);
    auto made = made_pods(workload, surroundings_);
    if (!made) return fail(std::move(made.error()));
    if (!*made) {
      if (has_template(workload.object)) return fail(not_known(workload));
      return {};
    }
    out_.kinds.insert(workload.kind.api_version() + " " + workload.kind.kind);
    if (out_.objects.size() + (*made)->pods.size() > kMostPods)
      return fail(fmt::format("there are more than {} pods in it", kMostPods));
    view_.add(workload);
    if ((*made)->owner) view_.add(*(*made)->owner);
    for (auto& pod : (*made)->pods)
      if (auto admitted = admit(workload, pod); !admitted) return admitted;
    note_made(workload, **made);
    return group(workload, std::move(**made));
  }

  Expansion finish() { return std::move(out_); }

 private:
  static void prepare(Submitted& workload) {
    auto& metadata = workload.object["metadata"];
    if (workload.object.text_at("metadata.namespace").empty()) metadata["namespace"] = Tree("default");
    if (workload.object.text_at("metadata.uid").empty())
      metadata["uid"] = Tree(fmt::format("new-{}-{}-{}", workload.kind.kind, workload.object.text_at("metadata.namespace"),
                                         workload.object.text_at("metadata.name")));
    workload.object.erase("status");
  }

  // What the API server does with a new pod, as far as schedulers see it.
  Result<void> admit(const Submitted& workload, Tree& pod) const {
    const auto refuse = [&](std::string field, std::string message) {
      Error error(std::move(message));
      error.object = shown(workload);
      error.field = std::move(field);
      return fail(std::move(error));
    };
    const auto* containers = pod.at("spec.containers");
    if (containers == nullptr || !containers->is_list() || containers->as_list()->empty())
      return refuse("template.spec.containers", "its pods have no containers");
    default_pod(pod);
    pod["metadata"]["namespace"] = Tree(workload.object.text_at("metadata.namespace"));
    pod["metadata"]["uid"] = Tree(fmt::format("{}-{}", workload.object.text_at("metadata.uid"), pod.text_at("metadata.name")));
    const std::string class_name(pod.text_at("spec.priorityClassName"));
    const auto priority = priority_of_class(surroundings_, class_name);
    if (!priority && !class_name.empty())
      return refuse("template.spec.priorityClassName", fmt::format("there is no PriorityClass {}", class_name));
    pod["spec"]["priority"] = Tree(priority.value_or(0));
    const auto* found = class_named(surroundings_, class_name);
    if (found != nullptr && !found->preemption_policy.empty() && pod.text_at("spec.preemptionPolicy").empty())
      pod["spec"]["preemptionPolicy"] = Tree(found->preemption_policy);
    return {};
  }

  void note_made(const Submitted& workload, const MadePods& made) {
    const auto count = made.pods.size();
    out_.notes.push_back(fmt::format("{} is asked about as the {} {} that its controller would make, and {}", shown(workload),
                                     count, count == 1 ? "pod" : "pods", "their PodGroup"));
    out_.notes.insert(out_.notes.end(), made.notes.begin(), made.notes.end());
  }

  Result<void> group(const Submitted& workload, MadePods made) {
    if (made.group && surroundings_.grouper == Grouper::kVolcano) {
      const std::string own(made.group->text_at("metadata.name"));
      const auto name = group_name(workload, own, workload.object.text_at("metadata.name"));
      (*made.group)["metadata"]["name"] = Tree(name);
      out_.objects.push_back(made.group->text());
      for (auto& pod : made.pods) pod["metadata"]["annotations"][kGroupOfVolcano] = Tree(name);
    } else {
      for (auto& pod : made.pods) {
        if (made.group) pod["metadata"]["annotations"].erase(kGroupOfVolcano);
        if (auto grouped = surroundings_.grouper == Grouper::kKai ? group_for_kai(workload, pod) : group_for_volcano(workload, pod);
            !grouped)
          return grouped;
      }
    }
    for (const auto& pod : made.pods) out_.objects.push_back(pod.text());
    return {};
  }

  Result<void> group_for_volcano(const Submitted& workload, Tree& pod) {
    const auto read = grouping::Object::read(pod.text(), kPodObject);
    const auto found = read ? grouping::volcano_group(*read, view_, volcano_) : std::nullopt;
    if (!found) return {};
    const auto name = add_group(workload, found->name, workload.object.text_at("metadata.name"), found->body());
    pod["metadata"]["annotations"][kGroupOfVolcano] = Tree(name);
    return {};
  }

  Result<void> group_for_kai(const Submitted& workload, Tree& pod) {
    const auto read = grouping::Object::read(pod.text(), kPodObject);
    if (!read) return {};
    const auto found = grouping::kai_group(*read, view_, kai_);
    if (!found) return fail(found.error());
    if (!*found) return {};
    const bool is_its_own = (*found)->owner.kind == kPodObject;
    const auto name =
        add_group(workload, (*found)->name, is_its_own ? pod.text_at("metadata.name") : workload.object.text_at("metadata.name"),
                  (*found)->body());
    take_patch(pod, grouping::kai_pod_patch(*read, **found));
    pod["metadata"]["annotations"][kGroupOfKai] = Tree(name);
    return {};
  }

  // The name that the group goes by; it is added once.
  std::string add_group(const Submitted& workload, const std::string& own, std::string_view wanted, const std::string& body) {
    const auto ns = workload.object.text_at("metadata.namespace");
    const auto known = names_.find(key_text(ns, own));
    if (known != names_.end()) return known->second;
    const auto name = group_name(workload, own, wanted);
    if (auto tree = Tree::parse(body)) {
      (*tree)["metadata"]["name"] = Tree(name);
      out_.objects.push_back(tree->text());
    }
    return name;
  }

  // As wanted, unless another one is called so.
  std::string group_name(const Submitted& workload, const std::string& own, std::string_view wanted) {
    const auto ns = workload.object.text_at("metadata.namespace");
    const bool is_free = taken_.insert(key_text(ns, wanted)).second;
    return names_[key_text(ns, own)] = is_free ? std::string(wanted) : own;
  }

  const Surroundings& surroundings_;
  QuestionView view_;
  grouping::VolcanoSettings volcano_;
  grouping::KaiSettings kai_;
  std::map<std::string, std::string> names_;  // of PodGroups, by those that a cluster would give them
  std::set<std::string> taken_;
  Expansion out_;
};

}  // namespace

Result<Expansion> expand(const std::vector<UnreadObject>& submitted, const Surroundings& surroundings) {
  Expander expander(surroundings);
  for (const auto& one : submitted) {
    auto tree = Tree::parse(one.json);
    if (!tree) return fail(one.kind + ": " + tree.error());
    if (auto taken = expander.take({grouping::ObjectKind::of(one.api_version, one.kind), std::move(*tree)}); !taken)
      return fail(std::move(taken.error()));
  }
  return expander.finish();
}

}  // namespace muster::sim
