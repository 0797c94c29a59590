#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <string>

namespace muster {

// Pods that nobody places for a while because their binds came to nothing, by "namespace/name", each with a sentence that says what
// was answered. To a dialect such a pod looks like one with a scheduling gate; whoever tells why a job waits must not.
using RefusedBinds = std::map<std::string, std::string, std::less<>>;

// Of a run of files, where nobody refuses a bind. Those who keep no copy look at this one for as long as they live.
inline const RefusedBinds& nothing_refused() {
  static const RefusedBinds none;
  return none;
}

// Why a job waits of whose pods so many are held back, and one of them for this reason.
inline std::string refused_text(std::int64_t held, std::int64_t pods, const std::string& why) {
  return pods == 1 ? why : fmt::format("{} of its {} pods {} held back: {}", held, pods, held == 1 ? "is" : "are", why);
}

}  // namespace muster
