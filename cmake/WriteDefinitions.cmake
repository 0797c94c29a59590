# Writes the source that holds the definitions of custom resources:
#
#   cmake -DROOT=. "-DFOLDERS=deploy/crds;src/sim/definitions" -DOUTPUT=FILE.cpp -P cmake/WriteDefinitions.cmake
#
# They are text, so each is a raw string: that compiles at once, and the compiler cache knows it again.
set(rows "")
foreach(folder IN LISTS FOLDERS)
  file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/${folder}/*.yaml")
  if(NOT files)
    message(FATAL_ERROR "${ROOT}/${folder} has no definitions")
  endif()
  foreach(file IN LISTS files)
    file(READ "${ROOT}/${file}" text)
    string(FIND "${text}" ")definition\"" end)
    if(NOT end EQUAL -1)
      message(FATAL_ERROR "${file} holds what would end its string")
    endif()
    string(APPEND rows "    {\"${file}\", R\"definition(${text})definition\"},\n")
  endforeach()
endforeach()

file(WRITE "${OUTPUT}" "#include \"sim/definition_files.h\"

namespace muster::sim {
namespace {

constexpr DefinitionFile kDefinitionFiles[] = {
${rows}};

}  // namespace

std::span<const DefinitionFile> definition_files() { return kDefinitionFiles; }

}  // namespace muster::sim
")
