#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace muster {

// A change with which a job started beside everybody when it was tried on a copy of the cluster.
struct FitsIf {
  enum class Kind { kLeaving, kLevel, kQueue, kMembers, kAmount, kEnded };
  using Value = std::variant<std::int64_t, std::string>;
  struct Part {
    std::string path;  // in an object of the job, such as spec.minMember
    Value from;
    Value to;
  };

  Kind kind = Kind::kMembers;
  std::string text;                    // completes the sentence "It would fit if …"
  std::vector<Part> parts = {};        // the change itself, then what changes along with it; empty: no object of the job changes
  std::vector<std::string> gone = {};  // kLeaving: pods, kEnded: jobs that are no longer there
};

// "leaving", "level", "queue", "members", "amount", "ended".
std::string_view name_of(FitsIf::Kind kind);

}  // namespace muster
