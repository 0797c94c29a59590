#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/shadow_history.h"

namespace muster::daemon::shadow {

enum class MoveKind { kBind, kEvict };

// One decision of the scheduler that is watched, as it can be seen in the API.
struct Move {
  MoveKind kind{};
  std::string pod;  // "namespace/name"
  std::string uid;
  std::string group;  // "namespace/name" of its PodGroup, or the pod itself
  std::string node;   // that it gets, or has
  Timestamp created;  // the pod
  std::size_t step = 0;
  kube::Instant at{};
  Timestamp wall;
  kube::Duration planned_before{};  // time that was spent on plans until it was seen
};

// Whose pods are looked at.
struct Subject {
  std::string dialect;  // "volcano", "kai"
  std::vector<std::string> scheduler_names;

  bool is_kai() const { return dialect == "kai"; }
  bool concerns(const Pod& pod) const;
  std::string group_of(const Pod& pod) const;
};

// Reads decisions out of changes: a pod without a node gets one, or a BindRequest; one that has a node and has not ended is
// deleted.
class MoveReader {
 public:
  explicit MoveReader(Subject subject) : subject_(std::move(subject)) {}

  // The step has just been made in the history.
  std::optional<Move> read(const Step& step, const State& now) const;
  const Subject& subject() const { return subject_; }

 private:
  std::optional<Move> read_pod(const Pod* before, const Pod* after, const State& now) const;
  std::optional<Move> read_request(const BindRequest* before, const BindRequest& after, const State& now) const;
  Move move_of(MoveKind kind, const Pod& pod, std::string node) const;

  const Subject subject_;
};

// Whether the pod, just before or after it was deleted, or its PodGroup says that it was the scheduler who had it deleted. Others
// delete pods as well.
bool is_known_eviction(const Move& move, const Subject& subject, const State& before, const State& after, const State& now);

// Moves that belong together: of one kind, of the pods of one PodGroup.
struct Unit {
  MoveKind kind{};
  std::string group;
  std::vector<Move> moves;  // in the order of their steps

  std::size_t first_step() const { return moves.front().step; }
};
std::vector<Unit> units_of(const std::vector<Move>& moves);

}  // namespace muster::daemon::shadow
