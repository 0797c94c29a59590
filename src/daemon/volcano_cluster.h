#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/incomplete_gangs.h"
#include "daemon/live_cluster.h"
#include "daemon/volcano_effects.h"
#include "daemon/volcano_looks.h"
#include "daemon/volcano_numbers.h"
#include "policy/volcano/extender_client.h"
#include "policy/volcano/scheduler.h"

namespace muster::daemon {

struct VolcanoSettings {
  volcano::Config config;
  volcano::Behaviour behaviour;
  volcano::ClusterOptions options;
  bool lenient = false;
  std::shared_ptr<VolcanoNumbers> numbers = nullptr;
  std::string share_names = {};  // a beginning for names of shares of devices, of the process
  std::function<std::shared_ptr<volcano::ExtenderClient>()> make_extender = {};  // empty: over HTTP
};

// Volcano's dialect on a living cluster.
class VolcanoCluster final : public LiveCluster {
 public:
  explicit VolcanoCluster(VolcanoSettings settings);

  bool wants(const kube::ResourceKind& kind) const override;
  void apply(Object object) override;
  void remove(const kube::ResourceKind& kind, const kube::Identity& id) override;
  void take_back(const kube::Identity& pod) override;
  Effects settle() override;
  CycleOutcome run_cycle(const Timestamp& now) override;
  void skip_cycle(const Timestamp&) override;
  void on_prepared(const Bind& bind, kube::Duration took) override;
  void on_bind_taken(const Bind& bind, kube::Duration took) override;
  void on_bound(const Bind& bind, Effects& effects) override;
  void on_refused(const Bind& bind, const std::string& answer, const Timestamp& now, Effects& effects) override;
  void on_unprepared(const Bind& bind, const std::string& why, const Timestamp& now, Effects& effects) override;
  void on_not_created(const Create&) override { lacks_queues_ = true; }
  void on_not_written(const kube::ObjectPath& object) override;
  std::string gang_of(const Pod& pod) const override;
  bool lacks_pods(const kube::Identity& member, const std::set<std::string>& without) const override;
  bool holds_room(const kube::Identity& pod) const override;
  void give_up(IncompleteGang gang) override { given_up_.push_back(std::move(gang)); }
  void add_sight(Sight sight) override { sights_.add(std::move(sight)); }
  ClusterCounts counts() const override;
  std::string differs(const Object& object) const override;
  std::string broken_invariant() const override;
  void set_evictions(Evictions evictions) override;
  Result<Reconfigured> reconfigure(const std::string& text, const std::string& file) override;

 private:
  void evict_given_up(volcano::Session& session) const;
  bool is_ours(const Pod& pod) const;
  std::optional<Timestamp> creation_of(const kube::Identity& pod) const;
  void note_amounts(const Queue& queue);
  void note_conditions(const PodGroup& group);
  std::vector<Create> missing_queues() const;
  void ask_for_queues(const Timestamp& now, Effects& effects);
  void ask_extender();
  void put_in_force(volcano::Config config);

  const bool lenient_;
  const std::shared_ptr<VolcanoNumbers> numbers_;  // none: nobody looks at them
  const std::function<std::shared_ptr<volcano::ExtenderClient>()> make_extender_;
  std::unique_ptr<volcano::Scheduler> scheduler_;
  VolcanoSights sights_;
  std::optional<volcano::Config> with_evictions_;  // what the configuration says, while nobody may be evicted
  QueueAmounts queue_amounts_;                     // as written
  GroupsShownNotReady shown_not_ready_;
  std::vector<IncompleteGang> given_up_;       // in the next cycle
  bool lacks_queues_ = false;                  // one that was asked for was not made
  std::optional<Timestamp> asked_for_queues_;  // the last time in a cycle
  ShareNames shares_;
};

}  // namespace muster::daemon
