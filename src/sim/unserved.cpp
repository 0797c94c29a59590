#include "sim/unserved.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace muster::sim {
namespace {

constexpr std::string_view kBuiltInAlone = "the custom resources of both dialects are built in, and there are no others";
constexpr std::string_view kNoWebhooks = "nobody is asked before an object is written";
constexpr std::string_view kNoServers = "there are no other API servers behind this one";
constexpr std::string_view kNoRights = "everybody who knows the address may do everything";
constexpr std::string_view kNoUsers = "it knows no users";
constexpr std::string_view kNoNetwork = "its pods have no network";
constexpr std::string_view kNobodyActs = "nobody here would act on it";
constexpr std::string_view kNoContainers = "its containers do not run";

struct UnservedKind {
  std::string_view group;
  std::string_view plural;
  std::string_view why;
};

// Of Kubernetes v1.36, in all versions.
constexpr std::array kUnservedKinds{
    UnservedKind{"", "componentstatuses", kNobodyActs},
    UnservedKind{"", "endpoints", kNoNetwork},
    UnservedKind{"", "podtemplates", kNobodyActs},
    UnservedKind{"admissionregistration.k8s.io", "mutatingadmissionpolicies", kNoWebhooks},
    UnservedKind{"admissionregistration.k8s.io", "mutatingadmissionpolicybindings", kNoWebhooks},
    UnservedKind{"admissionregistration.k8s.io", "mutatingwebhookconfigurations", kNoWebhooks},
    UnservedKind{"admissionregistration.k8s.io", "validatingadmissionpolicies", kNoWebhooks},
    UnservedKind{"admissionregistration.k8s.io", "validatingadmissionpolicybindings", kNoWebhooks},
    UnservedKind{"admissionregistration.k8s.io", "validatingwebhookconfigurations", kNoWebhooks},
    UnservedKind{"apiextensions.k8s.io", "customresourcedefinitions", kBuiltInAlone},
    UnservedKind{"apiregistration.k8s.io", "apiservices", kNoServers},
    UnservedKind{"apps", "controllerrevisions", "its controllers keep no earlier templates"},
    UnservedKind{"authentication.k8s.io", "selfsubjectreviews", kNoUsers},
    UnservedKind{"authentication.k8s.io", "tokenreviews", kNoUsers},
    UnservedKind{"authorization.k8s.io", "localsubjectaccessreviews", kNoRights},
    UnservedKind{"authorization.k8s.io", "selfsubjectaccessreviews", kNoRights},
    UnservedKind{"authorization.k8s.io", "selfsubjectrulesreviews", kNoRights},
    UnservedKind{"authorization.k8s.io", "subjectaccessreviews", kNoRights},
    UnservedKind{"autoscaling", "horizontalpodautoscalers", kNobodyActs},
    UnservedKind{"certificates.k8s.io", "certificatesigningrequests", kNoUsers},
    UnservedKind{"certificates.k8s.io", "clustertrustbundles", kNoUsers},
    UnservedKind{"certificates.k8s.io", "podcertificaterequests", kNoUsers},
    UnservedKind{"coordination.k8s.io", "leasecandidates", kNobodyActs},
    UnservedKind{"discovery.k8s.io", "endpointslices", kNoNetwork},
    UnservedKind{"flowcontrol.apiserver.k8s.io", "flowschemas", kNobodyActs},
    UnservedKind{"flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", kNobodyActs},
    UnservedKind{"networking.k8s.io", "ingressclasses", kNoNetwork},
    UnservedKind{"networking.k8s.io", "ingresses", kNoNetwork},
    UnservedKind{"networking.k8s.io", "ipaddresses", kNoNetwork},
    UnservedKind{"networking.k8s.io", "networkpolicies", kNoNetwork},
    UnservedKind{"networking.k8s.io", "servicecidrs", kNoNetwork},
    UnservedKind{"node.k8s.io", "runtimeclasses", kNoContainers},
    UnservedKind{"storage.k8s.io", "volumeattributesclasses", kNobodyActs},
};

struct UnservedSubresource {
  std::string_view plural;  // of the core group
  std::string_view name;
  std::string_view why;
};

constexpr std::array kUnservedSubresources{
    UnservedSubresource{"nodes", "proxy", kNoContainers},
    UnservedSubresource{"pods", "attach", kNoContainers},
    UnservedSubresource{"pods", "ephemeralcontainers", kNoContainers},
    UnservedSubresource{"pods", "exec", kNoContainers},
    UnservedSubresource{"pods", "log", kNoContainers},
    UnservedSubresource{"pods", "portforward", kNoContainers},
    UnservedSubresource{"pods", "proxy", kNoContainers},
    UnservedSubresource{"pods", "resize", kNoContainers},
    UnservedSubresource{"serviceaccounts", "token", kNoUsers},
    UnservedSubresource{"services", "proxy", kNoContainers},
};

std::string sentence(std::string_view what, std::string_view why) {
  return fmt::format("{} is not served by the embedded cluster: {}", what, why);
}

}  // namespace

std::optional<std::string> unserved_kind(std::string_view group, std::string_view plural) {
  const auto* found = std::find_if(kUnservedKinds.begin(), kUnservedKinds.end(),
                                   [&](const UnservedKind& one) { return one.group == group && one.plural == plural; });
  if (found == kUnservedKinds.end()) return std::nullopt;
  return sentence(group.empty() ? std::string(plural) : fmt::format("{}.{}", plural, group), found->why);
}

std::optional<std::string> unserved_subresource(const Kind& kind, std::string_view subresource) {
  if (!kind.group.empty()) return std::nullopt;
  const auto* found = std::find_if(kUnservedSubresources.begin(), kUnservedSubresources.end(), [&](const UnservedSubresource& one) {
    return one.plural == kind.plural && one.name == subresource;
  });
  if (found == kUnservedSubresources.end()) return std::nullopt;
  return sentence(fmt::format("{}/{}", kind.plural, subresource), found->why);
}

}  // namespace muster::sim
