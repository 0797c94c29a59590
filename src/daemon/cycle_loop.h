#pragma once

#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/assumed_pods.h"
#include "daemon/claim_binder.h"
#include "daemon/held_pods.h"
#include "daemon/incomplete_gangs.h"
#include "daemon/live_cluster.h"
#include "daemon/log.h"
#include "daemon/seen_pods.h"
#include "daemon/unsure_orders.h"
#include "daemon/write_queue.h"

namespace muster::daemon {

// When an event tells of an eviction: when the server has agreed to it, or together with it, as the originals do, whatever becomes
// of it.
enum class EvictionsTold { kWhenDone, kAtOnce };

struct CycleSettings {
  kube::Duration period = std::chrono::seconds(1);         // the longest wait from one cycle to the next
  kube::Duration quiet = std::chrono::microseconds(500);   // without news, after which a cycle begins
  kube::Duration patience = std::chrono::milliseconds(5);  // the longest wait for that quiet
  kube::Duration gather = std::chrono::milliseconds(1);    // for which news wait for more, when they come in a row
  HoldSettings hold = {};                                  // of pods whose binds are refused
  kube::Duration gang_patience = std::chrono::seconds(5);  // from a refused bind to giving up its gang; 0: as long as it takes
  kube::Duration check = std::chrono::seconds(30);         // the shortest time from one check of the invariants to the next
  Evictions evictions = Evictions::kAllowed;               // kStopped: until a first check has found everything in order
  EvictionsTold told = EvictionsTold::kWhenDone;
};

// How a bind that was decided has come to nothing, without the server having been asked for it.
enum class NotBound {
  kNotSent,
  kNotPrepared,  // what goes before it could not be done
  kFailed,       // for whoever was asked to bind
};

// A pod as it was read on purpose; nothing: it is gone.
struct PodReading {
  kube::Identity id;
  std::optional<Object> pod;
};

// The one thread that owns the cluster's state: takes in what changed, runs a cycle when something did, hands out what was decided.
// Whatever else wants to see the state comes here by post().
class CycleLoop {
 public:
  struct Links {
    kube::EventQueue& changes;
    const kube::Clock& clock;
    Log& log;
    std::function<bool()> may_decide;          // we lead
    std::function<std::uint64_t()> term = {};  // of the leadership: see WriteQueue; none: there is only one
    std::function<void(Effects)> carry_out;
    std::function<void(const kube::Identity&)> read_pod;           // its reading comes back by on_read()
    std::function<void(UnsureOrder)> read_order = {};              // of a dialect that has others bind; by on_order_read()
    std::function<void(const std::string& gang)> drop_binds = {};  // those that were not sent; they are reported
    std::function<void(const CycleOutcome&)> on_cycle = {};
    // After the cycle that decided it. What was handed out is told by whoever carries it out.
    std::function<void(const Bind&, NotBound how, const std::string& why)> on_not_bound = {};
    std::function<void(const kube::Change&)> on_change = {};  // before it is taken in
    // What is remembered of an object is not what it was told as; it is told anew.
    std::function<void(const kube::ResourceKind&, const kube::Identity&, const std::string& what)> on_mismatch = {};
    // An invariant was found broken. From now on nobody is evicted.
    std::function<void(const std::string& what, std::uint64_t cycle)> on_broken = {};
    // After having begun without evictions: everything is in order, and they are allowed.
    std::function<void(std::uint64_t cycle)> on_in_order = {};
  };
  CycleLoop(std::unique_ptr<LiveCluster> cluster, std::size_t kinds, CycleSettings settings, Links links);

  // Until stop().
  void run();

  // ---- from any thread
  void stop();
  void post(std::function<void(CycleLoop&)> work);
  void on_written(WriteReport report);
  // Something is in the way of an eviction, such as a disruption budget; it will be tried again or given up.
  void on_blocked(const Evict& evict, const std::string& answer);
  void on_read(PodReading reading);
  void on_order_read(OrderReading reading);
  // A kind that was synced is being listed again: no cycle before that has ended.
  void await_list() { ++awaited_; }
  bool synced() const { return synced_; }
  std::size_t synced_kinds() const { return synced_count_; }
  std::uint64_t cycles() const { return cycles_; }

