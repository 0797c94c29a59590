#pragma once

#include <atomic>
#include <boost/unordered/unordered_flat_set.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "daemon/cycle_links.h"
#include "daemon/live_cluster.h"
#include "daemon/open_decisions.h"
#include "daemon/warnings.h"
#include "daemon/write_queue.h"

namespace muster::daemon {

// The one thread that owns the cluster's state: takes in what changed, runs a cycle when something did, hands out what was decided.
// Whatever else wants to see the state comes here by post().
class CycleLoop {
 public:
  using Links = CycleLinks;
  CycleLoop(std::unique_ptr<LiveCluster> cluster, std::size_t kinds, CycleSettings settings, Links links);

  // Before it runs: what another one, of the same cluster, has left.
  void inherit(std::vector<ClaimStep> left_over) { open_.inherit(std::move(left_over)); }
  // Until stop().
  void run();
  // After it ran, when all that was written is answered: by which devices are to go back, unless their pods use them after all.
  std::vector<ClaimStep> leave();

  // ---- from any thread
  void stop();
  void post(std::function<void(CycleLoop&)> work);
  void on_written(WriteReport report);
  // Something is in the way of an eviction, such as a disruption budget; it will be tried again or given up.
  void on_blocked(const Evict& evict, const std::string& answer);
  void on_read(PodReading reading);
  void on_order_read(OrderReading reading);
  // A kind that was synced is being listed again: no cycle before that has ended. When we begin to lead, this comes before
  // `may_decide` says so.
  void await_list() { ++awaited_; }
  bool synced() const { return synced_; }
  std::size_t synced_kinds() const { return synced_count_; }
  std::uint64_t cycles() const { return cycles_; }

  // ---- on its own thread
  LiveCluster& cluster() { return *cluster_; }
  // Why nothing can be seen of cycles at the moment, in words; empty: it can.
  std::string why_no_sights() const;
  // Taken in a cycle that begins soon, if it can. Of explanations of jobs each cycle takes a few.
  void add_sight(Sight sight);
  // Whether the last cycle shows something else than the one before, as far as that can be told without looking. Not only because
  // somebody looked: who looks when there are news would otherwise make news.
  bool has_news() const { return has_news_; }
  // Nobody is evicted from now on. What is remembered cannot be relied on, and only another loop will do better.
  void stop_evicting();

 private:
  void take_in(kube::Change change);
  void compare(const kube::ResourceKind& kind, Object object);
  void take_mail();
  void take_report(const WriteReport& report);
  void take_deletion(const Delete& deletion, const kube::WriteResult& result);
  void take_creation(const Create& creation, const kube::WriteResult& result);
  void check_invariants();
  // We lead, and have seen what whoever led before may have written.
  bool knows_what_leaders_wrote() const;
  bool may_give_up() const;
  kube::Instant next_cycle() const;
  void skip_what_others_decided();
  void take_explanations();
  bool wants_cycle() const { return dirty_ || is_asked_; }
  bool wait_for_quiet();
  void let_news_gather();
  void run_cycle();
  void log_decisions(const CycleOutcome& outcome);

  std::unique_ptr<LiveCluster> cluster_;
  const std::size_t kinds_;
  const CycleSettings settings_;
  Links links_;
  Warnings warnings_;
  OpenDecisions open_;
  boost::unordered_flat_set<const kube::ResourceKind*> synced_kinds_;
  bool dirty_ = false;
  bool is_asked_ = false;  // somebody wants to look at a cycle
  std::deque<Sight> to_explain_;
  bool is_seen_ = false;  // nothing has happened since the last cycle, and nothing was decided in it
  bool has_news_ = false;
  Effects first_writes_;  // what the cluster lacks: for when we lead, which may be later than everything is known
  kube::Instant last_cycle_{};
  kube::Instant last_woken_{};  // without anything to decide
  kube::Instant next_check_{};
  std::uint64_t term_;          // that the cluster knows of
  unsigned long expectations_;  // that had failed when they were last looked at
  bool is_doubted_ = false;     // evictions were stopped here
  bool is_on_trial_;            // began without evictions, and nothing has been checked yet

  std::atomic<bool> synced_ = false;
  std::atomic<std::size_t> synced_count_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint64_t> cycles_ = 0;
  std::atomic<int> awaited_ = 0;
  std::mutex mutex_;
  std::vector<std::function<void(CycleLoop&)>> mail_;
};

}  // namespace muster::daemon
