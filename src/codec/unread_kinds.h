#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "codec/input.h"

namespace muster {

// An object of a kind that read_objects() passes over, as it is written.
struct UnreadObject {
  std::string api_version;
  std::string kind;
  std::string json;
};

// Those of an input in which read_objects() has found nothing wrong, in its order.
Result<std::vector<UnreadObject>> read_unread_kinds(const Input& input);

}  // namespace muster
