#pragma once

#include <memory>
#include <muster/extension.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/value.h"

namespace muster {

// A plugin or an action from outside, as its library describes it. The tables are copies in this muster's size: what an older
// library does not have is null, what a newer one has beyond it is left out.
struct Extension {
  std::string name;
  std::string meaning;
  std::string file;  // for messages
  muster_extension_table table{};
  muster_plugin plugin{};               // all null when it is none
  muster_action action{};               // the same
  std::shared_ptr<const void> library;  // keeps the code loaded

  bool is_plugin() const { return table.plugin != nullptr; }
  bool is_action() const { return table.action != nullptr; }
};

// Takes over what a library's function returned, or says what is wrong with it and what was expected.
Result<Extension> read_extension(const muster_extension_table* table, std::string file, std::shared_ptr<const void> library);

// The extensions that a configuration may name, in the order of their files. Names are unique.
class ExtensionSet {
 public:
  // Refuses a name that another one has, or that is among `taken`, the names of what is built in.
  Result<void> add(Extension extension, std::span<const std::string_view> taken);

  bool empty() const { return all_.empty(); }
  const std::vector<std::shared_ptr<const Extension>>& all() const { return all_; }
  std::shared_ptr<const Extension> find_plugin(std::string_view name) const;
  std::shared_ptr<const Extension> find_action(std::string_view name) const;

 private:
  std::vector<std::shared_ptr<const Extension>> all_;
};

// An extension at work: initialised with its arguments for as long as the configuration that names it is in force.
class ExtensionInstance {
 public:
  // Arguments as the configuration has them, by key.
  using Argument = std::pair<std::string, Value>;
  static Result<std::shared_ptr<ExtensionInstance>> start(std::shared_ptr<const Extension> extension,
                                                          std::span<const Argument> arguments);

  const std::string& name() const { return extension_->name; }
  const Extension& extension() const { return *extension_; }
  const muster_plugin& plugin() const { return extension_->plugin; }
  const muster_action& action() const { return extension_->action; }
  void* self() const { return self_.get(); }

 private:
  ExtensionInstance(std::shared_ptr<const Extension> extension, std::shared_ptr<void> self)
      : extension_(std::move(extension)), self_(std::move(self)) {}

  std::shared_ptr<const Extension> extension_;
  std::shared_ptr<void> self_;  // closes with the last
};

// A text from outside, cut to what anybody would read; what points nowhere is empty.
std::string text_from(muster_text text);

}  // namespace muster
