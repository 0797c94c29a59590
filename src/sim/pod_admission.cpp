#include "sim/pod_admission.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>
#include <set>

#include "model/quantity.h"
#include "sim/admission.h"

namespace muster::sim {
namespace {

constexpr std::string_view kContainerLists[] = {"containers", "initContainers"};

// An empty text is none, as for a real server.
void default_text(Tree& map, std::string_view key, std::string_view value) {
  auto& field = map[key];
  const auto* text = field.as_string();
  if (field.is_null() || (text != nullptr && text->empty())) field = Tree(value);
}

void requests_from_limits(Tree& container) {
  const auto* limits = container.at("resources.limits");
  if (limits == nullptr || !limits->is_map() || limits->as_map()->empty()) return;
  const auto copy = *limits;
  auto& requests = container["resources"]["requests"];
  if (!requests.is_map()) requests = Tree::map();
  boost::unordered_flat_map<std::string, std::size_t> places;
  for (const auto& [name, amount] : *requests.as_map()) places.try_emplace(name, places.size());
  for (const auto& [name, amount] : *copy.as_map()) {
    const auto [place, is_new] = places.try_emplace(name, requests.as_map()->size());
    if (is_new)
      requests.as_map()->push_back({name, amount});
    else if (auto& own = (*requests.as_map())[place->second].value; own.is_null())
      own = amount;
  }
}

Tree::List* containers_in(Tree& spec, std::string_view list) {
  auto* found = spec.find(list);
  return found == nullptr ? nullptr : found->as_list();
}

bool has_amount(const Tree* amounts, std::string_view resource) {
  const auto* amount = amounts == nullptr ? nullptr : amounts->find(resource);
  if (amount == nullptr) return false;
  const auto quantity = Quantity::parse(amount->scalar_text());
  return quantity && !quantity->is_zero();
}

bool same_amount(const Tree* a, const Tree* b, std::string_view resource) {
  const auto* first = a == nullptr ? nullptr : a->find(resource);
  const auto* second = b == nullptr ? nullptr : b->find(resource);
  if (first == nullptr || second == nullptr) return false;
  const auto x = Quantity::parse(first->scalar_text());
  const auto y = Quantity::parse(second->scalar_text());
  return x && y && *x == *y;
}

// A pod leaves a node that has gone after five minutes, unless it says otherwise.
void tolerate_for_a_while(Tree& spec) {
  for (const std::string_view key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    auto& tolerations = spec["tolerations"];
    if (!tolerations.is_list()) tolerations = Tree::list();
    const bool says_so = std::any_of(tolerations.as_list()->begin(), tolerations.as_list()->end(), [&](const Tree& one) {
      const auto effect = one.text_at("effect");
      return (one.text_at("key") == key || one.text_at("key").empty()) && (effect == "NoExecute" || effect.empty());
    });
    if (says_so) continue;
    Tree one = Tree::map();
    one["key"] = Tree(key);
    one["operator"] = Tree("Exists");
    one["effect"] = Tree("NoExecute");
    one["tolerationSeconds"] = Tree(std::int64_t{300});
    tolerations.push_back(std::move(one));
  }
}

struct ClassOfPriority {
  std::int64_t value = 0;
  std::string policy = "PreemptLowerPriority";
};

Answered<ClassOfPriority> priority_class(const Tree& pod, const Store& store) {
  const auto& kind = kind_named("scheduling.k8s.io", "priorityclasses");
  const std::string name(pod.text_at("spec.priorityClassName"));
  const auto taken_from = [](const Tree& object) {
    ClassOfPriority out;
    out.value = object.integer_at("value").value_or(0);
    if (const auto policy = object.text_at("preemptionPolicy"); !policy.empty()) out.policy = policy;
    return out;
  };
  if (name == "system-node-critical") return ClassOfPriority{2'000'001'000, "PreemptLowerPriority"};
  if (name == "system-cluster-critical") return ClassOfPriority{2'000'000'000, "PreemptLowerPriority"};
  if (!name.empty()) {
    const auto found = store.find(kind, {"", name});
    if (!found)
      return refuse(forbidden({"", "pods", "Pod", pod.text_at("metadata.name")},
                              fmt::format("no PriorityClass with name {} was found", name)));
    return taken_from(found->tree());
  }
  ClassOfPriority out;
  std::optional<std::int64_t> least;
  for (const auto& [key, object] : store.objects(kind)) {
    if (object->text.find("globalDefault") == std::string::npos) continue;
    const auto tree = object->tree();
    if (!tree.true_at("globalDefault")) continue;
    const auto one = taken_from(tree);
    if (!least || one.value < *least) out = one;
    least = out.value;
  }
  return out;
}

}  // namespace

void default_pod_spec(Tree& spec) {
  default_text(spec, "restartPolicy", "Always");
  if (auto& grace = spec["terminationGracePeriodSeconds"]; grace.is_null()) grace = Tree(std::int64_t{30});
  default_text(spec, "dnsPolicy", "ClusterFirst");
  default_text(spec, "schedulerName", kDefaultScheduler);
  if (auto& security = spec["securityContext"]; security.is_null()) security = Tree::map();
  for (const auto list : kContainerLists) {
    auto* containers = containers_in(spec, list);
    if (containers == nullptr) continue;
    for (auto& container : *containers) {
      if (!container.is_map()) continue;
      requests_from_limits(container);
      if (auto& resources = container["resources"]; resources.is_null()) resources = Tree::map();
      default_text(container, "terminationMessagePath", "/dev/termination-log");
      default_text(container, "terminationMessagePolicy", "File");
      const auto image = container.text_at("image");
      const bool latest = image.find(':', image.rfind('/') + 1) == std::string_view::npos || image.ends_with(":latest");
      default_text(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
    }
  }
}

void default_pod(Tree& pod) { default_pod_spec(pod["spec"]); }

void repeat_pod_address(Tree& pod) {
  auto* status = pod.find("status");
  if (status == nullptr || !status->is_map()) return;
  const std::string address(status->text_at("podIP"));
  const auto* all = status->find("podIPs");
  const bool has_some = all != nullptr && all->is_list() && !all->as_list()->empty();
  const std::string first(has_some ? all->as_list()->front().text_at("ip") : "");
  if (address == first) return;
  if (address.empty()) {
    (*status)["podIP"] = Tree(first);
    return;
  }
  Tree one = Tree::map();
  one["ip"] = Tree(address);
  (*status)["podIPs"] = Tree(Tree::List{std::move(one)});
}

std::string_view quality_of(const Tree& pod) {
  bool any = false;
  bool all_guaranteed = true;
  const auto* spec = pod.find("spec");
  for (const auto list : kContainerLists) {
    const auto* containers = spec == nullptr ? nullptr : spec->find(list);
    if (containers == nullptr || !containers->is_list()) continue;
    for (const auto& container : *containers->as_list()) {
      const auto* requests = container.at("resources.requests");
      const auto* limits = container.at("resources.limits");
      for (const std::string_view resource : {"cpu", "memory"}) {
        any = any || has_amount(requests, resource) || has_amount(limits, resource);
        if (!has_amount(limits, resource)) all_guaranteed = false;
        if (has_amount(requests, resource) && !same_amount(requests, limits, resource)) all_guaranteed = false;
      }
    }
  }
  if (!any) return "BestEffort";
  return all_guaranteed ? "Guaranteed" : "Burstable";
}

void check_containers(const Tree* spec, const std::string& path, std::vector<Cause>& wrong) {
  const auto* containers = spec == nullptr ? nullptr : spec->find("containers");
  if (containers == nullptr || !containers->is_list() || containers->as_list()->empty()) {
    wrong.push_back(required_field(path + ".containers"));
    return;
  }
  std::set<std::string_view> names;
  const auto& items = *containers->as_list();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto here = fmt::format("{}.containers[{}]", path, i);
    const auto name = items[i].text_at("name");
    if (name.empty())
      wrong.push_back(required_field(here + ".name"));
    else if (!is_label_name(name))
      wrong.push_back(
          invalid_field(here + ".name", fmt::format("\"{}\"", name),
                        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and "
                        "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
                        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"));
    else if (!names.insert(name).second)
      wrong.push_back({"FieldValueDuplicate", fmt::format("Duplicate value: \"{}\"", name), here + ".name"});
    if (items[i].text_at("image").empty()) wrong.push_back(required_field(here + ".image"));
    for (const std::string_view which : {"requests", "limits"})
      if (const auto* amounts = items[i].at(fmt::format("resources.{}", which)); amounts != nullptr && amounts->is_map())
        for (const auto& [resource, amount] : *amounts->as_map())
          if (!Quantity::parse(amount.scalar_text()))
            wrong.push_back(
                invalid_field(fmt::format("{}.resources.{}[{}]", here, which, resource), amount.text(), "is no quantity"));
  }
}

Answered<void> admit_new_pod(Tree& pod, const Store& store) {
  auto priority = priority_class(pod, store);
  if (!priority) return refuse(priority.error());
  auto& spec = pod["spec"];
  spec["priority"] = Tree(priority->value);
  default_text(spec, "preemptionPolicy", priority->policy);
  tolerate_for_a_while(spec);
  std::vector<Cause> wrong;
  check_containers(&spec, "spec", wrong);
  if (!wrong.empty()) return refuse(invalid({"", "pods", "Pod", pod.text_at("metadata.name")}, std::move(wrong)));
  return {};
}

Answered<void> check_pod_change(const Tree& before, const Tree& after) {
  const auto* gates = before.at("spec.schedulingGates");
  const bool was_gated = gates != nullptr && gates->is_list() && !gates->as_list()->empty();
  const auto without_changeable = [&](const Tree& pod) {
    Tree spec = pod.find("spec") == nullptr ? Tree() : *pod.find("spec");
    for (const std::string_view field :
         {"activeDeadlineSeconds", "terminationGracePeriodSeconds", "tolerations", "schedulingGates"})
      spec.erase(field);
    if (was_gated) spec.erase("nodeSelector");
    if (was_gated) spec.erase("affinity");
    for (const auto list : kContainerLists)
      if (auto* containers = containers_in(spec, list))
        for (auto& container : *containers) container.erase("image");
    return spec;
  };
  if (without_changeable(before) == without_changeable(after)) return {};
  return refuse(invalid(
      {"", "pods", "Pod", after.text_at("metadata.name")},
      {forbidden_field("spec",
                       "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
                       "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
                       "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)")}));
}

}  // namespace muster::sim
