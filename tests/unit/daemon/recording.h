#pragma once

// A recording in a folder of its own, which goes with it.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "daemon/recorded_cluster.h"
#include "daemon/tape_player.h"
#include "daemon/tape_recorder.h"

namespace muster::daemon {

class Recording {
 public:
  Recording() {
    static int count = 0;
    folder_ =
        std::filesystem::temp_directory_path() / ("muster-tape-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
    std::filesystem::remove_all(folder_);
  }
  ~Recording() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::shared_ptr<tape::Recorder> recorder(std::uint64_t most_bytes = std::uint64_t{1} << 30, std::uint64_t segment_bytes = 0) {
    auto made = tape::Recorder::open(
        {.folder = folder_, .most_bytes = most_bytes, .segment_bytes = segment_bytes, .version = "test"}, clock_, log_);
    return made ? std::shared_ptr<tape::Recorder>(std::move(*made)) : nullptr;
  }
  // A cluster that is written down.
  std::unique_ptr<LiveCluster> cluster(const std::shared_ptr<tape::Recorder>& to, tape::Life life, const std::string& config,
                                       Outside outside = {}) {
    tape::Opening opening;
    opening.life_id = ++lives_;
    opening.life = life;
    opening.config = config;
    opening.config_file = "config";
    opening.gpu_groups = "g-";
    const auto sink = tape_sink(to, opening);
    auto made = clusters_of(life, noted_outside(sink, std::move(outside)), {}, log_)(config, "config");
    if (!made) problem = made.error().text();
    return made ? recorded(std::move(*made), sink) : nullptr;
  }
  std::vector<std::filesystem::path> segments() const { return tape::segments_in(folder_); }
  tape::Replay replay(std::vector<std::filesystem::path> segments, std::optional<std::uint64_t> until = {}) const {
    return tape::replay(segments, {.until = until, .dialect = {}, .version = "test"});
  }
  tape::Replay replay() const { return replay(segments()); }
  std::uint64_t size() const {
    std::uint64_t all = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_)) all += file.file_size();
    return all;
  }
  static std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return std::move(text).str();
  }
  static void write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

  Log& log() { return log_; }
  std::string lines;    // of the log
  std::string problem;  // with a configuration

 private:
  std::filesystem::path folder_;
  kube::SystemClock clock_;
  Log log_{{}, clock_, [this](std::string_view line) { lines += line; }};
  std::uint64_t lives_ = 0;
};

// All that is different, in words.
inline std::string differences(const tape::Replay& replay) {
  std::string out;
  if (replay.broken) out += replay.broken->text() + "\n";
  for (const auto& one : replay.differences)
    for (const auto& line : one.lines) out += "cycle " + std::to_string(one.cycle) + ": " + line + "\n";
  return out;
}

}  // namespace muster::daemon
