#pragma once

#include <string>

#include "engine/ids.h"

namespace muster::volcano {

// An annotation to be written on a node.
struct NodeAnnotation {
  NodeId node;
  std::string key;
  std::string value;
};

}  // namespace muster::volcano
