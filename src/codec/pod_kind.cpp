#include <algorithm>
#include <array>

#include "codec/kinds.h"
#include "codec/object_fields.h"

namespace muster {
namespace {

// All fields, also those that do not matter for placement, so that mistyped ones can be told.
constexpr std::array<std::string_view, 43> kSpecFields = {"activeDeadlineSeconds",
                                                          "affinity",
                                                          "automountServiceAccountToken",
                                                          "containers",
                                                          "dnsConfig",
                                                          "dnsPolicy",
                                                          "enableServiceLinks",
                                                          "ephemeralContainers",
                                                          "hostAliases",
                                                          "hostIPC",
                                                          "hostNetwork",
                                                          "hostPID",
                                                          "hostUsers",
                                                          "hostname",
                                                          "hostnameOverride",
                                                          "imagePullSecrets",
                                                          "initContainers",
                                                          "nodeName",
                                                          "nodeSelector",
                                                          "os",
                                                          "overhead",
                                                          "preemptionPolicy",
                                                          "priority",
                                                          "priorityClassName",
                                                          "readinessGates",
                                                          "resourceClaims",
                                                          "resources",
                                                          "restartPolicy",
                                                          "runtimeClassName",
                                                          "schedulerName",
                                                          "schedulingGates",
                                                          "securityContext",
                                                          "serviceAccount",
                                                          "serviceAccountName",
                                                          "setHostnameAsFQDN",
                                                          "shareProcessNamespace",
                                                          "subdomain",
                                                          "terminationGracePeriodSeconds",
                                                          "tolerations",
                                                          "topologySpreadConstraints",
                                                          "volumes",
                                                          "workloadRef",
                                                          "schedulingGroup"};
constexpr std::array<std::string_view, 25> kContainerFields = {"args",
                                                               "command",
                                                               "env",
                                                               "envFrom",
                                                               "image",
                                                               "imagePullPolicy",
                                                               "lifecycle",
                                                               "livenessProbe",
                                                               "name",
                                                               "ports",
                                                               "readinessProbe",
                                                               "resizePolicy",
                                                               "resources",
                                                               "restartPolicy",
                                                               "restartPolicyRules",
                                                               "securityContext",
                                                               "startupProbe",
                                                               "stdin",
                                                               "stdinOnce",
                                                               "terminationMessagePath",
                                                               "terminationMessagePolicy",
                                                               "tty",
                                                               "volumeDevices",
                                                               "volumeMounts",
                                                               "workingDir"};

constexpr std::pair<std::string_view, TolerationOp> kTolerationOps[] = {{"Equal", TolerationOp::kEqual},
                                                                        {"Exists", TolerationOp::kExists},
                                                                        {"", TolerationOp::kEqual},
                                                                        {"Lt", TolerationOp::kLt},
                                                                        {"Gt", TolerationOp::kGt}};
constexpr std::pair<std::string_view, std::optional<TaintEffect>> kTolerationEffects[] = {
    {"NoSchedule", TaintEffect::kNoSchedule},
    {"NoExecute", TaintEffect::kNoExecute},
    {"PreferNoSchedule", TaintEffect::kPreferNoSchedule},
    {"", std::nullopt}};
constexpr std::pair<std::string_view, SpreadAction> kSpreadActions[] = {{"DoNotSchedule", SpreadAction::kDoNotSchedule},
                                                                        {"ScheduleAnyway", SpreadAction::kScheduleAnyway}};
constexpr std::pair<std::string_view, NodeInclusion> kNodeInclusions[] = {{"Honor", NodeInclusion::kHonor},
                                                                          {"Ignore", NodeInclusion::kIgnore}};

// --------------------------------------------------------------------------------------------------------- affinity

bool read_pod_term(JsonDecoder& json, JsonValue& value, PodAffinityTerm& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "topologyKey") return json.string(field, out.topology_key);
    if (key == "labelSelector") return read_optional(json, field, out.selector, read_label_selector);
    if (key == "namespaces") return read_strings(json, field, out.namespaces);
    if (key == "namespaceSelector") return read_optional(json, field, out.namespace_selector, read_label_selector);
    if (key == "matchLabelKeys") return read_strings(json, field, out.match_label_keys);
    if (key == "mismatchLabelKeys") return read_strings(json, field, out.mismatch_label_keys);
    return true;
  });
}

