#include "daemon/log.h"

#include "codec/json_writer.h"
#include "model/json.h"

namespace muster::daemon {
namespace {

std::string_view level_text(LogLevel level) {
  switch (level) {
    case LogLevel::kError: return "error";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kInfo: return "info";
    case LogLevel::kDebug: return "debug";
  }
  return "info";
}

bool is_plain(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n\"=\\") == std::string_view::npos &&
         text.find_first_of(std::string_view("\0", 1)) == std::string_view::npos;
}

}  // namespace

void Log::line(LogLevel level, std::string_view sentence, const Decided& by, Fields fields) {
  if (!shows(level)) return;
  const auto time = kube::micro_time(clock_.wall());
  const auto for_each_field = [&](const auto& write) {
    if (by.cycle != 0) write("cycle", std::to_string(by.cycle));
    if (!by.action.empty()) write("action", by.action);
    for (const auto& [key, value] : fields) write(key, value);
  };
  std::string out;
  if (settings_.json) {
    JsonWriter json(out);
    json.begin_object().member("time", time).member("level", level_text(level)).member("message", sentence);
    for_each_field([&](std::string_view key, const std::string& value) { json.member(key, value); });
    json.end_object();
  } else {
    out = time + " " + std::string(level_text(level)) + " " + json_string(sentence);
    for_each_field([&](std::string_view key, const std::string& value) {
      out += " " + std::string(key) + "=" + (is_plain(value) ? value : json_string(value));
    });
  }
  out += '\n';
  const std::lock_guard lock(mutex_);
  sink_(out);
}

}  // namespace muster::daemon
