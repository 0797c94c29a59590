#pragma once

#include <compare>
#include <set>
#include <vector>

#include "policy/kai/cluster.h"

namespace muster::kai {

class Session;

// The jobs of each queue in their order, kept while tasks change: only jobs of which a task changed are put in place again.
class JobLists {
 public:
  // What tells two jobs' order: the plugins' ranks, then age and name.
  struct Key {
    JobRanks ranks{};
    std::uint32_t age = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Item {
    Key key;
    Job* job = nullptr;
    bool operator<(const Item& other) const { return key < other.key; }
  };
  using List = std::set<Item>;

  explicit JobLists(Session& session) : session_(session) {}

  void refresh();
  const List& pending(QueueId queue) const { return pending_[queue]; }  // some task waits
  const List& active(QueueId queue) const { return active_[queue]; }    // some task has a place
  std::size_t queue_count() const { return pending_.size(); }

 private:
  struct Held {
    Key key;
    bool pending = false;
    bool active = false;
  };
  void build();
  void put(Job& job);
  Key key_of(const Job& job) const;

  Session& session_;
  bool built_ = false;
  IdVector<QueueId, List> pending_, active_;
  IdVector<GroupId, Held> held_;
  IdVector<GroupId, std::uint32_t> ages_;
  IdVector<GroupId, char> listed_;
};

}  // namespace muster::kai
