#pragma once

#include <string>

namespace muster::sim {

// A field that its object does not have.
struct UnknownField {
  std::string path;     // "spec.foo", "spec.containers[0].imag"
  std::string nearest;  // the name that was probably meant, of those which may stand there; empty: none is like it
};

}  // namespace muster::sim
