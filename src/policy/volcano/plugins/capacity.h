#pragma once

#include <optional>

#include "policy/volcano/plugin.h"
#include "policy/volcano/plugins/queue_devices.h"
#include "policy/volcano/plugins/queue_share.h"
#include "policy/volcano/plugins/queue_tree.h"

namespace muster::volcano {

// Queues with amounts of their own: what a queue deserves is written in it, what it may hold is its capability within what others
// are not guaranteed. Flat, or as a tree in which every ancestor's limit counts too. A fault of the tree is
// confined to the queues that it concerns: their jobs wait, and others go on. In the original, and without a root in both, it stops
// the plugin: nobody is let in or placed until it is mended.
class Capacity final : public Plugin {
 public:
  Capacity(Session& session, const PluginOption& option);
  Points points() const override;

  void open() override;
  int compare_queues(QueueId left, QueueId right) override;
  bool allocatable(QueueId queue, PodId pod) override;
  bool simulate_allocatable(QueueId queue, PodId pod) override;
  Vote job_enqueueable(const Job& job) override;
  void job_enqueued(const Job& job) override;
  bool on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;

  bool preemptive(QueueId queue, std::span<const PodId> pods) override;
  Ballot reclaimable(PodId reclaimer, std::span<const PodId> candidates) override;
  Ballot gang_evictable(const GangDemand& demand, std::span<const PodId> candidates) override;
  int compare_victim_queues(QueueId left, QueueId right, QueueId taker) override;

  const QueueShare& share_of_queue(QueueId queue) const { return shares_[queue]; }
  const QueueTree* tree() const { return tree_ ? &*tree_ : nullptr; }  // none: flat
  // In a sound tree: the limit that a queue names, and of its parent's what it does not name.
  const Resource& capability_of(QueueId queue) const { return capabilities_[queue]; }
  bool is_stopped() const { return tree_ && !tree_->is_sound(); }
  // NAMESPACE/NAME of the oldest known job of a queue; empty if it has none.
  std::string first_job_in(QueueId queue) const;
  // The first queue on the way up that has no room for this much more.
  QueueId full_queue(QueueId queue, const Amounts& more) const;

 private:
  void open_flat();
  void open_tree();
  void set_limits();
  void warn_of_faults();
  // Whether jobs of this queue have a place in the tree.
  bool takes_jobs(QueueId queue) const { return !is_stopped() && (!tree_ || tree_->takes_jobs(queue)); }
  // What decides the order of queues, close together: it is asked for very often.
  struct Rank {
    double share = 0;
    std::int32_t priority = 0;
    bool deserves_nothing = false;
    bool has_children = false;
  };
  void update_share(QueueId queue);
  static int compare_shares(const Rank& left, const Rank& right);
  QueueId above(QueueId queue) const { return tree_ ? tree_->counts_in(queue) : QueueId(); }
  // A queue and every ancestor, whose limits its pods have to keep as well; the root comes last.
  template <class F>
  void each_up_from(QueueId queue, F change);
  // The two questions about limits, each about one queue on the way up.
  bool has_room(QueueId queue, PodId pod) const;
  bool admits(QueueId queue, const Job& job);

  bool keeps_guarantee(QueueId queue, PodId victim, HoldingsAfter& held) const;
  bool holds_too_much(QueueId queue, PodId victim, HoldingsAfter& held) const;
  bool is_reclaimable(QueueId reclaiming, PodId reclaimer, PodId victim, HoldingsAfter& held) const;
  bool share_branch(QueueId left, QueueId right) const;
  // The victim's ancestor so many steps up, if it has to hold too much as well for the victim to be taken.
  QueueId ancestor_to_ask(QueueId reclaiming, QueueId of_victim, std::size_t steps) const;

  const bool hierarchy_;
  std::size_t reclaim_level_ = 0;  // so many levels of ancestors have a say in reclaiming
  std::optional<QueueTree> tree_;  // of a hierarchy
  IdVector<QueueId, QueueShare> shares_;
  IdVector<QueueId, Resource> capabilities_;  // of a tree
  IdVector<QueueId, Rank> ranks_;
  QueueDevices devices_;
};

}  // namespace muster::volcano
