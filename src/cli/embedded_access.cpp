#include "cli/embedded_access.h"

#include <fmt/format.h>
#include <fstream>
#include <random>

namespace muster::cli {

std::string new_cluster_token() {
  std::random_device random;
  std::string out;
  for (int i = 0; i < 4; ++i) out += fmt::format("{:08x}", random());
  return out;
}

Result<void> write_kubeconfig(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::remove(path, error);  // one that was made for everybody to read stays so
  std::ofstream(path).close();
  std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, error);
  std::ofstream out(path);
  out << text << std::flush;
  if (!out || error) return fail(path.string() + ": cannot be written");
  return {};
}

}  // namespace muster::cli
