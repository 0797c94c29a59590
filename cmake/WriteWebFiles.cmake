# Writes the source that holds the files of the dashboard:
#
#   cmake -DFOLDER=web -DOUTPUT=FILE.cpp -P cmake/WriteWebFiles.cmake
#
# They are text, so each is a raw string: that compiles at once, and the compiler cache knows it again. A tag is a hash of the content.
file(GLOB_RECURSE files RELATIVE "${FOLDER}" "${FOLDER}/*.html" "${FOLDER}/*.js" "${FOLDER}/*.css" "${FOLDER}/*.svg")
if(NOT EXISTS "${FOLDER}/index.html")
  message(FATAL_ERROR "${FOLDER} has no index.html")
endif()

set(rows "")
foreach(file IN LISTS files)
  file(READ "${FOLDER}/${file}" text)
  string(FIND "${text}" ")web_file\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "${FOLDER}/${file} holds what would end its string")
  endif()
  file(SHA256 "${FOLDER}/${file}" hash)
  string(SUBSTRING "${hash}" 0 16 hash)
  string(APPEND rows "    {\"${file}\", \"\\\"${hash}\\\"\", R\"web_file(${text})web_file\"sv},\n")
endforeach()

file(WRITE "${OUTPUT}" "#include \"daemon/web_files.h\"

namespace muster::daemon {
namespace {

using namespace std::string_view_literals;

constexpr WebFile kWebFiles[] = {
${rows}};

}  // namespace

std::span<const WebFile> web_files() { return kWebFiles; }

}  // namespace muster::daemon
")
