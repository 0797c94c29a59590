#include "kube/process.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kube/text_file.h"
#include "model/quoted.h"

namespace muster::kube {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr std::size_t kMostComplaint = 2048;

struct Pipe {
  int ends[2] = {-1, -1};

  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool open() const { return ends[0] >= 0; }
  void close(int end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

std::vector<std::string> variables_with(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> out;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const auto name = text.substr(0, text.find('='));
    if (std::none_of(added.begin(), added.end(), [&](const auto& one) { return one.first == name; })) out.emplace_back(text);
  }
  for (const auto& [name, value] : added) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// The error number, 0 when it runs.
int start(const Program& program, const Pipe& output, const Pipe& complaints, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, complaints.ends[1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> arguments{program.command};
  arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
  auto variables = variables_with(program.environment);
  const int code = ::posix_spawnp(&child, program.command.c_str(), &actions, &attributes, pointers(arguments).data(),
                                  pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

enum class Reading { kEnded, kTooLong, kTooMuch };

// Reads both pipes to their ends.
Reading read_both(Pipe& output, Pipe& complaints, Instant deadline, std::string& out, std::string& err) {
  char buffer[4096];
  while (output.ends[0] >= 0 || complaints.ends[0] >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) return Reading::kTooLong;
    pollfd waiting[2] = {{output.ends[0], POLLIN, 0}, {complaints.ends[0], POLLIN, 0}};
    if (::poll(waiting, 2, static_cast<int>(std::min<std::int64_t>(left, 1000))) < 0 && errno != EINTR) return Reading::kEnded;
    for (Pipe* pipe : {&output, &complaints}) {
      if (waiting[pipe == &output ? 0 : 1].revents == 0) continue;
      const auto count = ::read(pipe->ends[0], buffer, sizeof buffer);
      if (count <= 0)
        pipe->close(0);
      else
        (pipe == &output ? out : err).append(buffer, static_cast<std::size_t>(count));
    }
    if (out.size() > kMostOutput) return Reading::kTooMuch;
    if (err.size() > kMostComplaint) err.erase(0, err.size() - kMostComplaint);
  }
  return Reading::kEnded;
}

// Who closed its output and does not end is killed as well.
int wait_for(pid_t child, Instant deadline) {
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= deadline) ::kill(-child, SIGKILL);
    ::usleep(1000);
  }
  return status;
}

}  // namespace

Result<std::string> output_of(const Program& program, Duration longest) {
  const Instant deadline = std::chrono::steady_clock::now() + longest;
  Pipe output;
  Pipe complaints;
  if (!output.open() || !complaints.open()) return fail(std::string("no pipe: ") + std::strerror(errno));
  const auto name = muster::quoted(program.command);
  pid_t child = 0;
  if (const int code = start(program, output, complaints, child); code != 0)
    return fail(name + " cannot be started: " + std::strerror(code));
  output.close(1);
  complaints.close(1);
  std::string out;
  std::string err;
  const auto reading = read_both(output, complaints, deadline, out, err);
  if (reading != Reading::kEnded) ::kill(-child, SIGKILL);
  const int status = wait_for(child, deadline);
  if (reading == Reading::kTooMuch) return fail(name + " printed more than a megabyte");
  if (reading == Reading::kTooLong)
    return fail(name + " took longer than " + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(longest).count()) +
                " s");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return out;
  const auto how = WIFEXITED(status) ? " ended with status " + std::to_string(WEXITSTATUS(status)) : std::string(" was killed");
  return fail(name + how + (err.empty() ? "" : ": " + shortened(trimmed(err))));
}

}  // namespace muster::kube
