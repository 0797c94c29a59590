#include "policy/volcano/plugins/cdp.h"

#include "policy/volcano/session.h"
#include "policy/volcano/time_span.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kCooldown = "volcano.sh/cooldown-time";

}  // namespace

bool Cdp::is_cooling(PodId pod) const {
  const auto& task = session().cluster().task(pod);
  if (!task.phase_running || !task.scheduled) return false;
  const auto* text = session().books().label_set(session().books().pod(pod).labels).labels.find(kCooldown);
  if (text == nullptr) text = task.annotations.find(kCooldown);
  if (text == nullptr) return false;
  const auto cooldown = parse_go_duration(*text);
  return cooldown && later_by(*cooldown, *task.scheduled) > session().now();
}

Ballot Cdp::without_cooling(std::span<const PodId> candidates) const {
  Ballot ballot{Vote::kPermit, {}};
  for (const auto pod : candidates)
    if (!is_cooling(pod)) ballot.victims.push_back(pod);
  return ballot;
}

}  // namespace muster::volcano