bool read_weighted_pod_term(JsonDecoder& json, JsonValue& value, WeightedPodAffinityTerm& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "weight") return json.integer(field, out.weight);
    if (key == "podAffinityTerm") return read_pod_term(json, field, out.term);
    return true;
  });
}

bool read_preferred_node_term(JsonDecoder& json, JsonValue& value, PreferredNodeTerm& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "weight") return json.integer(field, out.weight);
    if (key == "preference") return read_node_selector_term(json, field, out.term);
    return true;
  });
}

// The three kinds of affinity have the same two fields; only the types of their terms differ.
template <class ReadRequired, class ReadPreferred>
bool read_terms(JsonDecoder& json, JsonValue& value, ReadRequired required, ReadPreferred preferred) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "requiredDuringSchedulingIgnoredDuringExecution") return required(field);
    if (key == "preferredDuringSchedulingIgnoredDuringExecution") return preferred(field);
    return true;
  });
}

bool read_pod_terms(JsonDecoder& json, JsonValue& value, std::vector<PodAffinityTerm>& required,
                    std::vector<WeightedPodAffinityTerm>& preferred) {
  return read_terms(
      json, value, [&](JsonValue& field) { return read_list(json, field, required, read_pod_term); },
      [&](JsonValue& field) { return read_list(json, field, preferred, read_weighted_pod_term); });
}

bool read_affinity(JsonDecoder& json, JsonValue& value, Affinity& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "podAffinity") return read_pod_terms(json, field, out.pod_required, out.pod_preferred);
    if (key == "podAntiAffinity") return read_pod_terms(json, field, out.anti_required, out.anti_preferred);
    if (key == "nodeAffinity")
      return read_terms(
          json, field, [&](JsonValue& inner) { return read_optional(json, inner, out.node_required, read_node_selector); },
          [&](JsonValue& inner) { return read_list(json, inner, out.node_preferred, read_preferred_node_term); });
    return true;
  });
}

bool read_toleration(JsonDecoder& json, JsonValue& value, Toleration& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "key") return json.string(field, out.key);
    if (key == "value") return json.string(field, out.value);
    if (key == "operator") return read_choice(json, field, kTolerationOps, out.op);
    if (key == "effect") return read_choice(json, field, kTolerationEffects, out.effect);
    return true;
  });
}

bool read_spread(JsonDecoder& json, JsonValue& value, SpreadConstraint& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "maxSkew") return json.integer(field, out.max_skew);
    if (key == "topologyKey") return json.string(field, out.topology_key);
    if (key == "whenUnsatisfiable") return read_choice(json, field, kSpreadActions, out.action);
    if (key == "labelSelector") return read_optional(json, field, out.selector, read_label_selector);
    if (key == "minDomains") return json.integer(field, out.min_domains);
    if (key == "nodeAffinityPolicy") return read_choice(json, field, kNodeInclusions, out.node_affinity);
    if (key == "nodeTaintsPolicy") return read_choice(json, field, kNodeInclusions, out.node_taints);
    if (key == "matchLabelKeys") return read_strings(json, field, out.match_label_keys);
    return true;
  });
}

// ------------------------------------------------------------------------------------------------ containers, volumes

bool read_name_within(JsonDecoder& json, JsonValue& value, std::string& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) { return key != "name" || json.string(field, out); });
}

constexpr std::array<std::string_view, 3> kResourceFields = {"requests", "limits", "claims"};

bool read_container_resources(JsonDecoder& json, JsonValue& value, Container& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "requests") return read_countable_amounts(json, field, out.requests);
    if (key == "limits") return read_countable_amounts(json, field, out.limits);
    if (key == "claims") return read_list(json, field, out.claims, read_name_within);
    return json.unknown(field, "spec.containers[].resources", key, kResourceFields);
  });
}

