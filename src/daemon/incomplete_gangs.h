#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/live_cluster.h"
#include "kube/clock.h"

namespace muster::daemon {

// Gangs that are being bound, until they have what they need to run. When the server refuses the bind of one of their pods, or one
// of them is lost meanwhile, the others hold their room for nothing: the gang is given some time to be completed all the same, and
// then those of its pods that were bound in this attempt are to leave. Pods that had their nodes before, and those of a gang that
// has once had what it needs, are not known here, and stay. So do those of a gang that was not to have what it needs when it was
// decided: whoever decided does not care.
class IncompleteGangs {
 public:
  // What the cluster says.
  struct Asks {
    // Whether the gang of this pod has less than it needs to run, not counting pods with these uids.
    std::function<bool(const kube::Identity& member, const std::set<std::string>& without)> lacks;
    // Whether the pod has a node that it would give back if it were evicted: it neither has ended nor is on its way out.
    std::function<bool(const kube::Identity& pod)> holds_room;
  };
  // Without patience nothing is ever given up, nor taken back.
  IncompleteGangs(kube::Duration patience, Asks asks) : patience_(patience), asks_(std::move(asks)) {}

  // They were decided.
  void begin(const std::vector<Bind>& binds);
  // The pod has its node.
  void on_bound(const std::string& uid, kube::Instant now);
  // For good, as far as can be told; `what` is a sentence. The gangs that cannot run without the pods that were refused, by name,
  // and why: what of them was not sent is not to be.
  struct Refused {
    std::string gang;
    kube::Identity pod;
    std::string what;
  };
  std::map<std::string, std::string> on_refused(const std::vector<Refused>& refused, kube::Instant now);
  // The bind has come to nothing, for what may pass. The gang has so long until all that it needs is decided again: the room may be
  // somebody else's by then, and no further bind may tell.
  void on_not_bound(const std::string& uid, kube::Duration patience);
  // The pod was thrown out by its node or is on its way out.
  void on_lost(const kube::Identity& pod);
  // Their evictions were asked for, or have failed.
  void on_evicted(const std::vector<Evict>& evictions);
  void on_stays(const std::string& uid);
  // The pod is gone.
  void forget(const std::string& uid);
  // Somebody else may have completed them, so that they ran since: they all stay.
  void forget_all();

  // Before a cycle: those that have what they need are over, but for binds of theirs that are open. Those that have lost what they
  // need have their time from now on.
  void settle(kube::Instant now);
  // When the next one is to be given up, unless it was asked for already.
  std::optional<kube::Instant> next() const;
  // Those to be given up, in the order of their names. They are named again as long as their pods are not evicted.
  std::vector<IncompleteGang> due(kube::Instant now);

  std::size_t size() const { return gangs_.size(); }

 private:
  struct Member {
    kube::Identity pod;
    bool leaves = false;
  };
  struct Loss {
    std::string what;
    kube::Duration patience;
    bool may_pass = false;  // it is over when all that the gang needs is decided
  };
  struct Refusal {
    Loss loss;
    kube::Instant since;  // the gang has been held up by it: not before there was a pod that holds room
    kube::Instant ends() const { return since + loss.patience; }
  };
  struct Gang {
    std::map<std::string, kube::Identity> open;  // by uid: of whose binds nothing good is known
    std::set<std::string> refused;               // uids of those of them that nothing good is expected of
    std::map<std::string, Member> bound;         // by uid
    std::optional<Loss> loss;                    // the last one, of a pod or of what a bind was to get
    bool was_whole = false;                      // when it was decided
    std::optional<Refusal> refusal;
    bool holds_room() const;
  };
  static std::set<std::string> uids_of(const std::map<std::string, kube::Identity>& pods);
  bool is_complete(const Gang& gang) const;
  void hold_up(const std::string& name, Gang& gang, Loss loss, kube::Instant now);
  void forget_bound(const std::string& name, Gang& gang);
  void drop_refusal(const std::string& name, Gang& gang);
  void end_if_empty(const std::string& name, const Gang& gang);

  const kube::Duration patience_;
  const Asks asks_;
  std::map<std::string, Gang> gangs_;                            // by "namespace/name"
  std::set<std::string> held_up_;                                // those that have a refusal: few, and asked about all the time
  std::set<std::string> changed_;                                // those that may be complete by now
  boost::unordered_flat_map<std::string, std::string> gang_of_;  // by the uids of their pods
  kube::Instant asked_{};                                        // the last time
};

// The rule that evicts pods of a gang that is given up.
inline constexpr std::string_view kIncompleteGangRule = "incomplete-gang";
// Says of the evictions by this rule why.
void tell_why(const std::vector<IncompleteGang>& given_up, Effects& effects);

}  // namespace muster::daemon
