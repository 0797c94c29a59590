#pragma once

#include <cstdint>
#include <vector>

#include "policy/volcano/session.h"

namespace muster::volcano {

// The jobs of a queue that wait for their turn, best first. Ranks are asked once, when a job joins: they change only by what
// happens to the job itself, and nothing happens to it while it stands in line. All who join before the first turn are sorted
// together; the few who come back later stand in a second line.
class JobLine {
 public:
  explicit JobLine(Session& session) : session_(&session), width_(session.chain(Point::kJobOrder).size()) {}

  void join(GroupId job);
  bool empty() const { return next_ == sorted_.size() && returned_.empty(); }
  GroupId pop();

 private:
  struct Place {
    GroupId job;
    std::uint32_t ranks;  // where its ranks begin
  };
  bool before(const Place& left, const Place& right) const;

  Session* session_;
  std::size_t width_;
  std::vector<double> ranks_;
  std::vector<Place> sorted_;
  std::size_t next_ = 0;
  bool started_ = false;
  std::vector<Place> returned_;  // a heap, best in front
};

}  // namespace muster::volcano
