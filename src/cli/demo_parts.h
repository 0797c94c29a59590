#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/result.h"
#include "cli/scheduler_options.h"
#include "daemon/recorded_cluster.h"

namespace muster::cli {

// As a shell reads it as one word.
std::string shell_word(const std::string& text);
// A file of examples/, from where the program was started: below the current folder, beside the program, or where its build folder
// is. Empty: it is nowhere there.
std::string example_file(const std::string& name, const std::string& started_as);

// A folder for what the parts of a demo tell each other by files; gone with the demo.
class DemoFolder {
 public:
  DemoFolder() = default;
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;
  ~DemoFolder();

  Result<void> make();
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// An address whose port is known: where it is 0, one that is free now. An error when it cannot be listened on.
struct DemoAddress {
  std::string host;  // as it was given, perhaps empty
  std::uint16_t port = 0;

  std::string listen() const { return host + ":" + std::to_string(port); }
  std::string page() const;  // for a browser on this machine
};
Result<DemoAddress> claim_address(const std::string& listen);

// The scheduler as `muster scheduler` would run it, on a thread of its own, writing its log into a file.
class DemoScheduler {
 public:
  DemoScheduler(const SchedulerCommand& command, const std::string& log_file);
  DemoScheduler(const DemoScheduler&) = delete;
  DemoScheduler& operator=(const DemoScheduler&) = delete;
  ~DemoScheduler();  // stops

  // An error when it could not start, or ended by itself.
  Result<void> look();

 private:
  std::ofstream lines_;
  kube::SystemClock clock_;
  daemon::Log log_;
  daemon::Numbers numbers_;
  std::shared_ptr<daemon::StateKeeper> keeper_;  // of what what-if answers from
  daemon::Daemon daemon_;
  std::mutex mutex_;
  std::optional<Result<void>> ended_;  // guarded by the mutex
  std::thread thread_;
};

// Waits from step to step, until it is asked to stop.
class DemoPace {
 public:
  void stop();
  // False: it was asked to stop.
  bool wait(std::chrono::milliseconds step);

 private:
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool stopped_ = false;
};

}  // namespace muster::cli
