#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/selector.h"
#include "model/time.h"

namespace muster {

struct OwnerReference {
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
};

struct ObjectMeta {
  std::string name;
  std::string ns;  // empty for cluster-scoped kinds
  std::string uid;
  std::string resource_version;
  Timestamp created;
  std::optional<Timestamp> deleted;
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owners;
};

}  // namespace muster
