#include "sim/controllers/workbench.h"

#include <fmt/format.h>

#include "sim/fields.h"
#include "sim/short_hash.h"

namespace muster::sim {

Workbench::Workbench(Registry& registry, Store& store, const Owners& owners, const std::vector<const Kind*>& followed)
    : registry_(registry), store_(store), owners_(owners), is_followed_(kinds().size()) {
  for (const auto* kind : followed) {
    is_followed_[index_of(*kind)] = true;
    for (const auto& [key, object] : store_.objects(*kind)) changed_.emplace(index_of(*kind), key);
  }
  store_.on_change([this](const Kind& kind, const Change& change) { on_change(kind, change); });
}

void Workbench::on_change(const Kind& kind, const Change& change) {
  const auto& object = *change.now;
  if (change.type == ChangeType::kDeleted) {
    held_.erase(object.uid);
    // Those that it owned may wait for somebody to let them go.
    for (const auto& place : owners_.dependents_of(object.uid))
      if (is_followed_[place.first]) changed_.insert(place);
  }
  if (is_followed_[index_of(kind)]) changed_.emplace(index_of(kind), object.key);
  look_at_owners(object);
}

void Workbench::look_at_owners(const Object& object) {
  for (const auto& owner : object.owners)
    if (const auto* place = owners_.place_of(owner); place != nullptr && is_followed_[place->first]) changed_.insert(*place);
}

std::int64_t Workbench::held_until(const std::string& owner) const {
  const auto found = held_.find(owner);
  return found == held_.end() ? 0 : found->second.until;
}

void Workbench::note_made(const std::string& owner) {
  auto& pace = held_[owner];
  if (pace.second != now()) pace.made = 0;
  pace.second = now();
  if (++pace.made >= kMostMadePerSecond) pace.until = pace.second + 1;
}

std::optional<Place> Workbench::take() {
  if (changed_.empty()) return std::nullopt;
  return std::move(changed_.extract(changed_.begin()).value());
}

void Workbench::look_at(const Kind& kind, const Key& key) { changed_.emplace(index_of(kind), key); }

void Workbench::look_again(const Kind& kind, const Key& key, std::int64_t at) {
  const Place place{index_of(kind), key};
  if (const auto known = promised_.find(place); known != promised_.end()) {
    if (known->second <= at) return;
    due_[known->second].erase(place);
  }
  promised_[place] = at;
  due_[at].insert(place);
}

void Workbench::tick() {
  const auto until = now();
  while (!due_.empty() && due_.begin()->first <= until) {
    for (const auto& place : due_.begin()->second) {
      promised_.erase(place);
      changed_.insert(place);
    }
    due_.erase(due_.begin());
  }
}

std::vector<ObjectPtr> Workbench::owned(const std::string& owner, const Kind& kind) const {
  std::vector<ObjectPtr> out;
  const auto& all = owners_.dependents_of(owner);
  for (auto at = all.lower_bound({index_of(kind), Key()}); at != all.end() && at->first == index_of(kind); ++at)
    if (auto object = store_.find(kind, at->second)) out.push_back(std::move(object));
  return out;
}

void Workbench::warn(const Kind& kind, const Object& about, std::string_view reason, const std::string& message) {
  const auto& events = kind_named("", "events");
  const auto ns = about.key.ns.empty() ? std::string("default") : about.key.ns;
  const auto name = about.key.name + "." + short_hash(fmt::format("{} {} {}", about.uid, reason, message));
  if (store_.find(events, {ns, name})) {
    static_cast<void>(registry_.change(events, {ns, name}, Part::kServer, [&](Tree event) -> Answered<Tree> {
      event["count"] = Tree(bounded_at(event, "count").value_or(1) + 1);
      event["lastTimestamp"] = Tree(time_text());
      return event;
    }));
    return;
  }
  Tree event = Tree::map();
  event["apiVersion"] = Tree("v1");
  event["kind"] = Tree("Event");
  event["metadata"]["name"] = Tree(name);
  auto& involved = event["involvedObject"];
  involved["apiVersion"] = Tree(kind.api_version());
  involved["kind"] = Tree(kind.kind);
  involved["namespace"] = Tree(about.key.ns);
  involved["name"] = Tree(about.key.name);
  involved["uid"] = Tree(about.uid);
  event["reason"] = Tree(reason);
  event["message"] = Tree(message);
  event["type"] = Tree("Warning");
  event["source"]["component"] = Tree("muster-cluster");
  event["reportingComponent"] = Tree("muster-cluster");
  event["count"] = Tree(std::int64_t{1});
  event["firstTimestamp"] = Tree(time_text());
  event["lastTimestamp"] = Tree(time_text());
  static_cast<void>(registry_.create(events, ns, std::move(event)));
}

}  // namespace muster::sim
