#include "app/input_notes.h"

#include "app/printable_text.h"

namespace muster {

void note_skipped_kinds(const ReadStats& stats, Api api, std::vector<std::string>& notes) {
  const auto& skipped = stats.skipped;
  if (skipped.empty()) return;
  std::size_t total = 0;
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : skipped) {
    total += count;
    kinds.push_back(std::to_string(count) + " " + kind);
  }
  notes.push_back(count_of(total, "object") + " of kinds that the scheduler does not read passed over: " + listed(kinds, 5));
  for (const auto& [kind, count] : skipped) {
    const auto space = kind.find(' ');
    if (const auto* near = near_kind(std::string_view(kind).substr(0, space), std::string_view(kind).substr(space + 1), api))
      notes.push_back(count_of(count, "object") + " of " + kind + (count == 1 ? " is" : " are") + " not read; muster reads " +
                      std::string(near->api_version) + " " + std::string(near->kind));
  }
  for (const auto& [kind, count] : skipped)
    if (kind.starts_with("batch.volcano.sh/") && kind.ends_with(" Job"))
      notes.push_back("a Volcano Job is not expanded here: give the PodGroup and the pods that its controller makes from it");
}

void note_requests_from_limits(const Naming& pods, std::vector<std::string>& notes) {
  if (pods.count == 0) return;
  notes.push_back(count_of(pods.count, "pod") + (pods.count == 1 ? " has" : " have") +
                  " limits without requests, and the limits count as requests, as the API server sets them: " + pods.text());
}

void note_unknown_fields(const ReadStats& stats, std::vector<std::string>& notes) {
  for (const auto& [what, who] : stats.unknown_fields)
    notes.push_back(place_text(who.first) + ": " + Naming{who.object, who.count}.text() + ": " + what);
}

}  // namespace muster
