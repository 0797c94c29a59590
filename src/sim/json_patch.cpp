#include "sim/json_patch.h"

#include <fmt/format.h>
#include <optional>
#include <span>

#include "base/split.h"

namespace muster::sim {
namespace {

using Steps = std::vector<std::string>;

// "/a~1b/0" taken apart; nothing when it is no pointer.
std::optional<Steps> pointer_steps(std::string_view pointer) {
  Steps out;
  if (pointer.empty()) return out;
  if (pointer.front() != '/') return std::nullopt;
  for (const auto part : split(pointer.substr(1), '/')) {
    auto& step = out.emplace_back();
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] != '~') {
        step += part[i];
        continue;
      }
      if (++i >= part.size() || (part[i] != '0' && part[i] != '1')) return std::nullopt;
      step += part[i] == '0' ? '~' : '/';
    }
  }
  return out;
}

// An index without sign and leading zeros, at most `most`.
std::optional<std::size_t> list_index(const std::string& step, std::size_t most) {
  if (step.empty() || step.size() > 9 || step.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  if (step.size() > 1 && step.front() == '0') return std::nullopt;
  const auto index = static_cast<std::size_t>(std::stoul(step));
  return index > most ? std::nullopt : std::optional(index);
}

Tree* child_of(Tree& parent, const std::string& step) {
  if (auto* items = parent.as_list()) {
    const auto index = items->empty() ? std::nullopt : list_index(step, items->size() - 1);
    return index ? &(*items)[*index] : nullptr;
  }
  return parent.find(step);
}

Tree* descend(Tree& root, std::span<const std::string> steps) {
  auto* out = &root;
  for (const auto& step : steps) {
    out = child_of(*out, step);
    if (out == nullptr) return nullptr;
  }
  return out;
}

// False where it does not apply, or would be nested too deep.
bool add_at(Tree& root, const Steps& steps, Tree value) {
  if (steps.size() + value.levels() > kMostLevels) return false;
  if (steps.empty()) return root = std::move(value), true;
  auto* parent = descend(root, std::span(steps).first(steps.size() - 1));
  if (parent == nullptr) return false;
  if (auto* items = parent->as_list()) {
    const auto index = steps.back() == "-" ? std::optional(items->size()) : list_index(steps.back(), items->size());
    if (!index) return false;
    items->insert(items->begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return true;
  }
  if (!parent->is_map()) return false;
  (*parent)[steps.back()] = std::move(value);
  return true;
}

bool remove_at(Tree& root, const Steps& steps) {
  if (steps.empty()) return false;
  auto* parent = descend(root, std::span(steps).first(steps.size() - 1));
  if (parent == nullptr || child_of(*parent, steps.back()) == nullptr) return false;
  if (auto* items = parent->as_list())
    items->erase(items->begin() + static_cast<std::ptrdiff_t>(*list_index(steps.back(), items->size())));
  else
    parent->erase(steps.back());
  return true;
}

constexpr std::size_t kMostCopied = std::size_t{3} << 20;

// What went wrong with an operation; empty when nothing did. `copied` counts bytes: copies of copies double.
std::string apply_operation(Tree& root, const Tree& operation, std::size_t& copied) {
  const auto op = operation.text_at("op");
  const auto path = operation.text_at("path");
  const auto steps = pointer_steps(path);
  if (!steps) return fmt::format("\"{}\" is no JSON pointer", path);
  const auto* value = operation.find("value");
  const auto missing = [&] { return fmt::format("{} operation does not apply: doc is missing path: {}: missing value", op, path); };
  if (op == "add") return value != nullptr && add_at(root, *steps, *value) ? std::string() : missing();
  if (op == "remove") return remove_at(root, *steps) ? std::string() : missing();
  auto* target = descend(root, *steps);
  if (op == "replace") {
    if (target == nullptr || value == nullptr || steps->size() + value->levels() > kMostLevels) return missing();
    auto copy = *value;
    *target = std::move(copy);
    return {};
  }
  if (op == "test") {
    const bool equal = target == nullptr ? value == nullptr || value->is_null() : value != nullptr && *target == *value;
    return equal ? std::string() : fmt::format("testing value {} failed: test failed", path);
  }
  if (op != "move" && op != "copy") return fmt::format("unexpected kind: {}", op);
  const auto from = pointer_steps(operation.text_at("from"));
  auto* source = from ? descend(root, *from) : nullptr;
  if (source == nullptr) return missing();
  copied += source->text().size();  // it is not nested deep: nothing is that was added
  if (copied > kMostCopied) return "the operations copy too much";
  auto moved = *source;
  if (op == "move" && !remove_at(root, *from)) return missing();
  return add_at(root, *steps, std::move(moved)) ? std::string() : missing();
}

}  // namespace

Answered<Tree> json_patched(Tree document, const Tree& patch) {
  const auto* operations = patch.as_list();
  if (operations == nullptr) return refuse(bad_request("error decoding patch: a JSON patch is a list of operations"));
  constexpr std::size_t kMostOperations = 10'000;
  if (operations->size() > kMostOperations)
    return refuse(bad_request(
        fmt::format("The allowed maximum operations in a JSON patch is {}, got {}", kMostOperations, operations->size())));
  std::size_t copied = 0;
  for (const auto& operation : *operations) {
    const auto wrong = apply_operation(document, operation, copied);
    if (wrong.empty()) continue;
    ApiError error;
    error.code = 422;
    error.reason = "Invalid";
    error.message =
        "the server rejected our request due to an error in our request";  // what it was, a real server does not say either
    return refuse(std::move(error));
  }
  return document;
}

Tree merge_patched(Tree document, const Tree& patch) {
  const auto* members = patch.as_map();
  if (members == nullptr) return patch;
  if (!document.is_map()) document = Tree::map();
  for (const auto& [key, value] : *members) {
    if (value.is_null())
      document.erase(key);
    else
      document[key] = merge_patched(std::exchange(document[key], Tree()), value);
  }
  return document;
}

}  // namespace muster::sim
