#include "policy/volcano/plugins/queue_refusal.h"

namespace muster::volcano {

void refuse_enqueue(Session& session, const Job& job, std::string_view what, std::string_view verb,
                    const std::vector<ResourceId>& resources) {
  std::string text(what);
  std::string_view separator = ": ";
  for (const auto id : resources) {
    text.append(separator).append(verb).append(" ").append(session.books().resource_name(id));
    separator = ", ";
  }
  session.record_event(job, "Normal", "Unschedulable", std::make_shared<const std::string>(std::move(text)));
}

void refuse_enqueue(Session& session, const Job& job, std::string_view what, std::string_view verb, std::string_view name) {
  std::string text(what);
  text.append(": ").append(verb).append(" ").append(name);
  session.record_event(job, "Normal", "Unschedulable", std::make_shared<const std::string>(std::move(text)));
}

}  // namespace muster::volcano
