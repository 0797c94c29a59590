#include "cli/embedded_access.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <random>
#include <unistd.h>

#include "app/http_client.h"

namespace muster::cli {
namespace {

// Of a kubeconfig as embedded clusters write it; what follows is the address.
constexpr std::string_view kOwnBeginning = "apiVersion: v1\nkind: Config\nclusters:\n- name: muster\n  cluster:\n    server: ";
constexpr std::int64_t kPatienceNanos = 1'000'000'000;
constexpr std::size_t kLargestVersion = std::size_t{64} << 10;
constexpr int kAnswered = 200;

}  // namespace

std::string new_cluster_token() {
  std::random_device random;
  std::string out;
  for (int i = 0; i < 4; ++i) out += fmt::format("{:08x}", random());
  return out;
}

bool is_reachable_from_elsewhere(const std::string& listen) {
  return !listen.starts_with("127.") && !listen.starts_with("[::1]:") && !listen.starts_with("localhost:");
}

std::string what_is_overwritten(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return {};
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!text.starts_with(kOwnBeginning)) return path.string() + ", which is not the kubeconfig of an embedded cluster";
  const auto address = text.substr(kOwnBeginning.size(), text.find('\n', kOwnBeginning.size()) - kOwnBeginning.size());
  HttpRequest request;
  request.url = address + "/version";
  request.timeout_nanos = kPatienceNanos;
  request.largest_answer = kLargestVersion;
  const auto answer = HttpClient().send(request);
  return answer && answer->status == kAnswered ? path.string() + ", which leads to an embedded cluster that still runs" : "";
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
