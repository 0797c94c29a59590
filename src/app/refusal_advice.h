#pragma once

#include <string>
#include <string_view>

#include "policy/volcano/session.h"

namespace muster {

// What somebody could do about a refusal, in plain words: a refusal is known by the text that stands on the pod, which often says
// what was found and not what is missing. Empty for texts that are not known.
std::string advice_on(const volcano::Session& session, PodId pod, std::string_view refusal);

}  // namespace muster
