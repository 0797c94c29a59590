#include "cli/demo_parts.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "daemon/state_keeper.h"

namespace muster::cli {
namespace {

daemon::DaemonOptions with_keeper(const SchedulerCommand& command, std::shared_ptr<daemon::StateKeeper> keeper) {
  auto out = daemon_options(command);
  out.keeper = std::move(keeper);
  return out;
}

// The port of a socket that is bound to this address; closed again at once, so that somebody else may have it a moment later.
Result<std::uint16_t> bound_port(const addrinfo& address) {
  const int descriptor = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return fail(std::strerror(errno));
  const int yes = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  char port[NI_MAXSERV] = {};
  const bool good = ::bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 && ::listen(descriptor, 1) == 0 &&
                    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) == 0 &&
                    ::getnameinfo(reinterpret_cast<sockaddr*>(&bound), size, nullptr, 0, port, sizeof port, NI_NUMERICSERV) == 0;
  const std::string reason = std::strerror(errno);
  ::close(descriptor);
  if (!good) return fail(reason);
  return static_cast<std::uint16_t>(std::strtoul(port, nullptr, 10));
}

}  // namespace

std::string shell_word(const std::string& text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+:@%,=").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string example_file(const std::string& name, const std::string& started_as) {
  const auto program = std::filesystem::path(started_as);
  std::vector<std::filesystem::path> places = {"examples"};
  if (program.has_parent_path()) {
    places.push_back(program.parent_path() / "examples");
    places.push_back((program.parent_path() / "../../examples").lexically_normal());
  }
  std::error_code ignored;
  for (const auto& place : places)
    if (std::filesystem::is_regular_file(place / name, ignored)) return (place / name).string();
  return {};
}

DemoFolder::~DemoFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<void> DemoFolder::make() {
  std::error_code error;
  auto name = (std::filesystem::temp_directory_path(error) / "muster-demo.XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr) return fail(name + ": no such folder can be made for temporary files");
  path_ = name;
  return {};
}

std::string DemoAddress::page() const {
  const bool is_everywhere = host.empty() || host == "0.0.0.0" || host == "[::]";
  return fmt::format("http://{}:{}/", is_everywhere ? "127.0.0.1" : host, port);
}

Result<DemoAddress> claim_address(const std::string& listen) {
  const auto colon = listen.rfind(':');
  std::uint16_t number = 0;
  const auto* end = listen.data() + listen.size();
  const auto read = colon == std::string::npos ? std::from_chars_result{end, std::errc::invalid_argument}
                                               : std::from_chars(listen.data() + colon + 1, end, number);
  if (read.ec != std::errc() || read.ptr != end) return fail("\"" + listen + "\" is not an address such as 127.0.0.1:8080");
  DemoAddress out{.host = listen.substr(0, colon)};
  const auto port = std::to_string(number);
  auto name = out.host;
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(name.empty() ? nullptr : name.c_str(), port.c_str(), &hints, &found); error != 0)
    return fail(fmt::format("\"{}\" is not an address such as 127.0.0.1:8080: {}", listen, ::gai_strerror(error)));
  const auto bound = bound_port(*found);
  ::freeaddrinfo(found);
  if (!bound) return fail(fmt::format("{}: {}; --listen 127.0.0.1:0 takes any port that is free", listen, bound.error().message));
  out.port = *bound;
  return out;
}

DemoScheduler::DemoScheduler(const SchedulerCommand& command, const std::string& log_file)
    : lines_(log_file),
      log_({}, clock_, [this](std::string_view line) { lines_ << line << std::flush; }),
      numbers_{.kai = std::make_shared<daemon::KaiNumbers>(), .volcano = std::make_shared<daemon::VolcanoNumbers>()},
      keeper_(std::make_shared<daemon::StateKeeper>(log_)),
      daemon_(with_keeper(command, keeper_), daemon::recorded_clusters(taped_life(command), numbers_, keeper_, log_), log_) {
  if (command.is_kai())
    numbers_.kai->show_in(daemon_.registry(), command.metrics_namespace);
  else
    numbers_.volcano->show_in(daemon_.registry(), clock_);
  thread_ = std::thread([this] {
    auto ended = daemon_.run();
    const std::lock_guard lock(mutex_);
    ended_ = std::move(ended);
  });
}

DemoScheduler::~DemoScheduler() {
  daemon_.stop();
  thread_.join();
}

Result<void> DemoScheduler::look() {
  const std::lock_guard lock(mutex_);
  if (!ended_) return {};
  return fail(*ended_ ? Error("the scheduler has ended") : ended_->error());
}

void DemoPace::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  wakes_.notify_all();
}

bool DemoPace::wait(std::chrono::milliseconds step) {
  std::unique_lock lock(mutex_);
  return !wakes_.wait_for(lock, step, [this] { return stopped_; });
}

}  // namespace muster::cli
