#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "grouping/object.h"
#include "sim/tree.h"

namespace muster::sim {

// An object as somebody would submit it, or as a controller would.
struct Submitted {
  grouping::ObjectKind kind;
  Tree object;
};

// "Job research/train": how messages name it.
std::string shown(const Submitted& workload);
// What is wrong with a field of it.
Error refused_workload(const Submitted& workload, std::string field, std::string message);
// A count that it asks for, and `usual` where it is left out. What stands there but is no count is refused, as the API server
// would: whoever asks has mistyped it. The second is of a part of the workload, which errors call `where`.
Result<std::int64_t> asked_count(const Submitted& workload, std::string_view path, std::int64_t usual);
Result<std::int64_t> asked_count(const Submitted& workload, const Tree& part, std::string_view where, std::string_view path,
                                 std::int64_t usual);
// What the server would give to an object that belongs to the workload.
std::string made_uid(const Submitted& workload, std::string_view name);

}  // namespace muster::sim
