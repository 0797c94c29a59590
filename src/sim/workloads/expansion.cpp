#include "sim/workloads/expansion.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/assert.h"
#include "grouping/kai.h"
#include "grouping/volcano.h"
#include "sim/fields.h"
#include "sim/pod_admission.h"
#include "sim/workloads/made_pods.h"
#include "sim/workloads/mistyped_fields.h"
#include "sim/workloads/priority_classes.h"
#include "sim/workloads/volcano_job.h"

namespace muster::sim {
namespace {

constexpr std::string_view kGroupOfKai = "pod-group-name";
const grouping::ObjectKind kPodObject{"", "v1", "Pod"};
constexpr const char* kUnreadable = "what is made of it is nested too deep to be read";

std::string key_text(std::string_view ns, std::string_view name) { return fmt::format("{}/{}", ns, name); }

// What there is beside a pod: the workloads of the question, and classes of priorities.
class QuestionView : public grouping::View {
 public:
  explicit QuestionView(const Surroundings& surroundings) : surroundings_(surroundings) {}

  Result<void> add(const Submitted& workload) {
    auto read = grouping::Object::read(workload.object.text(), workload.kind);
    if (!read) return fail(refused_workload(workload, "", kUnreadable));
    objects_.insert_or_assign({workload.kind, key_text(read->ns, read->name)}, std::move(*read));
    return {};
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

// Kinds of which something else can be asked about instead.
struct AskInstead {
  std::string_view group;
  std::string_view kind;
  std::string_view text;
};
constexpr AskInstead kAskInstead[] = {
    {"batch", "CronJob", "a CronJob is not asked about itself: give the Job of one run, which is its spec.jobTemplate"},
    {"ray.io", "RayCronJob", "a RayCronJob is not asked about itself: give the RayJob of one run, which is its spec.jobTemplate"},
    {"sparkoperator.k8s.io", "SparkApplication",
     "a SparkApplication is not asked about itself: Spark computes its driver when it is submitted, and the driver makes the "
     "executors when it runs; give the pods of the driver and the executors, and their PodGroup"},
    {"sparkoperator.k8s.io", "ScheduledSparkApplication",
     "a ScheduledSparkApplication is not asked about itself: give the pods of the driver and the executors of one run, and their "
     "PodGroup"},
    {"trainer.kubeflow.org", "TrainJob",
     "a TrainJob is not asked about itself: its pods are those of the runtime that it names; give the JobSet that is made of both"},
};

// Of a kind whose controller is not known here, though something of it can be asked about or it has a template of pods.
std::optional<Error> why_not_expanded(const Submitted& workload) {
  const auto* instead = std::find_if(std::begin(kAskInstead), std::end(kAskInstead), [&](const AskInstead& row) {
    return row.group == workload.kind.group && row.kind == workload.kind.kind;
  });
  if (instead == std::end(kAskInstead) && !has_template(workload.object)) return std::nullopt;
  Error error(instead != std::end(kAskInstead)
                  ? std::string(instead->text)
                  : fmt::format("what pods are made of a {} {} is not known here: give the pods that its controller would make, "
                                "and their PodGroup",
                                workload.kind.api_version(), workload.kind.kind));
  error.object = shown(workload);
  return error;
}

std::string_view type_name(const Tree& value) {
  if (value.is_map()) return "an object";
  if (value.is_list()) return "a list";
  return value.as_bool() != nullptr ? "a boolean" : "a number";
}

// What is no text would be taken for no name at all.
Result<void> check_name_types(const Submitted& workload) {
  for (const std::string_view path : {"metadata.name", "metadata.namespace"}) {
    const auto* value = workload.object.at(path);
    if (value == nullptr || value->is_null() || value->as_string() != nullptr) continue;
    Error error(fmt::format("must be a string, not {}", type_name(*value)));
    error.object = workload.kind.kind;
    error.field = path;
    return fail(std::move(error));
  }
  return {};
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
    const bool is_known = is_made_here(workload.kind);
    if (is_known)
      if (auto named = check_name_types(workload); !named) return named;
    prepare(workload);
    if (is_known) mistyped_.look_at(workload);
    auto made = made_pods(workload, surroundings_);
    if (!made) return fail(std::move(made.error()));
    if (!*made) {
      auto why = why_not_expanded(workload);
      return why ? Result<void>(fail(std::move(*why))) : Result<void>();
    }
    if (workload.object.text_at("metadata.name").empty())
      return fail(refused_workload(workload, "metadata.name", "it has none: give the name that it would have"));
    out_.kinds.insert(workload.kind.api_version() + " " + workload.kind.kind);
    if (pods_ += (*made)->pods.size(); pods_ > kMostPods) return fail(fmt::format("there are more than {} pods in it", kMostPods));
    if (text_ += (*made)->text; text_ > kMostText) return fail(too_much_text());
    if (auto added = view_.add(workload); !added) return added;
    for (const auto& owner : (*made)->owners)
      if (auto added = view_.add(owner); !added) return added;
    if (auto reserved = reserve_names(workload, **made); !reserved) return reserved;
    return take_pods(std::move(workload), std::move(**made));
  }

  // When all are taken in: a PodGroup that is called like its workload leaves names to those that a cluster would call so.
  Result<Expansion> finish() {
    for (auto& taken : taken_in_) {
      const auto before = groups_.size();
      if (auto grouped = group(taken); !grouped) return fail(std::move(grouped.error()));
      out_.notes.push_back(note_of(taken.workload, taken.pods.size(), groups_.size() - before));
      for (auto name = groups_.begin() + static_cast<std::ptrdiff_t>(before); name != groups_.end(); ++name)
        out_.places[*name] = taken.places;
      out_.notes.insert(out_.notes.end(), taken.notes.begin(), taken.notes.end());
    }
    out_.passed_over = mistyped_.notes();
    return std::move(out_);
  }

  // What was passed over may be what was meant.
  Error with_notes(Error error) const {
    for (const auto& note : mistyped_.notes()) error.message += "\nnote: " + note;
    return error;
  }

 private:
  // Pods wait for their PodGroups as text, which is a small part of what they are as trees.
  struct TakenPod {
    std::string text;
    std::string group;
  };
  struct TakenIn {
    Submitted workload;
    std::vector<OwnGroup> groups;
    std::vector<std::string> notes;
    FieldPlaces places;
    std::vector<TakenPod> pods = {};
  };

  Result<void> take_pods(Submitted workload, MadePods made) {
    auto& taken =
        taken_in_.emplace_back(TakenIn{std::move(workload), std::move(made.groups), std::move(made.notes), std::move(made.places)});
    for (auto& pod : made.pods) {
      if (auto admitted = admit(taken.workload, pod.object); !admitted) return admitted;
      taken.pods.push_back({pod.object.text(), std::move(pod.group)});
      pod.object = Tree();
      if (written_ += taken.pods.back().text.size(); written_ > kMostText) return fail(too_much_text());
    }
    taken.workload.object.erase("spec");  // groupers read it in the view
    return {};
  }

  static Error too_much_text() {
    return Error(fmt::format("its pods are more than {} MiB of text together", kMostText / kMebibyte));
  }

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
      return fail(refused_workload(workload, std::move(field), std::move(message)));
    };
    const auto* containers = pod.at("spec.containers");
    if (containers == nullptr || !containers->is_list() || containers->as_list()->empty())
      return refuse("template.spec.containers", "its pods have no containers");
    default_pod(pod);
    pod["metadata"]["namespace"] = Tree(workload.object.text_at("metadata.namespace"));
    pod["metadata"]["uid"] = Tree(made_uid(workload, pod.text_at("metadata.name")));
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

