# A layer is a folder of src/ and the static library made from it. It sees the headers of its own folder and of the layers
# that it names, and no others: every layer exports an include directory that holds nothing but a link to its folder, so a
# forbidden #include "codec/…" does not compile. Headers of foreign libraries share /usr/include; tools/check-layers guards those.
#
#   muster_layer(policy/volcano USES engine [PUBLIC fmt::fmt] [PRIVATE simdjson::simdjson] [WITHOUT main.cpp] [TOP] [WAITS])
#
# makes muster_policy_volcano. A folder without sources becomes an INTERFACE library, so that configuring never fails. Only those
# who use a TOP layer are compiled with its flags, so that a new one leaves every other object in the compiler cache valid.
# A layer that WAITS spends its time on sockets, files and in the layers below: where sanitizers make optimising slow, it is compiled without.
function(muster_layer folder)
  cmake_parse_arguments(PARSE_ARGV 1 layer "TOP;WAITS" "" "USES;PUBLIC;PRIVATE;WITHOUT")
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
    if(MUSTER_UNITY)
      muster_unite(${name} ${sources})
    endif()
    if(MUSTER_SANITIZE AND layer_WAITS)
      target_compile_options(${name} PRIVATE -O0)
    endif()
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

# Compiles the sources of a layer in batches: most of their compile time goes into headers that they share. Sources of one dialect
# never meet those of the other, because each calls the types of its own by their short names (using kai::Session), and a source whose
# tables are written in the bare names of enumerators stays alone. What must be different among those that meet is checked by
# tools/check-names.
function(muster_unite name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Members of a type of an anonymous namespace: wrong in a header, which the other builds see, and right in a source, which a batch
    # looks to the compiler as if it included.
    target_compile_options(${name} PRIVATE -Wno-subobject-linkage)
  endif()
  set(others "")
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" bare_enumerators REGEX "^using enum ")
    if(NOT bare_enumerators)
      list(APPEND others "${source}")
    endif()
  endforeach()
  set(kai ${others})
  list(FILTER kai INCLUDE REGEX "/kai_[^/]*$")
  list(FILTER others EXCLUDE REGEX "/kai_[^/]*$")
  foreach(side IN ITEMS kai others)
    set(at 0)
    foreach(source IN LISTS ${side})
      math(EXPR batch "${at} / 8")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${side}_${batch}")
      math(EXPR at "${at} + 1")
    endforeach()
  endforeach()
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
