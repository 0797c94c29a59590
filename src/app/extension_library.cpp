#include "app/extension_library.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>

#include "policy/kai/settings_table.h"
#include "policy/volcano/settings_table.h"

namespace muster {
namespace {

constexpr const char* kSymbol = "muster_extension";

Result<std::vector<std::filesystem::path>> libraries_in(const std::string& directory) {
  std::error_code error;
  const auto status = std::filesystem::status(directory, error);
  if (!std::filesystem::exists(status)) return fail("--plugins-dir " + directory + ": there is no such directory");
  if (!std::filesystem::is_directory(status))
    return fail("--plugins-dir " + directory + ": is no directory: expected one with shared libraries (*.so)");
  std::vector<std::filesystem::path> paths;
  std::filesystem::directory_iterator at(directory, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error))
    if (at->path().extension() == ".so") paths.push_back(at->path());
  if (error) return fail("--plugins-dir " + directory + ": " + error.message());
  if (paths.empty()) return fail("--plugins-dir " + directory + ": holds no shared library (*.so)");
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string loader_says() {
  const char* text = ::dlerror();
  return text == nullptr ? "it does not say why" : text;
}

Result<Extension> load_library(const std::filesystem::path& path) {
  // A name without a slash would be looked for elsewhere.
  const auto file = path.has_parent_path() ? path.string() : "./" + path.string();
  void* opened = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return fail(file + ": cannot be loaded: expected a shared library: " + loader_says());
  std::shared_ptr<const void> library(opened, [](void* handle) { ::dlclose(handle); });
  void* symbol = ::dlsym(opened, kSymbol);
  if (symbol == nullptr)
    return fail(file + ": does not export " + kSymbol + ": expected a library that is built with include/muster/extension.h");
  const auto function = reinterpret_cast<muster_extension_function>(symbol);
  return read_extension(function(), file, std::move(library));
}

std::vector<std::string_view> built_in_names(Dialect dialect) {
  std::vector<std::string_view> names;
  if (dialect == Dialect::kKai) {
    for (const auto settings : {kai::action_settings(), kai::plugin_settings()})
      for (const auto& setting : settings) names.push_back(setting.name);
    return names;
  }
  for (const auto settings : {volcano::action_settings(), volcano::plugin_settings(), volcano::other_configurations()})
    for (const auto& setting : settings) names.push_back(setting.name);
  return names;
}

}  // namespace

Result<ExtensionSet> load_extensions(const std::string& directory, Dialect dialect) {
  const auto paths = libraries_in(directory);
  if (!paths) return fail(paths.error());
  ExtensionSet set;
  const auto taken = built_in_names(dialect);
  for (const auto& path : *paths) {
    auto extension = load_library(path);
    if (!extension) return fail(std::move(extension.error()));
    if (auto added = set.add(std::move(*extension), taken); !added) return fail(std::move(added.error()));
  }
  return set;
}

Result<ExtensionSet> load_extensions(const std::optional<std::string>& directory, Dialect dialect) {
  return directory ? load_extensions(*directory, dialect) : ExtensionSet();
}

}  // namespace muster
