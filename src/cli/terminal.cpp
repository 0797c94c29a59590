#include "cli/terminal.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "app/printable_text.h"

namespace muster::cli {
namespace {

// What became of standard output; there is one per process.
struct OutputState {
  bool reader_gone = false;
  int error = 0;
};
OutputState& output_state() {
  static OutputState state;
  return state;
}

void note_failure() {
  auto& state = output_state();
  if (errno == EPIPE)
    state.reader_gone = true;
  else
    state.error = errno;
}

std::int64_t milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void say_lines(std::string_view prefix, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    out.append(prefix).append(printable(text.substr(0, end))).append("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::fwrite(out.data(), 1, out.size(), stderr);
}

}  // namespace

Paint output_paint() {
  const char* no_colour = std::getenv("NO_COLOR");
  const bool refused = no_colour != nullptr && *no_colour != '\0';
  return ::isatty(STDOUT_FILENO) == 1 && !refused ? Paint::ansi() : Paint::none();
}

bool write_output(std::string_view text) {
  auto& state = output_state();
  if (state.reader_gone || state.error != 0) return false;
  std::signal(SIGPIPE, SIG_IGN);
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return true;
  note_failure();
  return false;
}

ExitCode finish_output(ExitCode code) {
  auto& state = output_state();
  errno = 0;
  if (!state.reader_gone && state.error == 0 && std::fflush(stdout) != 0) note_failure();
  if (state.error != 0) return complain("standard output cannot be written to: " + std::string(std::strerror(state.error)));
  return code;
}

ExitCode complain(std::string_view text) {
  say_lines("muster: ", text);
  return ExitCode::kBadInput;
}

void note(std::string_view text) {
  const auto line = "note: " + printable(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

ProgressLine::ProgressLine() : watched_(::isatty(STDERR_FILENO) == 1), started_(milliseconds()) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

Progress ProgressLine::listener() {
  return [this](std::string_view doing, std::uint64_t done) { show(doing, done); };
}

void ProgressLine::show(std::string_view doing, std::uint64_t done) {
  constexpr std::int64_t kPatience = 1000;
  constexpr std::int64_t kInterval = 200;
  if (!watched_) return;
  const auto now = milliseconds();
  if (now - started_ < kPatience || now - last_ < kInterval) return;
  last_ = now;
  shown_ = true;
  std::fprintf(stderr, "\r\x1b[K%s: %llu", printable(doing).c_str(), static_cast<unsigned long long>(done));
  std::fflush(stderr);
}

}  // namespace muster::cli
