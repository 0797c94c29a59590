#pragma once

#include <span>
#include <string_view>

namespace muster::daemon {

// A file of web/ as it was when the program was built.
struct WebFile {
  std::string_view path;  // below web/
  std::string_view etag;  // in its quotation marks; another one when the content is another
  std::string_view content;
};

// In the order of their paths. Made from web/ by cmake/WriteWebFiles.cmake.
std::span<const WebFile> web_files();

}  // namespace muster::daemon
