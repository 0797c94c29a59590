#include "sim/store.h"

#include <algorithm>

#include "base/assert.h"

namespace muster::sim {

Store::Store(std::size_t changes_kept, std::size_t bytes_kept)
    : changes_kept_(changes_kept), bytes_kept_(bytes_kept), kinds_(kinds().size()) {}

ObjectPtr Store::find(const Kind& kind, const Key& key) const {
  const auto& objects = of(kind).objects;
  const auto found = objects.find(key);
  return found == objects.end() ? nullptr : found->second;
}

std::optional<Store::Objects> Store::objects_at(const Kind& kind, std::uint64_t revision) const {
  const auto& all = of(kind);
  if (revision < all.forgotten) return std::nullopt;
  auto out = all.objects;
  for (auto change = all.changes.rbegin(); change != all.changes.rend() && change->now->revision > revision; ++change) {
    if (change->before)
      out[change->now->key] = change->before;
    else
      out.erase(change->now->key);
  }
  return out;
}

ObjectPtr Store::draft(const Kind& kind, Tree tree) const {
  tree.make("metadata.resourceVersion") = Tree(std::to_string(revision_ + 1));
  return make_object(kind, tree, revision_ + 1);
}

Result<ObjectPtr> Store::put(const Kind& kind, const ObjectPtr& object) {
  MUSTER_ASSERT(!object->key.name.empty());
  Change change;
  change.now = object;
  change.before = find(kind, object->key);
  change.type = change.before ? ChangeType::kModified : ChangeType::kAdded;
  if (auto done = commit(kind, std::move(change)); !done) return fail(done.error());
  return object;
}

Result<ObjectPtr> Store::remove(const Kind& kind, const Key& key) {
  Change change;
  change.type = ChangeType::kDeleted;
  change.before = find(kind, key);
  MUSTER_ASSERT(change.before != nullptr);
  change.now = draft(kind, change.before->tree());
  auto out = change.now;
  if (auto done = commit(kind, std::move(change)); !done) return fail(done.error());
  return out;
}

Result<void> Store::commit(const Kind& kind, Change change) {
  if (persist_) {
    if (auto done = persist_(kind, change); !done) return done;
  }
  auto& all = kinds_[index_of(kind)];
  ++revision_;
  MUSTER_ASSERT(change.now->revision == revision_);
  if (change.type == ChangeType::kDeleted)
    all.objects.erase(change.now->key);
  else
    all.objects[change.now->key] = change.now;
  all.changes.push_back(change);
  all.bytes += change.now->text.size();
  while (all.changes.size() > changes_kept_ || all.bytes > bytes_kept_) {
    all.forgotten = all.changes.front().now->revision;
    all.bytes -= all.changes.front().now->text.size();
    all.changes.pop_front();
  }
  for (const auto& listener : listeners_) listener(kind, change);
  return {};
}

std::optional<std::vector<Change>> Store::changes_after(const Kind& kind, std::uint64_t revision) const {
  const auto& all = of(kind);
  if (revision < all.forgotten) return std::nullopt;
  const auto first = std::upper_bound(all.changes.begin(), all.changes.end(), revision,
                                      [](std::uint64_t wanted, const Change& change) { return wanted < change.now->revision; });
  return std::vector<Change>(first, all.changes.end());
}

void Store::restore(const Kind& kind, const Tree& tree, std::uint64_t revision) {
  const auto object = make_object(kind, tree, revision);
  kinds_[index_of(kind)].objects[object->key] = object;
}

void Store::forget(const Kind& kind, const Key& key) { kinds_[index_of(kind)].objects.erase(key); }

void Store::restore_revision(std::uint64_t revision) {
  revision_ = std::max(revision_, revision);
  for (auto& all : kinds_) all.forgotten = revision_;
}

}  // namespace muster::sim
