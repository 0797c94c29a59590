#include "engine/extension/extension.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <fmt/format.h>

#include "engine/extension/host.h"

namespace muster {
namespace {

constexpr std::size_t kLongestName = 63;
constexpr std::size_t kLongestText = 1024;

// The first part of a table, as long as both sides know it; the rest stays null.
template <class Table>
Table known_part(const Table& from) {
  Table table{};
  std::memcpy(&table, &from, std::min(from.size, sizeof(Table)));
  return table;
}

bool is_name(std::string_view name) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), allowed);
}

bool answers_anything(const muster_plugin& p) {
  return p.session_open != nullptr || p.session_close != nullptr || p.group_rank != nullptr || p.compare_pods != nullptr ||
         p.compare_queues != nullptr || p.group_valid != nullptr || p.group_admissible != nullptr || p.predicate != nullptr ||
         p.score != nullptr || p.preemptable != nullptr || p.reclaimable != nullptr || p.on_allocate != nullptr;
}

// What is wrong with the tables; empty when nothing is.
std::string objection(const Extension& extension) {
  if (!is_name(extension.name))
    return fmt::format("calls itself \"{}\": expected a name of at most {} small letters, digits and hyphens", extension.name,
                       kLongestName);
  if (extension.table.initialise == nullptr || extension.table.close == nullptr)
    return fmt::format("\"{}\" has no function {}: expected both initialise and close", extension.name,
                       extension.table.initialise == nullptr ? "initialise" : "close");
  if (!extension.is_plugin() && !extension.is_action())
    return fmt::format("\"{}\" is neither a plugin nor an action: expected a table for at least one", extension.name);
  if (extension.is_action() && extension.action.execute == nullptr)
    return fmt::format("the action \"{}\" has no function execute", extension.name);
  if (extension.is_plugin() && !answers_anything(extension.plugin))
    return fmt::format("the plugin \"{}\" has no function at all: expected at least one", extension.name);
  if (extension.is_plugin() && (extension.plugin.on_allocate == nullptr) != (extension.plugin.on_deallocate == nullptr))
    return fmt::format("the plugin \"{}\" has one of on_allocate and on_deallocate: expected both or none", extension.name);
  return {};
}

// Keeps the texts that flat arguments point to.
class FlatArguments {
 public:
  void add(const std::string& key, const Value& value) {
    if (const auto* map = value.as_map()) {
      for (const auto& [name, member] : *map) add(key + "." + key_text(name), member);
    } else if (const auto* list = value.as_list()) {
      for (std::size_t i = 0; i < list->size(); ++i) add(fmt::format("{}[{}]", key, i), (*list)[i]);
    } else {
      add_scalar(key, value);
    }
  }
  muster_arguments arguments() const { return {sizeof(muster_arguments), items_.size(), items_.data()}; }

 private:
  static std::string key_text(const Value& key) {
    if (const auto* text = key.as_string()) return *text;
    if (const auto* number = key.as_int()) return std::to_string(*number);
    return "?";
  }

  void add_scalar(const std::string& key, const Value& value) {
    muster_argument item{keep(key), MUSTER_ARGUMENT_NULL, {nullptr, 0}, 0, 0};
    if (const auto* flag = value.as_bool()) {
      item.kind = MUSTER_ARGUMENT_BOOL;
      item.integer = *flag ? 1 : 0;
    } else if (const auto* whole = value.as_int()) {
      item.kind = MUSTER_ARGUMENT_INTEGER;
      item.integer = *whole;
      item.number = static_cast<double>(*whole);
    } else if (const auto* number = value.as_double()) {
      item.kind = MUSTER_ARGUMENT_NUMBER;
      item.number = *number;
    } else if (const auto* text = value.as_string()) {
      item.kind = MUSTER_ARGUMENT_TEXT;
      item.text = keep(*text);
    }
    items_.push_back(item);
  }

  muster_text keep(const std::string& text) {
    const auto& kept = texts_.emplace_back(text);
    return {kept.data(), kept.size()};
  }

