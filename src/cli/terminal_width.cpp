#include "cli/terminal_width.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace muster::cli {

std::optional<std::size_t> output_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace muster::cli
