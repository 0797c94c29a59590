#pragma once

#include <string>

#include "daemon/program_symbols.h"
#include "daemon/stack_sampler.h"

namespace muster::daemon {

struct ProfileTimes {
  std::int64_t began_nanos = 0;  // since 1970
  std::int64_t lasted_nanos = 0;
};

// A profile as pprof and its relatives read it, which also take it packed with gzip: the message perftools.profiles.Profile. Frames
// whose function is not known have their address, and which file it is of, so that they can be looked up where the symbols are.
std::string pprof_message(const StackSamples& samples, const ProfileTimes& times, ProgramSymbols& symbols);

}  // namespace muster::daemon
