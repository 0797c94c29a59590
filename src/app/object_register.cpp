#include "app/object_register.h"

#include "base/nearest_name.h"
#include "model/quoted.h"

namespace muster {
namespace {

// The first queue that is its own ancestor, as the walk "a -> b -> a"; empty when there is none.
std::vector<std::string> find_cycle(const std::map<std::string, QueuePlace>& queues) {
  for (const auto& [start, place] : queues) {
    std::vector<std::string> walk = {start};
    for (auto at = queues.find(place.parent); at != queues.end() && walk.size() <= queues.size();
         at = queues.find(at->second.parent)) {
      walk.push_back(at->first);
      if (at->first == start) return walk;
    }
  }
  return {};
}

}  // namespace

Result<bool> ObjectRegister::remember(const Object& object, const Location& location) {
  const auto [known, fresh] =
      known_.try_emplace(object_name(object), Place{file_index(location.file), location.line, location.column});
  if (fresh) return true;
  if (location.line == 0) return false;
  const Place before = known->second;
  known->second = Place{file_index(location.file), location.line, location.column};
  if (before.line == 0) return true;
  Error error("is there twice; the first is at " + place_text({files_[before.file], before.line, before.column}), location);
  error.object = known->first;
  return fail(std::move(error));
}

std::uint32_t ObjectRegister::file_index(const std::string& file) {
  if (files_.empty() || files_.back() != file) files_.push_back(file);
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::string place_text(const Location& location) {
  auto text = Error("", location).text();
  while (text.ends_with(' ') || text.ends_with(':')) text.pop_back();
  return text;
}

std::string mistyped_annotation(const ObjectMeta& meta, std::string_view name) {
  constexpr std::size_t kMostEdits = 2;
  for (const auto& [key, value] : meta.annotations)
    if (key != name && key.size() <= name.size() + kMostEdits && edit_distance(key, name) <= kMostEdits)
      return "annotation " + quoted(key) + " is not read; did you mean " + quoted(name) + "?";
  return {};
}

Result<void> refuse_queue_cycles(const std::map<std::string, QueuePlace>& queues, const std::string& field) {
  const auto cycle = find_cycle(queues);
  if (cycle.empty()) return {};
  std::string walk;
  for (const auto& name : cycle) walk.append(walk.empty() ? "" : " -> ").append(name);
  Error error("the queue is its own ancestor: " + walk, queues.at(cycle.front()).location);
  error.object = "Queue " + cycle.front();
  error.field = field;
  return fail(std::move(error));
}

}  // namespace muster
