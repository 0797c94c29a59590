// A scheduler that has lived through a history of objects that came, changed and went decides like one that has just been started
// with what there is, and it has not grown with what there was.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "app/outcome_json.h"
#include "app/volcano_report.h"
#include "app/volcano_setup.h"
#include "property/object_store.h"
#include "property/random_scenario.h"
#include "property/scenario_run.h"

namespace muster {
namespace {

using volcano::Behaviour;
using volcano::Cluster;
using volcano::Session;

constexpr Timestamp kNow{1'800'000'000, 0};
constexpr std::size_t kSpareIds = 3;

// Collects a cycle and tells the store what it decided and wrote.
class Cycle final : public volcano::CycleObserver {
 public:
  explicit Cycle(ObjectStore* store) : store_(store) {}

  void acted(Session& session, std::string_view action) override {
    if (action == session.config().actions.back()) reporter_.before_close(session);
  }
  void closed(Session& session) override {
    reporter_.after_close(session);
    if (store_ != nullptr) write(session);
  }
  // Without what only tells that something changed since the cycle before.
  std::string outcome() {
    auto json = nlohmann::json::parse(outcome_json("cycle", {reporter_.take()}, nullptr));
    for (const char* texts : {"podgroup_conditions", "podgroup_events", "pod_conditions", "queue_allocated"}) json.erase(texts);
    return json.dump(1);
  }
  const std::vector<Object>& written() const { return written_; }

 private:
  template <class Kind, class Change>
  void change(const std::string& ns, const std::string& name, Change change) {
    auto* known = store_->find<Kind>(ns, name);
    if (known == nullptr) return;
    change(*known);
    written_.emplace_back(*known);
  }
  void write(Session& session) {
    const auto& books = session.books();
    const auto name_of_pod = [&](PodId pod) { return std::pair(books.symbols().text(books.pod(pod).ns), books.pod(pod).name); };
    for (const auto& written : session.writes().pod_conditions) {
      const auto [ns, name] = name_of_pod(written.pod);
      change<Pod>(ns, name, [&](Pod& pod) {
        pod.status.conditions = {{"PodScheduled", "False", std::string(written.reason), *written.message, "", kNow}};
      });
    }
    for (const auto& [pod, node] : session.writes().nominated) {
      const auto [ns, name] = name_of_pod(pod);
      change<Pod>(ns, name, [&, at = node](Pod& object) { object.status.nominated_node = books.node(at).name; });
    }
    for (const auto& decision : session.outbox()) {
      const auto [ns, name] = name_of_pod(decision.pod);
      change<Pod>(ns, name, [&](Pod& pod) {
        if (decision.kind == Decision::Kind::kEvict) {
          pod.meta.deleted = kNow;
          return;
        }
        pod.spec.node_name = books.node(decision.node).name;
        pod.status.phase = "Running";
        pod.status.nominated_node.clear();
        pod.status.conditions.clear();
      });
    }
    for (const auto id : session.writes().groups) {
      const auto& job = session.cluster().job(id);
      change<PodGroup>(job.ns, job.name, [&](PodGroup& group) {
        group.phase = name_of(job.status.phase);
        group.running = job.status.running;
        group.succeeded = job.status.succeeded;
        group.failed = job.status.failed;
        group.conditions.clear();
        for (const auto& condition : job.status.conditions) group.conditions.push_back(*condition);
      });
    }
    for (const auto id : session.writes().queues) {
      const auto& queue = session.cluster().queue(id);
      change<Queue>("", queue.name, [&](Queue& object) { object.allocated = queue.allocated; });
    }
  }

  ObjectStore* store_;
  VolcanoReporter reporter_;
  std::vector<Object> written_;
};

class History {
 public:
  History(Scenario scenario, Behaviour behaviour, SearchKind search)
      : scenario_(std::move(scenario)), behaviour_(behaviour), search_(search) {
    for (const auto& object : scenario_.objects) offer(object);
    for (const auto& object : random_scenario({.node_kinds = 3, .jobs = 4, .cycles = 1}).objects) offer(object);
    live_ = scheduler();
    live_->cluster().books().set_spare_ids(kSpareIds);
    live_->cluster().settle();
  }

  void start() {
    for (const auto& object : scenario_.objects)
      if (!chance(4)) apply(without_closeness(object));
  }
  void change() {
    const int changes = pick(12);
    for (int i = 0; i < changes; ++i) change_one();
    changes_ = std::max(changes_, events_);
    peak_pods_ = std::max(peak_pods_, live_->cluster().books().live_pods());
    peak_nodes_ = std::max(peak_nodes_, store_.count<Node>());
    events_ = 0;
  }
  void compare() {
    auto fresh = scheduler();
    for (const auto& object : store_.all()) fresh->cluster().apply(object);
    fresh->cluster().settle();
    Cycle expected(nullptr), cycle(&store_);
    fresh->run_cycle(kNow, expected);
    live_->run_cycle(kNow, cycle);
    const auto anew = expected.outcome(), lived = cycle.outcome();
    RC_LOG() << "fresh:\n" << anew << "\nlived:\n" << lived << "\n";
    RC_ASSERT(anew == lived);
    RC_ASSERT(live_->cluster().books().check_sums());
    for (const auto& object : cycle.written()) apply(object);
    check_size(fresh->cluster());
  }

 private:
  std::unique_ptr<volcano::Scheduler> scheduler() const {
    auto config = read_volcano_config(scenario_.config, "config", Strictness::kExact);
    auto options = scenario_.options;
    volcano::remember_for(config->config, options);
    return std::make_unique<volcano::Scheduler>(std::make_unique<Cluster>(std::move(options)), std::move(config->config),
                                                behaviour_, search_);
  }
  // Where a gang that has to be close together found its place is remembered until it has gone, as the original does; a fresh start
  // can only infer it.
  static Object without_closeness(Object object) {
    if (auto* group = std::get_if<PodGroup>(&object)) {
      group->topology.reset();
      for (auto& policy : group->sub_groups) policy.topology.reset();
    }
    return object;
  }
  void offer(const Object& object) {
    const auto id = identity(object);
    if (!variants_.contains(id)) ids_.push_back(id);
    variants_[id].push_back(without_closeness(object));
  }
  void apply(const Object& object) {
    ++events_;
    RC_LOG() << "apply " << identity(object) << "\n";
    store_.put(object);
    live_->cluster().apply(object);
  }
  void remove(const Object& object) {
    ++events_;
    RC_LOG() << "remove " << identity(object) << "\n";
    live_->cluster().remove(gone(object));
    store_.erase(Object(object));
  }
  void change_one() {
    const auto& id = ids_[static_cast<std::size_t>(pick(static_cast<int>(ids_.size())))];
    if (const auto* known = store_.find(id); known != nullptr && chance(2)) {
      remove(*known);
      return;
    }
    const auto& variants = variants_[id];
    auto object = variants[static_cast<std::size_t>(pick(static_cast<int>(variants.size())))];
    // What comes under a name that was there is another one.
    meta_of(object).uid = "uid-" + std::to_string(100'000 + serial_);
    if (std::holds_alternative<Pod>(object) || std::holds_alternative<PodGroup>(object))
      meta_of(object).created = {kNow.seconds - 100'000 + serial_, 0};
    ++serial_;
    apply(object);
  }
  void check_size(const Cluster& fresh) const {
    const auto& books = live_->cluster().books();
    RC_ASSERT(books.pod_count() <= peak_pods_ + static_cast<std::size_t>(changes_) + scenario_.objects.size());
    RC_ASSERT(books.live_pods() == fresh.books().live_pods());
    RC_ASSERT(books.group_count() <= ids_.size());
    RC_ASSERT(books.node_count() <=
              3 * (peak_nodes_ + fresh.books().node_count()) + static_cast<std::size_t>(changes_) + 2 * kSpareIds);
  }

  Scenario scenario_;
  Behaviour behaviour_;
  SearchKind search_;
  std::unique_ptr<volcano::Scheduler> live_;
  ObjectStore store_;
  std::vector<std::string> ids_;
  std::map<std::string, std::vector<Object>> variants_;
  int serial_ = 0;
  int events_ = 0, changes_ = 0;
  std::size_t peak_pods_ = 0, peak_nodes_ = 0;
};

// Promises outlive cycles and are no objects, so the safe behaviour is looked at where nobody is evicted.
bool evicts(const std::string& config) {
  return config.find("preempt") != std::string::npos || config.find("reclaim") != std::string::npos;
}

void live_through(SearchKind search) {
  auto scenario = random_scenario({.node_kinds = 4, .jobs = 6, .cycles = 1});
  RC_LOG() << description(scenario);
  const bool safe = !evicts(scenario.config) && chance(2);
  History history(std::move(scenario), safe ? Behaviour::safe() : Behaviour::exact(), search);
  history.start();
  history.compare();
  const int rounds = 1 + pick(8);
  for (int i = 0; i < rounds; ++i) {
    history.change();
    RC_LOG() << "--- cycle\n";
    history.compare();
  }
}

RC_GTEST_PROP(ObjectHistory, DecidesAsIfStartedAnew, ()) { live_through(SearchKind::kIndex); }

RC_GTEST_PROP(ObjectHistory, SoDoesTheReference, ()) { live_through(SearchKind::kReference); }

}  // namespace
}  // namespace muster
