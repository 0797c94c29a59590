# How everything is compiled: the warnings, the sanitizers, and the tools that make a build quick when they are installed.

# The target that every other target of the project links: it carries the compiler flags.
add_library(muster_flags INTERFACE)

find_program(MUSTER_CCACHE ccache)
if(MUSTER_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${MUSTER_CCACHE}")
endif()
find_program(MUSTER_MOLD mold)
if(MUSTER_MOLD)
  target_link_options(muster_flags INTERFACE -fuse-ld=mold)
endif()

# Warnings are errors for the compiler that makes the release; clang, used for fuzzing, has its say through clang-tidy.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(muster_flags INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
  # g++ 12 sees overlapping copies in "text" + std::string, which is right (GCC bug 105651).
  target_compile_options(muster_flags INTERFACE -Wno-restrict)
  # And reads past the end of boost's small_vector, where there are none.
  target_compile_options(muster_flags INTERFACE -Wno-stringop-overread)
endif()

# Every x86-64 server since 2009 counts bits in one instruction; the first ones did not.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(muster_flags INTERFACE -march=x86-64-v2)
endif()

# A fused multiply-add rounds once where the originals round twice; shares decide, so it must not depend on the processor.
target_compile_options(muster_flags INTERFACE -ffp-contract=off)

# The text of a failed assertion names src/…, not the folder of one machine.
target_compile_options(muster_flags INTERFACE "-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=")

if(MUSTER_DEBUG_CHECKS)
  target_compile_definitions(muster_flags INTERFACE MUSTER_DEBUG_CHECKS _GLIBCXX_ASSERTIONS)
endif()
if(MUSTER_SANITIZE)
  set(sanitize "-fsanitize=${MUSTER_SANITIZE}" -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_compile_options(muster_flags INTERFACE ${sanitize})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code confuses the warnings that follow values through it; the other presets have them.
    target_compile_options(muster_flags INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow)
  endif()
  target_link_options(muster_flags INTERFACE ${sanitize})
endif()