bool read_volume(JsonDecoder& json, JsonValue& value, Volume& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json.string(field, out.name);
    if (key == "persistentVolumeClaim")
      return json.object(
          field, [&](std::string_view inner, JsonValue& name) { return inner != "claimName" || json.string(name, out.claim); });
    if (key == "ephemeral") {
      out.ephemeral = true;
      return json.is_object(field) || json.wrong_type(field, "an object");
    }
    if (key == "image")
      return json.object(
          field, [&](std::string_view inner, JsonValue& name) { return inner != "reference" || json.string(name, out.image); });
    return true;
  });
}

bool read_resource_claim(JsonDecoder& json, JsonValue& value, PodResourceClaim& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json.string(field, out.name);
    if (key == "resourceClaimName") return json.string(field, out.claim);
    if (key == "resourceClaimTemplateName") return json.string(field, out.templ);
    return true;
  });
}

bool read_claim_status(JsonDecoder& json, JsonValue& value, PodResourceClaim& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json.string(field, out.name);
    if (key == "resourceClaimName") return json.string(field, out.resolved);
    return true;
  });
}

// ------------------------------------------------------------------------------------------------------------ the pod

// Reads one pod. Some facts need two fields that may stand in any order, so they are put together at the end.
class PodReader {
 public:
  PodReader(JsonDecoder& json, Pod& pod) : json_(json), pod_(pod) {}

  bool read(JsonValue& value) {
    const bool ok = json_.object(value, [&](std::string_view key, JsonValue& field) {
      if (key == "metadata") return read_meta(json_, field, pod_.meta);
      if (key == "spec") return spec(field);
      if (key == "status") return status(field);
      return json_.perhaps_mistyped(field, "", key, kObjectFields);
    });
    if (ok) put_together();
    return ok;
  }

 private:
  // A port without a host port: the API server gives it one if the pod uses the host's network.
  struct ImpliedPort {
    std::vector<Container> PodSpec::* list;
    std::size_t container;
    ContainerPort port;
  };

  bool spec(JsonValue& value);
  bool containers(JsonValue& value, std::vector<Container> PodSpec::* list);
  bool container(JsonValue& value, std::vector<Container> PodSpec::* list);
  bool port(JsonValue& value, std::vector<Container> PodSpec::* list);
  bool status(JsonValue& value);
  bool container_status(JsonValue& value);
  void put_together();

  JsonDecoder& json_;
  Pod& pod_;
  std::vector<ImpliedPort> implied_ports_;
  std::vector<PodResourceClaim> claim_statuses_;
};

bool PodReader::spec(JsonValue& value) {
  PodSpec& out = pod_.spec;
  return json_.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "containers") return containers(field, &PodSpec::containers);
    if (key == "nodeName") return json_.string(field, out.node_name);
    if (key == "schedulerName") return json_.string(field, out.scheduler_name);
    if (key == "priority") return json_.integer(field, out.priority);
    if (key == "priorityClassName") return json_.string(field, out.priority_class);
    if (key == "tolerations") return read_list(json_, field, out.tolerations, read_toleration);
    if (key == "nodeSelector") return read_string_map(json_, field, out.node_selector);
    if (key == "affinity") return read_affinity(json_, field, out.affinity);
    if (key == "volumes") return read_list(json_, field, out.volumes, read_volume);
    if (key == "initContainers") return containers(field, &PodSpec::init_containers);
    if (key == "topologySpreadConstraints") return read_list(json_, field, out.spread, read_spread);
    if (key == "overhead") return read_countable_amounts(json_, field, out.overhead);
    if (key == "preemptionPolicy") return json_.string(field, out.preemption_policy);
    if (key == "hostNetwork") return json_.boolean(field, out.host_network);
    if (key == "schedulingGates") return read_list(json_, field, out.scheduling_gates, read_name_within);
    if (key == "resourceClaims") return read_list(json_, field, out.resource_claims, read_resource_claim);
    if (key == "resources")
      return json_.object(field, [&](std::string_view inner, JsonValue& list) {
        return inner != "requests" || read_optional(json_, list, out.pod_requests, read_countable_amounts);
      });
    return json_.perhaps_mistyped(field, "spec", key, kSpecFields);
  });
}

bool PodReader::containers(JsonValue& value, std::vector<Container> PodSpec::* list) {
  (pod_.spec.*list).clear();
  return json_.array(value, [&](JsonValue& item) { return container(item, list); });
}

