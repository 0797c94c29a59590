#pragma once

#include <string>
#include <string_view>

#include "sim/tree.h"

namespace muster::sim {

// The conditions in the status of an object.
const Tree* status_condition(const Tree& object, std::string_view type);
bool has_true_condition(const Tree& object, std::string_view type);
// Its time changes only with its status. An empty reason or message is none.
Tree& put_condition(Tree& object, std::string_view type, std::string_view status, std::string_view reason, std::string_view message,
                    const std::string& now);

}  // namespace muster::sim
