#pragma once

namespace muster::cli {

// The whole program: reads the arguments, runs the command, and returns the exit status.
int run(int argc, char** argv);

}  // namespace muster::cli
