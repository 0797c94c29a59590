# The libraries from outside, found once. Which layer may link which is said in src/*/CMakeLists.txt and nowhere else.

find_package(Boost 1.81 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(CURL 7.85 REQUIRED)
find_package(fmt REQUIRED)
find_package(simdjson REQUIRED)
find_package(tl-expected REQUIRED)
find_package(ZLIB REQUIRED)

find_path(MUSTER_FYAML_INCLUDE libfyaml.h REQUIRED)
find_library(MUSTER_FYAML_LIBRARY fyaml REQUIRED)
add_library(muster_fyaml INTERFACE)
target_link_libraries(muster_fyaml INTERFACE "${MUSTER_FYAML_LIBRARY}")

find_path(MUSTER_RE2_INCLUDE re2/re2.h REQUIRED)
find_library(MUSTER_RE2_LIBRARY re2 REQUIRED)
find_package(Threads REQUIRED)
add_library(muster_re2 INTERFACE)
target_link_libraries(muster_re2 INTERFACE "${MUSTER_RE2_LIBRARY}" Threads::Threads)

if(MUSTER_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(OpenSSL REQUIRED)
endif()