  std::deque<std::string> texts_;
  std::vector<muster_argument> items_;
};

}  // namespace

std::string text_from(muster_text text) {
  return text.data == nullptr ? std::string() : std::string(text.data, std::min(text.length, kLongestText));
}

Result<Extension> read_extension(const muster_extension_table* table, std::string file, std::shared_ptr<const void> library) {
  if (table == nullptr) return fail(file + ": muster_extension() returned no table");
  // The size and the version come first in every version, so they can always be read. Tables of version 1 have at least the size
  // that they have today; when one grows, that number has to be kept here.
  if (table->version != MUSTER_EXTENSION_VERSION)
    return fail(fmt::format("{}: was built for version {} of muster's extensions: expected version {}", file, table->version,
                            MUSTER_EXTENSION_VERSION));
  const auto too_small = [&](std::string_view what, std::size_t have, std::size_t want) {
    return fail(fmt::format("{}: its table {} has {} bytes: expected at least {}", file, what, have, want));
  };
  if (table->size < sizeof(muster_extension_table))
    return too_small("muster_extension_table", table->size, sizeof(muster_extension_table));
  Extension extension;
  extension.table = known_part(*table);
  if (table->plugin != nullptr) {
    if (table->plugin->size < sizeof(muster_plugin)) return too_small("muster_plugin", table->plugin->size, sizeof(muster_plugin));
    extension.plugin = known_part(*table->plugin);
  }
  if (table->action != nullptr) {
    if (table->action->size < sizeof(muster_action)) return too_small("muster_action", table->action->size, sizeof(muster_action));
    extension.action = known_part(*table->action);
  }
  extension.name = text_from(table->name);
  extension.meaning = text_from(table->meaning);
  extension.file = file;
  extension.library = std::move(library);
  if (const auto wrong = objection(extension); !wrong.empty()) return fail(file + ": " + wrong);
  return extension;
}

Result<void> ExtensionSet::add(Extension extension, std::span<const std::string_view> taken) {
  if (std::find(taken.begin(), taken.end(), extension.name) != taken.end())
    return fail(fmt::format("{}: calls itself \"{}\", which is built into muster: expected a name of its own", extension.file,
                            extension.name));
  for (const auto& other : all_)
    if (other->name == extension.name)
      return fail(fmt::format("{}: calls itself \"{}\", and so does {}: expected a name of its own", extension.file, extension.name,
                              other->file));
  all_.push_back(std::make_shared<const Extension>(std::move(extension)));
  return {};
}

std::shared_ptr<const Extension> ExtensionSet::find_plugin(std::string_view name) const {
  for (const auto& extension : all_)
    if (extension->is_plugin() && extension->name == name) return extension;
  return nullptr;
}

std::shared_ptr<const Extension> ExtensionSet::find_action(std::string_view name) const {
  for (const auto& extension : all_)
    if (extension->is_action() && extension->name == name) return extension;
  return nullptr;
}

Result<std::shared_ptr<ExtensionInstance>> ExtensionInstance::start(std::shared_ptr<const Extension> extension,
                                                                    std::span<const Argument> arguments) {
  FlatArguments flat;
  for (const auto& [key, value] : arguments) flat.add(key, value);
  const auto given = flat.arguments();
  void* self = nullptr;
  muster_text why{nullptr, 0};
  if (extension->table.initialise(&extension_host(), &given, &self, &why) != MUSTER_OK) {
    const auto text = text_from(why);
    return fail(fmt::format("\"{}\" of {} does not start: {}", extension->name, extension->file,
                            text.empty() ? "it does not say why" : text));
  }
  // Closed whatever it is, also when it is null.
  std::shared_ptr<void> closing(self, [extension](void* instance) { extension->table.close(instance); });
  return std::shared_ptr<ExtensionInstance>(new ExtensionInstance(std::move(extension), std::move(closing)));
}

}  // namespace muster
