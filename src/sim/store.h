#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/result.h"
#include "sim/object.h"

namespace muster::sim {

enum class ChangeType { kAdded, kModified, kDeleted };

struct Change {
  ChangeType type = ChangeType::kAdded;
  ObjectPtr now;     // of a deleted one, its last state with the revision of the deletion
  ObjectPtr before;  // nullptr for an added one
};

// Where every object is. Each change gets the next revision, one for all kinds; the last changes of each kind are kept, so that a
// watch can go on from a revision and a list can be taken at one.
//
// Not for several threads at once: its owner has a lock.
class Store {
 public:
  using Objects = std::map<Key, ObjectPtr>;
  // Makes a change last, before it counts; an error refuses the change.
  using Persist = std::function<Result<void>(const Kind& kind, const Change& change)>;
  using Listener = std::function<void(const Kind& kind, const Change& change)>;

  // How many changes of each kind are kept, and how many bytes of their objects at the most.
  explicit Store(std::size_t changes_kept = 8192, std::size_t bytes_kept = std::size_t{64} << 20);

  std::uint64_t revision() const { return revision_; }
  const Objects& objects(const Kind& kind) const { return of(kind).objects; }
  ObjectPtr find(const Kind& kind, const Key& key) const;
  // All of a kind as they were at a revision that is not in the future; nothing when that was too long ago.
  std::optional<Objects> objects_at(const Kind& kind, std::uint64_t revision) const;

  // The object that the next change would make of a tree, with its resourceVersion.
  ObjectPtr draft(const Kind& kind, Tree tree) const;
  // Adds or replaces, under its name. It must be a draft, with no change since.
  Result<ObjectPtr> put(const Kind& kind, const ObjectPtr& object);
  // Must be there.
  Result<ObjectPtr> remove(const Kind& kind, const Key& key);

  // The changes of a kind after a revision, oldest first; nothing when some of them are forgotten.
  std::optional<std::vector<Change>> changes_after(const Kind& kind, std::uint64_t revision) const;

  void on_persist(Persist persist) { persist_ = std::move(persist); }
  // After every change, in their order.
  void on_change(Listener listener) { listeners_.push_back(std::move(listener)); }

  // For a store that is read from a file: an object as it was, and what the last revision was. Nobody is told.
  void restore(const Kind& kind, const Tree& tree, std::uint64_t revision);
  void forget(const Kind& kind, const Key& key);
  void restore_revision(std::uint64_t revision);

 private:
  struct OfKind {
    Objects objects;
    std::deque<Change> changes;
    std::size_t bytes = 0;        // of the texts in them
    std::uint64_t forgotten = 0;  // the revision of the newest change that is no longer kept
  };
  const OfKind& of(const Kind& kind) const { return kinds_[index_of(kind)]; }
  Result<void> commit(const Kind& kind, Change change);

  std::size_t changes_kept_;
  std::size_t bytes_kept_;
  std::vector<OfKind> kinds_;
  std::uint64_t revision_ = 1;
  Persist persist_;
  std::vector<Listener> listeners_;
};

}  // namespace muster::sim