  static std::string note_of(const Submitted& workload, std::size_t pods, std::size_t groups) {
    return fmt::format("{} is asked about as the {} {} that its controller would make, and {} {}", shown(workload), pods,
                       pods == 1 ? "pod" : "pods", pods == 1 ? "its" : "their", groups > 1 ? "PodGroups" : "PodGroup");
  }

  Result<void> group(TakenIn& taken) {
    if (auto grouped = makes_own_groups(taken.groups) ? name_own_groups(taken) : group_each(taken); !grouped) return grouped;
    for (auto& pod : taken.pods) out_.objects.push_back(std::move(pod.text));
    return {};
  }

  bool makes_own_groups(const std::vector<OwnGroup>& groups) const {
    return !groups.empty() && surroundings_.grouper == Grouper::kVolcano;
  }

  // Of the PodGroups that controllers name themselves: two of one name would be one in a cluster.
  Result<void> reserve_names(const Submitted& workload, const MadePods& made) {
    if (!makes_own_groups(made.groups)) return {};
    for (const auto& group : made.groups) {
      if (!group.called.empty()) continue;
      const auto name = key_text(workload.object.text_at("metadata.namespace"), group.object.text_at("metadata.name"));
      const auto [place, is_free] = reserved_.try_emplace(name, shown(workload));
      if (!is_free)
        return fail(refused_workload(
            workload, "metadata.name",
            fmt::format("its PodGroup would be that of {}, which is called {} too: ask about one of them", place->second, name)));
    }
    return {};
  }

  Result<void> name_own_groups(TakenIn& taken) {
    std::map<std::string, std::string, std::less<>> called;
    for (auto& [object, wanted] : taken.groups) {
      const std::string own(object.text_at("metadata.name"));
      const auto name = wanted.empty() ? own : group_name(taken.workload, own, wanted);
      called[own] = name;
      object["metadata"]["name"] = Tree(name);
      if (auto added = add_group_object(taken.workload, object); !added) return added;
    }
    for (auto& pod : taken.pods) {
      auto object = tree_of(pod);
      const auto found = called.find(annotation_of(object, grouping::kVolcanoGroupName));
      if (found == called.end()) continue;
      object["metadata"]["annotations"][grouping::kVolcanoGroupName] = Tree(found->second);
      pod.text = object.text();
    }
    return {};
  }

