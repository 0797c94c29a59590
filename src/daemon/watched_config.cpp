#include "daemon/watched_config.h"

#include <fstream>
#include <sstream>

namespace muster::daemon {
namespace {

Result<std::string> read_text(const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) return fail(path + ": cannot be read");
  return std::move(text).str();
}

}  // namespace

ConfigInForce WatchedConfig::in_force() const {
  const std::lock_guard lock(mutex_);
  return {.file = file_, .text = text_};
}

Result<void> WatchedConfig::begin() {
  auto text = read_text(file_);
  if (!text) return fail(std::move(text.error()));
  take(std::move(*text));
  return {};
}

std::optional<std::string> WatchedConfig::changed() const {
  auto text = read_text(file_);
  const std::lock_guard lock(mutex_);
  if (!text || *text == text_ || *text == refused_) return std::nullopt;
  return std::move(*text);
}

void WatchedConfig::take(std::string text) {
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
}

void WatchedConfig::refuse(std::string text) {
  const std::lock_guard lock(mutex_);
  refused_ = std::move(text);
}

}  // namespace muster::daemon
