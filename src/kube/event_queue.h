#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "kube/clock.h"
#include "kube/object_decoder.h"
#include "kube/resource_kinds.h"
#include "model/objects.h"

namespace muster::kube {

enum class ChangeType {
  kAdded,
  kModified,
  kDeleted,    // the object is the identity alone
  kUnchanged,  // an object was read again and is as it was told: for who compares it with what was made of it
  kSynced,  // everything of the kind that existed when we began has been told; without an object, once per list that was asked for
};

struct Change {
  const ResourceKind* kind = nullptr;
  ChangeType type{};
  Identity id = {};
  std::optional<Object> object = {};  // of added, modified and unchanged ones
  Instant seen = {};                  // when it came from the server, of added and modified ones
};

// Carries changes from the loop to the one who consumes them, in order. It takes what it is given: producers ask full() before they
// read more, and go on when there is room again. So it holds at most its capacity, and one page of a list, one piece of a watch and
// the deletions of one list more per kind.
class EventQueue {
 public:
  explicit EventQueue(std::size_t capacity) : capacity_(capacity) {}

  // For the consumer's thread: what there is, at most `most`; waits until there is something or the time is over.
  std::vector<Change> take(std::size_t most, Duration wait);
  std::size_t size() const;
  // From any thread: the consumer need not wait any longer, now or the next time.
  void nudge();

  // For producers.
  void push(Change change);
  bool full() const { return size() >= capacity_; }
  // Called, on the consumer's thread, whenever a queue that was full is half empty again. Set before use.
  void on_room(std::function<void()> tell) { tell_ = std::move(tell); }

 private:
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Change> changes_;
  bool was_full_ = false;
  bool nudged_ = false;
  std::function<void()> tell_;
};

}  // namespace muster::kube