  // ---- on its own thread
  LiveCluster& cluster() { return *cluster_; }
  // Why nothing can be seen of cycles at the moment, in words; empty: it can.
  std::string why_no_sights() const;
  // Taken in a cycle that begins soon, if it can.
  void add_sight(Sight sight);
  // Whether the last cycle shows something else than the one before, as far as that can be told without looking. Not only because
  // somebody looked: who looks when there are news would otherwise make news.
  bool has_news() const { return has_news_; }
  // Nobody is evicted from now on. What is remembered cannot be relied on, and only another loop will do better.
  void stop_evicting();

 private:
  void take_in(kube::Change change);
  void take_pod(Pod pod, kube::Instant seen);
  void compare(const kube::ResourceKind& kind, Object object);
  void check_invariants();
  void withhold_evictions(Effects& effects);
  static void tell_at_once(Effects& effects);
  void enter_term();
  void take_mail();
  void take_report(const WriteReport& report);
  void take_evicted(const Evict& evict);
  void take_unsent(const Bind& bind, const kube::WriteResult& result);
  void note_unsent(const Bind& bind, const std::string& why);
  void tell_not_bound(const Bind& bind, NotBound how, const std::string& why) const;
  void log_unsent();
  void take_bound(const Bind& bind);
  void take_failure(const Bind& bind, const kube::WriteResult& result);
  bool stays_in_the_way(const Bind& bind, kube::WriteOutcome outcome);
  void take_refusal(const Bind& bind, const std::string& answer);
  bool lasts_too_long(const Bind& bind, const kube::WriteResult& result);
  void hold_up_gang(const Bind& bind, const std::string& what);
  bool may_give_up() const;
  void give_up_gangs();
  void hold_if_refused(Pod& pod);
  void take_deletion(const Delete& deletion, const kube::WriteResult& result);
  void take_creation(const Create& creation, const kube::WriteResult& result);
  void warn_once(const std::string& warning, const Decided& by, Log::Fields fields = {});
  void take_failures();
  Decided decided(const Bind& bind) const;
  void work_on_claims();
  void keep_back_gangs(Effects& effects);
  void keep_back(const Bind& bind, const std::string& why);
  void show_claims();
  void take_reading(PodReading reading);
  void take_order(const OrderReading& reading);
  void send_again(Bind bind);
  void let_go();
  kube::Instant next_cycle() const;
  bool wants_cycle() const { return dirty_ || is_asked_; }
  bool wait_for_quiet();
  void let_news_gather();
  void run_cycle();
  void assume(const Effects& effects, const Timestamp& now);
  void log_decisions(const CycleOutcome& outcome);
  void hand_out(Effects effects);

  std::unique_ptr<LiveCluster> cluster_;
  const std::size_t kinds_;
  const CycleSettings settings_;
  Links links_;
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
  boost::unordered_flat_map<std::string, kube::Instant> troubled_;  // uids of pods that passing trouble keeps from nodes, since when
  boost::unordered_flat_map<std::string, Decided> orders_;        // by uids of the pods: who decided what others are to bind
  boost::unordered_flat_set<const kube::ResourceKind*> synced_kinds_;
  bool dirty_ = false;
  bool is_asked_ = false;  // somebody wants to look at a cycle
  bool is_seen_ = false;   // nothing has happened since the last cycle, and nothing was decided in it
  bool has_news_ = false;
  Effects told_;            // of binds and evictions that were reported, and what has gone: for all that have come together
  Effects first_writes_;    // what the cluster lacks: for when we lead, which may be later than everything is known
  std::uint64_t term_ = 0;  // in which everything is decided
  kube::Instant last_cycle_{};
  kube::Instant last_woken_{};  // without anything to decide
  kube::Instant next_check_{};
  unsigned long expectations_;  // that had failed when they were last looked at
  bool is_doubted_ = false;     // evictions were stopped here
  bool is_on_trial_;            // began without evictions, and nothing has been checked yet
  boost::unordered_flat_set<std::string> warned_;

  std::atomic<bool> synced_ = false;
  std::atomic<std::size_t> synced_count_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint64_t> cycles_ = 0;
  std::atomic<int> awaited_ = 0;
  std::mutex mutex_;
  std::vector<std::function<void(CycleLoop&)>> mail_;
};

}  // namespace muster::daemon
