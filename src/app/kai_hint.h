#pragma once

#include <string>

#include "app/kai_outlook.h"

namespace muster {

// What would help a job of the KAI dialect, as far as it is known by name and number, and else in general.
struct KaiHint {
  std::string text;
  bool by_waiting = true;  // room that others give back may be enough
};
KaiHint kai_hint(const kai::Session& session, const kai::Job& job, const KaiOutlook& outlook);

}  // namespace muster
