#pragma once

#include <string>

#include "kube/clock.h"

namespace muster::daemon {

// A beginning for names, so that with the twelve digits that follow they have the form of UUIDs (version 4).
std::string uuid_beginning(const kube::RandomSource& random);
// A whole one.
std::string uuid(const kube::RandomSource& random);

}  // namespace muster::daemon
