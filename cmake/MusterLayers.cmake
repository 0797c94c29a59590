# A layer is a folder of src/ and the static library made from it. It sees the headers of its own folder and of the layers
# that it names, and no others: every layer exports an include directory that holds nothing but a link to its folder, so a
# forbidden #include "codec/…" does not compile. Headers of foreign libraries share /usr/include; tools/check-layers guards those.
#
#   muster_layer(policy/volcano USES engine [PUBLIC fmt::fmt] [PRIVATE simdjson::simdjson] [WITHOUT main.cpp] [TOP])
#
# makes muster_policy_volcano. A folder without sources becomes an INTERFACE library, so that configuring never fails. Only those
# who use a TOP layer are compiled with its flags, so that a new one leaves every other object in the compiler cache valid.
function(muster_layer folder)
  cmake_parse_arguments(PARSE_ARGV 1 layer "TOP" "" "USES;PUBLIC;PRIVATE;WITHOUT")
  string(REPLACE "/" "_" name "muster_${folder}")
  set(include "${CMAKE_BINARY_DIR}/layers/${name}")
  muster_expose("${folder}" "${include}")

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${folder}/*.cpp")
  foreach(left_out IN LISTS layer_WITHOUT)
    list(REMOVE_ITEM sources "${CMAKE_SOURCE_DIR}/src/${folder}/${left_out}")
  endforeach()
  list(TRANSFORM layer_USES REPLACE "/" "_")
  list(TRANSFORM layer_USES PREPEND "muster_")

  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC "${include}")
    target_link_libraries(${name} PUBLIC muster_flags ${layer_USES} ${layer_PUBLIC} PRIVATE ${layer_PRIVATE})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE "${include}")
    target_link_libraries(${name} INTERFACE muster_flags ${layer_USES} ${layer_PUBLIC})
  endif()
  set(as_in_source "-fmacro-prefix-map=${include}/=src/")
  if(NOT layer_TOP)
    target_compile_options(muster_flags INTERFACE "${as_in_source}")
  elseif(sources)
    # Of two that fit, the compiler takes the last: so it comes after that of the whole source tree in muster_flags.
    add_library(${name}_paths INTERFACE)
    target_compile_options(${name}_paths INTERFACE "${as_in_source}")
    target_link_libraries(${name} PUBLIC ${name}_paths)
  endif()
endfunction()

# Makes `include` show src/<folder> as <folder> and nothing else.
function(muster_expose folder include)
  get_filename_component(parent "${include}/${folder}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  file(CREATE_LINK "${CMAKE_SOURCE_DIR}/src/${folder}" "${include}/${folder}" SYMBOLIC)
endfunction()

# What libraries from outside compile against.
add_library(muster_include INTERFACE)
target_include_directories(muster_include INTERFACE "${CMAKE_SOURCE_DIR}/include")
