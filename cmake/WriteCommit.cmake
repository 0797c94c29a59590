# Writes the source that says which commit is built, when that has changed:
#
#   cmake -DSOURCE=FOLDER -DOUTPUT=FILE.cpp -P cmake/WriteCommit.cmake
#
# The environment's MUSTER_COMMIT is believed; else git is asked; else what `git archive` left in cmake/commit.txt counts, which is how
# the released sources know. It runs with every build, because a commit is made without any CMake file changing.

# Asks git about the tree; the tree of another project around this one does not count.
function(ask_git out)
  set(git git -c safe.directory=* -C "${SOURCE}")
  execute_process(COMMAND ${git} rev-parse --show-prefix OUTPUT_VARIABLE prefix RESULT_VARIABLE failed ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed OR prefix)
    return()
  endif()
  execute_process(COMMAND ${git} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit RESULT_VARIABLE failed ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    return()
  endif()
  execute_process(COMMAND ${git} diff --quiet HEAD -- RESULT_VARIABLE changed ERROR_QUIET)
  if(changed)
    string(APPEND commit " with changes")
  endif()
  set(${out} "${commit}" PARENT_SCOPE)
endfunction()

function(read_archived out)
  if(NOT EXISTS "${SOURCE}/cmake/commit.txt")
    return()
  endif()
  file(READ "${SOURCE}/cmake/commit.txt" archived)
  string(STRIP "${archived}" archived)
  if(archived MATCHES "^[0-9a-f]+$")
    string(SUBSTRING "${archived}" 0 12 archived)
    set(${out} "${archived}" PARENT_SCOPE)
  endif()
endfunction()

string(SUBSTRING "$ENV{MUSTER_COMMIT}" 0 12 commit)
if(commit AND NOT commit MATCHES "^[0-9a-f]+$")
  message(FATAL_ERROR "MUSTER_COMMIT is no commit: $ENV{MUSTER_COMMIT}")
endif()
if(NOT commit)
  ask_git(commit)
endif()
if(NOT commit)
  read_archived(commit)
endif()
if(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
#include "cli/build_commit.h"

namespace muster::cli {
std::string_view build_commit() { return "@commit@"; }
}  // namespace muster::cli
]])
