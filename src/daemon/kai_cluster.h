#pragma once

#include <memory>
#include <optional>
#include <string>

#include "daemon/incomplete_gangs.h"
#include "daemon/kai_effects.h"
#include "daemon/kai_looks.h"
#include "daemon/kai_numbers.h"
#include "daemon/kai_requests.h"
#include "daemon/kai_usage_follower.h"
#include "daemon/live_cluster.h"
#include "daemon/pod_gate.h"
#include "policy/kai/scheduler.h"

namespace muster::daemon {

struct KaiSettings {
  kai::Config config;
  kai::ClusterOptions options;
  KaiWriting writing;
  std::string gpu_groups;  // how names of shared GPUs begin: nobody else's may
  std::shared_ptr<KaiNumbers> numbers = nullptr;
  bool lenient = false;
  std::string share_names = {};  // a beginning for names of shares of devices, of the process
  MakeKaiUsage make_usage = kai_usage_follower;
};

// KAI's dialect on a living cluster.
class KaiCluster final : public LiveCluster {
 public:
  explicit KaiCluster(KaiSettings settings);

  bool wants(const kube::ResourceKind& kind) const override;
  void apply(Object object) override;
  void remove(const kube::ResourceKind& kind, const kube::Identity& id) override;
  void take_back(const kube::Identity& pod) override;
  Effects settle() override;
  CycleOutcome run_cycle(const Timestamp& now) override;
  void skip_cycle(const Timestamp& now) override;
  void on_bind_taken(const Bind& bind, kube::Duration took) override;
  void on_bound(const Bind& bind, Effects& effects) override;
  void on_refused(const Bind& bind, const std::string& answer, const Timestamp& now, Effects& effects) override;
  void on_unprepared(const Bind& bind, const std::string& why, const Timestamp& now, Effects& effects) override;
  std::vector<FailedBind> take_failed_binds() override;
  bool stands(const Bind& bind, const Object& order) const override;
  void on_not_deleted(const Delete& deletion) override { requests_.on_not_deleted(deletion); }
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
  void evict_given_up(kai::Session& session) const;
  void apply_pod(Pod pod);
  void apply_request(BindRequest request);
  bool may_be_placed(const Pod& pod) const;
  void take_down(kai::Session& session, CycleOutcome& outcome);
  void follow_usage();
  void put_in_force(kai::Config config);
  std::string why_not_direct(const Pod& pod) const;

  const KaiWriting writing_;
  const bool lenient_;
  const std::shared_ptr<KaiNumbers> numbers_;  // none: nobody looks at them
  const MakeKaiUsage make_usage_;
  const kube::SystemClock clock_;
  std::unique_ptr<kai::Scheduler> scheduler_;
  KaiSights sights_;
  std::optional<kai::Config> with_evictions_;  // what the configuration says, while nobody may be evicted
  KaiRequests requests_;
  PodGate gate_;
  KaiWritten written_;
  std::vector<FailedBind> failed_;
  std::vector<IncompleteGang> given_up_;  // in the next cycle
  std::vector<std::string> notes_;        // about the configuration
  std::unique_ptr<KaiUsageTeller> usage_;
  bool nodes_went_ = false;
};

}  // namespace muster::daemon
