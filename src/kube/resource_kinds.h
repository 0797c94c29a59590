#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::kube {

// Who needs a kind: both dialects, or one of them.
enum class KindUse { kCore, kVolcano, kKai };

// A kind of object that the scheduler follows. One table holds them all; which reader of codec a version has is found by
// api_version and kind.
struct ResourceKind {
  std::string_view group;  // empty for the core group
  std::string_view kind;
  std::string_view plural;
  bool namespaced;
  KindUse use;
  std::span<const std::string_view> versions;  // the best first; the first one that the server has is followed
};

std::span<const ResourceKind> resource_kinds();

// "v1", "resource.k8s.io/v1beta1".
std::string api_version(const ResourceKind& kind, std::string_view version);
// "/api/v1/pods", "/apis/scheduling.volcano.sh/v1beta1/queues": the whole cluster's.
std::string collection_path(const ResourceKind& kind, std::string_view version);

// The path of one object, of a subresource of it, or with an empty name of the collection to create in.
struct ObjectPath {
  std::string api_version;
  std::string plural;
  std::string ns = {};  // empty for cluster-scoped kinds
  std::string name = {};
  std::string subresource = {};

  std::string text() const;
};

}  // namespace muster::kube
