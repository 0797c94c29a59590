#include "app/kai_rule_texts.h"

namespace muster {

std::string_view kai_rule_text(std::string_view rule) {
  if (rule == "consolidation") return "it gets another place, so that the room comes together";
  if (rule == "stalegangeviction") return "its job has run with fewer pods than it needs for too long";
  return "";
}

}  // namespace muster
