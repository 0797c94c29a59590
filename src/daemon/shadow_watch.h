#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "daemon/shadow_judge.h"

namespace muster::daemon::shadow {

struct WatchSettings {
  kube::Duration grace = std::chrono::seconds(5);             // that the other may take for what muster would do at once
  kube::Duration quiet = std::chrono::seconds(1);             // without a decision, after which those before it are compared
  kube::Duration longest = std::chrono::seconds(10);          // that decisions may come together
  kube::Duration probe_gap = std::chrono::milliseconds(200);  // between two looks at who would start now
  kube::Duration idle_gap = std::chrono::seconds(10);         // the same when nothing changes: rules may be about time
  JudgeSettings judge = {};
};

// Follows what a scheduler decides and compares it with what muster would. Everything on one thread; time passes when it is told.
class Watch {
 public:
  struct Links {
    std::function<Result<Plan>(const State&, const Timestamp&)> decide;
    std::function<void(const Finding&)> tell;
    std::function<void(const std::string&)> problem = {};
  };
  Watch(Subject subject, WatchSettings settings, Links links);

  void take(const kube::Change& change, kube::Instant now, const Timestamp& wall);
  // Everything that exists has been told: from now on changes are decisions.
  void begin(kube::Instant now, const Timestamp& wall);
  bool has_begun() const { return has_begun_; }
  // Does what is due. Wanted again at next(), or after take().
  void turn(kube::Instant now, const Timestamp& wall);
  kube::Instant next() const;
  // Compares what is left.
  Summary finish(kube::Instant now);
  const Summary& summary() const { return summary_; }

 private:
  // What muster would do now and the other has not done.
  struct Wish {
    MoveKind kind{};
    kube::Instant since{};
    kube::Duration planned_before{};
    std::map<std::string, std::string> nodes;  // by pod
    bool is_told = false;
  };
  using WishKey = std::pair<MoveKind, std::string>;  // and the PodGroup

  std::optional<Plan> decide(const State& state, const Timestamp& wall);
  void compare();
  void fulfil(const Unit& unit);
  void tell(const Finding& finding);
  void probe(kube::Instant now, const Timestamp& wall);
  void end_grace(kube::Instant now, const Timestamp& wall);
  kube::Instant next_probe() const;
  kube::Duration age(const Wish& wish, kube::Instant now, kube::Duration planned) const;

  const MoveReader reader_;
  const WatchSettings settings_;
  const Links links_;
  History history_;
  std::vector<Move> moves_;                                      // not compared yet
  boost::unordered_flat_map<std::string, std::string> decided_;  // node by uid of a pod that has none yet
  std::map<WishKey, Wish> wishes_;
  Summary summary_;
  kube::Instant began_{};
  Timestamp began_at_;
  kube::Instant last_probe_{};
  kube::Duration last_plan_{};
  kube::Duration planned_{};  // time that all plans took so far, in which nobody looked on
  bool has_begun_ = false;
  bool is_changed_ = false;
};

}  // namespace muster::daemon::shadow