  Result<void> group_each(TakenIn& taken) {
    for (auto& pod : taken.pods) {
      MadePod one{tree_of(pod), std::move(pod.group)};
      if (one.group.empty()) one.group = taken.workload.object.text_at("metadata.name");
      const bool is_kai = surroundings_.grouper == Grouper::kKai;
      auto grouped = is_kai ? group_for_kai(taken.workload, one, taken.pods.size()) : group_for_volcano(taken.workload, one);
      if (!grouped) return grouped;
      pod.text = one.object.text();
    }
    return {};
  }

  static Tree tree_of(const TakenPod& pod) {
    auto read = Tree::parse(pod.text);
    MUSTER_ASSERT(read.has_value());  // it was written by a tree
    return std::move(*read);
  }

  Result<void> group_for_volcano(const Submitted& workload, MadePod& pod) {
    const auto read = grouping::Object::read(pod.object.text(), kPodObject);
    if (!read) return fail(refused_workload(workload, "", kUnreadable));
    const auto found = grouping::volcano_group(*read, view_, volcano_);
    if (!found) return {};
    const auto name = add_group(workload, *found, pod.group);
    if (!name) return fail(name.error());
    pod.object["metadata"]["annotations"][grouping::kVolcanoGroupName] = Tree(*name);
    return {};
  }

  Result<void> group_for_kai(const Submitted& workload, MadePod& pod, std::size_t pods) {
    if (workload.kind == kVolcanoJob) pod.object["metadata"]["annotations"].erase(grouping::kVolcanoGroupName);
    const auto read = grouping::Object::read(pod.object.text(), kPodObject);
    if (!read) return fail(refused_workload(workload, "", kUnreadable));
    const auto found = grouping::kai_group(*read, view_, kai_);
    if (!found) return fail(found.error());
    if (!*found) return {};
    if (const auto parts = (*found)->sub_groups.size(); parts * pods > kMostPlaces)
      return fail(refused_workload(workload, "",
                                   fmt::format("it has {} pods in {} subgroups: the product of both is {} at most in a question",
                                               pods, parts, kMostPlaces)));
    const bool is_its_own = (*found)->owner.kind == kPodObject;
    const auto name = add_group(workload, **found, is_its_own ? pod.object.text_at("metadata.name") : pod.group);
    if (!name) return fail(name.error());
    take_patch(pod.object, grouping::kai_pod_patch(*read, **found));
    pod.object["metadata"]["annotations"][kGroupOfKai] = Tree(*name);
    return {};
  }

  // The name that the group goes by; it is added once.
  template <class Group>
  Result<std::string> add_group(const Submitted& workload, const Group& group, std::string_view wanted) {
    const auto ns = workload.object.text_at("metadata.namespace");
    const auto known = names_.find(key_text(ns, group.name));
    if (known != names_.end()) return known->second;
    const auto name = group_name(workload, group.name, wanted);
    if (auto tree = Tree::parse(group.body())) {
      (*tree)["metadata"]["name"] = Tree(name);
      if (auto added = add_group_object(workload, *tree); !added) return fail(std::move(added.error()));
    }
    return name;
  }

  Result<void> add_group_object(const Submitted& workload, const Tree& object) {
    groups_.push_back(key_text(workload.object.text_at("metadata.namespace"), object.text_at("metadata.name")));
    if (groups_.size() > kMostGroups)
      return fail(refused_workload(
          workload, "",
          fmt::format("it asks for a PodGroup beyond the first {0}: {0} at most can be asked about together", kMostGroups)));
    out_.objects.push_back(object.text());
    return {};
  }

  // As wanted, unless another one is called so.
  std::string group_name(const Submitted& workload, const std::string& own, std::string_view wanted) {
    const auto ns = workload.object.text_at("metadata.namespace");
    const auto name = key_text(ns, wanted);
    const bool is_free = !reserved_.contains(name) && taken_.insert(name).second;
    return names_[key_text(ns, own)] = is_free ? std::string(wanted) : own;
  }

  const Surroundings& surroundings_;
  QuestionView view_;
  MistypedFields mistyped_;
  grouping::VolcanoSettings volcano_;
  grouping::KaiSettings kai_;
  std::map<std::string, std::string> names_;     // of PodGroups, by those that a cluster would give them
  std::map<std::string, std::string> reserved_;  // names of PodGroups that a cluster would give, and whose they are
  std::set<std::string> taken_;                  // other names that were given
  std::vector<TakenIn> taken_in_;
  std::size_t pods_ = 0;
  std::size_t text_ = 0;             // that is copied
  std::size_t written_ = 0;          // of pods as they came out
  std::vector<std::string> groups_;  // that were made, "namespace/name"
  Expansion out_;
};

}  // namespace

Result<Expansion> expand(const std::vector<UnreadObject>& submitted, const Surroundings& surroundings) {
  Expander expander(surroundings);
  for (const auto& one : submitted) {
    auto tree = Tree::parse(one.json);
    if (!tree) return fail(one.kind + ": " + tree.error());
    if (auto taken = expander.take({grouping::ObjectKind::of(one.api_version, one.kind), std::move(*tree)}); !taken)
      return fail(expander.with_notes(std::move(taken.error())));
  }
  auto out = expander.finish();
  if (!out) return fail(expander.with_notes(std::move(out.error())));
  return out;
}

}  // namespace muster::sim
