#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "model/time.h"

namespace muster::sim {

// What the embedded cluster takes from outside, so that a test can give it a clock of its own and the same names every time.
struct Outside {
  std::function<Timestamp()> now;
  std::function<std::uint64_t()> random;

  // In whole seconds, as Kubernetes writes times.
  std::string time_text() const;
  std::string uuid() const;
  // What follows a generateName: five characters that form no words.
  std::string name_suffix() const;
};

}  // namespace muster::sim
