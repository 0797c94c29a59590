#pragma once

#include <functional>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/decided.h"
#include "kube/clock.h"

namespace muster::daemon {

enum class LogLevel { kError, kWarning, kInfo, kDebug };

// Lines for whoever runs the scheduler: a time, a level, a sentence, and what it is about as key=value, or all of it as JSON. From
// any thread, a line at a time.
class Log {
 public:
  using Field = std::pair<std::string_view, std::string>;
  using Sink = std::function<void(std::string_view line)>;

  struct Settings {
    LogLevel level = LogLevel::kInfo;
    bool json = false;
  };
  Log(Settings settings, const kube::Clock& clock, Sink sink) : settings_(settings), clock_(clock), sink_(std::move(sink)) {}

  using Fields = std::initializer_list<Field>;
  void error(std::string_view sentence, Fields fields = {}) { line(LogLevel::kError, sentence, {}, fields); }
  void warn(std::string_view sentence, Fields fields = {}) { line(LogLevel::kWarning, sentence, {}, fields); }
  void info(std::string_view sentence, Fields fields = {}) { line(LogLevel::kInfo, sentence, {}, fields); }
  void debug(std::string_view sentence, Fields fields = {}) { line(LogLevel::kDebug, sentence, {}, fields); }
  // Of what a cycle decides or has decided: cycle=N and action=NAME, where there are such, and then the fields.
  void error(std::string_view sentence, const Decided& by, Fields fields) { line(LogLevel::kError, sentence, by, fields); }
  void warn(std::string_view sentence, const Decided& by, Fields fields) { line(LogLevel::kWarning, sentence, by, fields); }
  void info(std::string_view sentence, const Decided& by, Fields fields) { line(LogLevel::kInfo, sentence, by, fields); }
  void debug(std::string_view sentence, const Decided& by, Fields fields) { line(LogLevel::kDebug, sentence, by, fields); }
  bool shows(LogLevel level) const { return level <= settings_.level; }

 private:
  void line(LogLevel level, std::string_view sentence, const Decided& by, Fields fields);

  const Settings settings_;
  const kube::Clock& clock_;
  std::mutex mutex_;
  Sink sink_;
};

}  // namespace muster::daemon
