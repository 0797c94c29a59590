#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/books.h"

namespace muster {

// What pods ask of nodes by a name that none of them has, and what was probably meant.

// A label of spec.nodeSelector, as "key=value".
struct WantedLabel {
  std::string label;
  std::size_t nodes = 0;  // how many have it
  std::string near;       // where none has: a value of the same key, or else a key, that nodes have; empty: none is near
};
std::vector<WantedLabel> wanted_labels(const Books& books, const PodShape& shape);

// "gpu=L40 (on 2 nodes), zone=wset (on no node; did you mean west?)"
std::string text_of(const std::vector<WantedLabel>& labels);

// The resource of some node that one which no node has was probably meant to be, which has the same digits: mig-3g.40gb is not a
// misspelt mig-1g.10gb. Empty: none is near.
std::string near_resource(const Books& books, std::string_view name);

}  // namespace muster
