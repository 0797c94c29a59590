#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kube/clock.h"

namespace muster::kube {

struct Program {
  std::string command;  // absolute, or to be found in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // besides our own; wins over it
};

// Runs a program without a terminal and returns what it printed. It and what it started are killed when it takes too long or prints
// too much. Blocks; from any thread.
Result<std::string> output_of(const Program& program, Duration longest);

}  // namespace muster::kube
