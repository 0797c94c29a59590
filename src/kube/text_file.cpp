#include "kube/text_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::kube {
namespace {

constexpr std::size_t kLargest = std::size_t{8} << 20;

Error wrong(const std::string& path, const std::string& message) { return {message, Location{path, 0, 0}}; }

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return fail(wrong(path, std::string("cannot be opened: ") + std::strerror(errno)));
  std::string out;
  char buffer[4096];
  ssize_t count = 0;
  while ((count = ::read(file, buffer, sizeof buffer)) > 0 && out.size() <= kLargest)
    out.append(buffer, static_cast<std::size_t>(count));
  const int code = errno;
  ::close(file);
  if (count < 0) return fail(wrong(path, std::string("cannot be read: ") + std::strerror(code)));
  if (out.size() > kLargest) return fail(wrong(path, "is too large for what it should be"));
  return out;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

}  // namespace muster::kube