bool PodReader::container(JsonValue& value, std::vector<Container> PodSpec::* list) {
  Container& out = (pod_.spec.*list).emplace_back();
  return json_.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json_.string(field, out.name);
    if (key == "image") return json_.string(field, out.image);
    if (key == "resources") return read_container_resources(json_, field, out);
    if (key == "ports") return json_.array(field, [&](JsonValue& item) { return port(item, list); });
    if (key == "restartPolicy") {
      std::string_view policy;
      if (!json_.text(field, policy)) return false;
      out.restartable = policy == "Always";
      return true;
    }
    return json_.perhaps_mistyped(field, "spec.containers[]", key, kContainerFields);
  });
}

bool PodReader::port(JsonValue& value, std::vector<Container> PodSpec::* list) {
  std::int32_t container_port = 0;
  ContainerPort out;
  const bool ok = json_.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "containerPort") return json_.integer(field, container_port);
    if (key == "hostPort") return json_.integer(field, out.host_port);
    if (key == "hostIP") return json_.string(field, out.host_ip);
    if (key == "protocol") return json_.string(field, out.protocol);
    return true;
  });
  if (!ok) return false;
  auto& all = pod_.spec.*list;
  if (out.host_port != 0) {
    all.back().ports.push_back(std::move(out));
  } else {
    out.host_port = container_port;
    implied_ports_.push_back({list, all.size() - 1, std::move(out)});
  }
  return true;
}

bool PodReader::status(JsonValue& value) {
  PodStatus& out = pod_.status;
  const auto statuses = [&](JsonValue& list) { return json_.array(list, [&](JsonValue& item) { return container_status(item); }); };
  return json_.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "phase") return json_.string(field, out.phase);
    if (key == "startTime") return read_optional(json_, field, out.start_time, read_time);
    if (key == "conditions") return read_conditions(json_, field, out.conditions);
    if (key == "nominatedNodeName") return json_.string(field, out.nominated_node);
    if (key == "qosClass") return json_.string(field, out.qos_class);
    if (key == "containerStatuses") return statuses(field);
    if (key == "initContainerStatuses") return statuses(field);
    if (key == "resourceClaimStatuses") return read_list(json_, field, claim_statuses_, read_claim_status);
    if (key == "resize") {
      std::string_view resize;
      if (!json_.text(field, resize)) return false;
      out.resize_infeasible = resize == "Infeasible";
    }
    return true;
  });
}

bool PodReader::container_status(JsonValue& value) {
  ContainerResources out;
  bool has_resources = false;
  const bool ok = json_.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "name") return json_.string(field, out.name);
    if (key == "allocatedResources") {
      has_resources = true;
      return read_resources(json_, field, out.allocated);
    }
    if (key == "resources") {
      has_resources = true;
      return json_.object(field, [&](std::string_view inner, JsonValue& list) {
        return inner != "requests" || read_resources(json_, list, out.requests);
      });
    }
    return true;
  });
  if (ok && has_resources) pod_.status.resized.push_back(std::move(out));
  return ok;
}

void PodReader::put_together() {
  if (pod_.spec.host_network)
    for (auto& implied : implied_ports_) (pod_.spec.*implied.list)[implied.container].ports.push_back(std::move(implied.port));

  for (const auto& status : claim_statuses_)
    for (auto& claim : pod_.spec.resource_claims)
      if (claim.name == status.name) claim.resolved = status.resolved, claim.settled = true;

  for (const auto& condition : pod_.status.conditions)
    if (condition.type == "PodResizePending" && condition.reason == "Infeasible") pod_.status.resize_infeasible = true;

  if (const auto* text = pod_.meta.annotations.find("kai.scheduler/numa-placement-observed"))
    pod_.numa_observed = numa_zones_of(*text);
  if (const auto* text = pod_.meta.annotations.find("kai.scheduler/numa-placement-predicted"))
    pod_.numa_predicted = numa_zones_of(*text);

  const auto irrelevant = [](const Volume& v) { return v.claim.empty() && !v.ephemeral && v.image.empty(); };
  std::erase_if(pod_.spec.volumes, irrelevant);
}

}  // namespace

bool read_kind(JsonDecoder& json, JsonValue& value, Pod& out) { return PodReader(json, out).read(value); }

}  // namespace muster
