#pragma once

#include <string_view>

namespace muster {

// What there is to say in general about a reason for which jobs of a dialect wait.
template <class Reason>
struct ReasonText {
  Reason reason;
  std::string_view code;     // for programs and for links into the documentation
  std::string_view meaning;  // in general, where the explanation of one job says it in particular
  std::string_view hint;     // what would help in general
};

}  // namespace muster
