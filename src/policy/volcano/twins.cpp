#include "policy/volcano/twins.h"

#include "policy/volcano/cluster.h"

namespace muster::volcano {

void Twins::make(PodId pod) {
  const auto* note = cluster_.job_of(pod).take_notes().find(pod);
  const auto& record = cluster_.books().pod(pod);
  pending_.insert_or_assign(pod, LastTransaction{record.state, record.node, note != nullptr && note->evicted_others});
}

bool Twins::part_from(PodId pod, NodeId node) {
  if (has(pod)) leave_behind(pod);
  for (auto& remnant : remnants_) {
    if (remnant.pod != pod || remnant.node != node || !remnant.holds_room) continue;
    cluster_.books().unreserve(node, remnant.shape);
    remnant.holds_room = false;
    return false;
  }
  return true;
}

// Filters and scores go on seeing it where it was, whatever becomes of its room.
void Twins::leave_behind(PodId pod) {
  auto& note = cluster_.job_of(pod).take_notes().task(pod);
  note.last = pending_.at(pod);
  note.evicted_others = false;
  pending_.erase(pod);
  auto& books = cluster_.books();
  if (books.pod(pod).state != PodState::kPipelined) return;
  Remnant left{pod, books.pod(pod).node, books.pod(pod).shape, true, PodId()};
  books.unaccount(pod);
  const auto seen_on = books.pod(pod).present_on;
  if (seen_on) books.depart(pod);
  cluster_.move(pod, PodState::kPending, NodeId());
  books.reserve(left.node, left.shape);
  if (seen_on) {
    left.shade = cluster_.add_shade(pod);
    books.arrive(left.shade, seen_on);
  }
  remnants_.push_back(left);
}

void Twins::forget() {
  auto& books = cluster_.books();
  for (const auto& left : remnants_) {
    if (left.holds_room) books.unreserve(left.node, left.shape);
    if (left.shade) books.remove_pod(left.shade);
  }
  remnants_.clear();
  pending_.clear();
}

}  // namespace muster::volcano
