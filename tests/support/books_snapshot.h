#pragma once

#include <array>
#include <map>
#include <vector>

#include "engine/books.h"

namespace muster {

// Everything that placements can change in the books, as plain values, to compare before and after. Amounts that are present at
// zero count as absent: whether a name was ever added is not undone.
struct BooksSnapshot {
  using Plain = std::map<std::uint32_t, std::int64_t>;
  struct Group {
    std::array<std::uint32_t, kPodStates> count{};
    Plain held, waiting;
    bool operator==(const Group&) const = default;
  };
  struct Place {
    PodState state;
    NodeId node, accounted_on, present_on;
    bool operator==(const Place&) const = default;
  };

  std::vector<std::vector<Column>> ledgers;
  Plain total_allocatable, total_used;
  bool nothing_moves = true;
  std::vector<Group> groups;
  std::vector<Place> places;                 // by pod
  std::vector<std::vector<PodId>> on_nodes;  // accounted, then present, each in the books' order
  bool operator==(const BooksSnapshot&) const = default;
};

inline BooksSnapshot::Plain plain(const Amounts& amounts) {
  BooksSnapshot::Plain out;
  for (const auto& [resource, amount] : amounts)
    if (amount != 0) out[resource.index()] = amount;
  return out;
}

inline BooksSnapshot snapshot_of(const Books& books) {
  BooksSnapshot snapshot;
  const auto& l = books.ledgers();
  snapshot.ledgers = {l.allocatable, l.idle, l.used, l.releasing, l.pipelined, l.present, {l.nonzero_cpu, l.nonzero_memory}};
  snapshot.total_allocatable = plain(books.total_allocatable());
  snapshot.total_used = plain(books.total_used());
  snapshot.nothing_moves = books.nothing_moves();
  for (const auto id : IdRange<GroupId>(books.group_count())) {
    const auto& group = books.group(id);
    snapshot.groups.push_back({group.count, plain(group.held), plain(group.waiting)});
  }
  for (const auto id : IdRange<PodId>(books.pod_count())) {
    const auto& pod = books.pod(id);
    snapshot.places.push_back({pod.state, pod.node, pod.accounted_on, pod.present_on});
  }
  for (const auto id : IdRange<NodeId>(books.node_count())) {
    snapshot.on_nodes.push_back(books.pods_on(id));
    snapshot.on_nodes.push_back(books.pods_present(id));
  }
  return snapshot;
}

}  // namespace muster
