#include "cli/embedded_access.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <random>
#include <unistd.h>

namespace muster::cli {

std::string new_cluster_token() {
  std::random_device random;
  std::string out;
  for (int i = 0; i < 4; ++i) out += fmt::format("{:08x}", random());
  return out;
}

Result<void> write_kubeconfig(const std::filesystem::path& path, const std::string& text) {
  // A new file, which nobody has open already and no link leads to, is put in the place of what was there.
  auto beside = path;
  beside += "." + new_cluster_token().substr(0, 8);
  const int file = ::open(beside.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
  const auto wrong = [&] { return fail(path.string() + ": cannot be written: " + std::strerror(errno)); };
  if (file < 0) return wrong();
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (::close(file) == 0 && written && ::rename(beside.c_str(), path.c_str()) == 0) return {};
  auto out = wrong();
  ::unlink(beside.c_str());
  return out;
}

}  // namespace muster::cli
