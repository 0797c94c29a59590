#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "daemon/assumed_pods.h"
#include "daemon/claim_binder.h"
#include "daemon/cycle_links.h"
#include "daemon/held_pods.h"
#include "daemon/incomplete_gangs.h"
#include "daemon/seen_pods.h"
#include "daemon/unsure_orders.h"
#include "daemon/warnings.h"
#include "daemon/write_queue.h"

namespace muster::daemon {

// What was decided about pods, until their objects show it or it has come to nothing. Meanwhile the cluster is told of every pod as
// it will be. What is refused, fails or gets no answer is followed up here: the pod is read, held for a while, decided about anew;
// what its gang cannot do without it is not sent, or given back.
//
// On the thread of the cycles alone.
class OpenDecisions {
 public:
  // `wants_cycle`: the cluster was told something new.
  OpenDecisions(LiveCluster& cluster, const CycleSettings& settings, const CycleLinks& links, Warnings& warnings,
                std::function<void()> wants_cycle);

  // ---- what the watches tell
  void take_pod(Pod pod, kube::Instant seen);
  void take_object(Object object);  // of another kind
  void forget(const kube::ResourceKind& kind, const kube::Identity& id);
  // Whether the object only shows, at last, what cycles have counted with.
  bool is_confirmed_by(const Pod& pod) const { return assumed_.is_confirmed_by(pod); }
  // Whether something of the pod is still to be seen in an object.
  bool holds(const kube::Identity& pod) const { return assumed_.holds(pod); }

  // ---- what becomes of writes
  void take_bind(const Bind& bind, const WriteReport& report);
  void take_eviction(const Evict& evict, const kube::WriteResult& result);
  void take_step(const ClaimStep& step, const kube::WriteResult& result);
  void take_reading(PodReading reading);
  void take_order(const OrderReading& reading);
  // To be told together with what comes at the same time.
  void tell(Event event) { told_.events.push_back(std::move(event)); }
  void tell_all();

  // ---- around cycles, which are counted by `cycle`: the last one that was
  // What fails elsewhere, what goes before binds, and those whose time of being held is over. Between cycles.
  void go_on(std::uint64_t cycle);
  // Before a cycle.
  void prepare();
  void give_up_gangs(std::uint64_t cycle);
  // What the cycle has decided counts from now on.
  void assume(const Effects& effects, const Timestamp& now);
  // It is not to be carried out: it was decided by what cannot be relied on.
  void withhold_evictions(Effects& effects);
  void carry_out(Effects effects, std::uint64_t cycle);
  void hand_out(Effects effects);

  // When nothing is followed up here any more, or before anything is: by which devices are to go back.
  std::vector<ClaimStep> leave() { return claims_.leave(); }
  void inherit(std::vector<ClaimStep> left_over) { claims_.inherit(std::move(left_over)); }

  // In which everything is decided.
  std::uint64_t term() const { return term_; }

  // When there is something to do without any news, but for giving up gangs, which only who may evict does.
  std::optional<kube::Instant> next() const;
  std::optional<kube::Instant> next_give_up() const { return incomplete_.next(); }

 private:
  void enter_term();
  void let_go();
  void work_on_claims();
  void show_claims();
  void take_bound(const Bind& bind);
  void take_failure(const Bind& bind, const kube::WriteResult& result);
  void take_refusal(const Bind& bind, const std::string& answer);
  void take_failed_binds(std::uint64_t cycle);
  bool stays_in_the_way(const Bind& bind, kube::WriteOutcome outcome);
  void note_trouble(const Bind& bind, const kube::WriteResult& result);
  bool lasts_too_long(const Bind& bind) const;
  void send_again(Bind bind);
  void hold_if_refused(Pod& pod);
  void hold_up_gangs(const std::vector<IncompleteGangs::Refused>& refused);
  void keep_back_gangs(Effects& effects);
  void keep_back(const Bind& bind, const std::string& why);
  void note_unsent(const Bind& bind, const std::string& why);
  void log_unsent();
  void tell_not_bound(const Bind& bind, NotBound how, const std::string& why) const;
  Decided decided(const Bind& bind, std::uint64_t cycle) const;
  kube::Instant now() const { return links_.clock.now(); }

  LiveCluster& cluster_;
  const CycleLinks& links_;
  Warnings& warnings_;
  const std::function<void()> wants_cycle_;
  AssumedPods assumed_;
  ClaimBinder claims_;
  HeldPods held_;
  IncompleteGangs incomplete_;
  SeenPods seen_;
  UnsureOrders unsure_;
  struct Unsent {
    std::size_t binds = 0;
    Decided by;
  };
  std::map<std::pair<std::string, std::string>, Unsent> unsent_;  // by gang and why: what was not yet logged
  boost::unordered_flat_set<std::string> in_the_way_;             // uids of pods whose last order met an object of its name
  // Passing trouble that keeps a pod from its node, at one attempt after the other.
  struct Trouble {
    kube::Instant since, last;
  };
  boost::unordered_flat_map<std::string, Trouble> troubled_;  // by uids of the pods
  boost::unordered_flat_map<std::string, Decided> orders_;    // by uids of the pods: who decided what others are to bind
  Effects told_;            // of binds and evictions that were reported, and what has gone: for all that have come together
  std::uint64_t term_ = 0;  // of the leadership, in which everything is decided
};

}  // namespace muster::daemon
