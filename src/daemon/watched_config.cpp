#include "daemon/watched_config.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "kube/text_file.h"

namespace muster::daemon {
namespace {

// A pipe or a device: it can be read once, and whoever opens it may have to wait.
bool comes_once(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) && !std::filesystem::is_directory(status);
}

Result<std::string> read_once(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

Result<std::string> read_file(const std::string& path) {
  if (comes_once(path)) return fail(path + ": is not a file any more");
  return kube::read_text_file(path);
}

}  // namespace

ConfigInForce WatchedConfig::in_force() const {
  const std::lock_guard lock(mutex_);
  return {.file = file_, .text = text_};
}

Result<void> WatchedConfig::begin() {
  if (file_.empty()) return {};
  const bool changes = !comes_once(file_);
  auto text = changes ? read_file(file_) : read_once(file_);
  if (!text) return fail(std::move(text.error()));
  changes_ = changes;
  const std::lock_guard lock(mutex_);
  text_ = std::move(*text);
  return {};
}

ConfigLook WatchedConfig::look() {
  ConfigLook look;
  if (!changes_) return look;
  auto text = read_file(file_);  // without the lock: a mount may hang
  const std::lock_guard lock(mutex_);
  // Whoever writes it anew may have begun just now; and nobody says nothing to mean the default.
  if (text && text->empty() && !text_.empty()) text = fail(Error("is empty", Location{file_, 0, 0}));
  if (!text) {
    note_unreadable(std::move(text.error()), look);
    return look;
  }
  last_problem_.clear();
  look.is_readable_again = !std::exchange(told_problem_, {}).empty();
  if (*text == text_) refused_.clear();  // when it comes again, that is said again
  if (*text != text_ && *text != refused_) look.changed = std::move(*text);
  return look;
}

void WatchedConfig::note_unreadable(Error why, ConfigLook& look) {
  auto problem = why.text();
  const bool stays = problem == std::exchange(last_problem_, problem);
  if (!stays || problem == told_problem_) return;
  told_problem_ = std::move(problem);
  look.unreadable = std::move(why);
}

void WatchedConfig::take(std::string text) {
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
  refused_.clear();
}

void WatchedConfig::refuse(std::string text) {
  const std::lock_guard lock(mutex_);
  refused_ = std::move(text);
}

}  // namespace muster::daemon
