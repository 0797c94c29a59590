// The same for the KAI dialect: a scheduler that has lived through a history of objects that came, changed and went decides like
// one that has just been started with what there is, and it has not grown with what there was.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "app/kai_report.h"
#include "property/kai_scenario.h"
#include "property/object_store.h"
#include "property/random_scenario.h"
#include "support/kai_world.h"

namespace muster {
namespace {

using kai::Behaviour;
using kai::Cluster;
using kai::Session;

constexpr Timestamp kNow = kai::KaiWorld::kNow;
constexpr std::size_t kSpareIds = 3;

void set_stamp(StringMap& annotations, const std::string& key, const std::optional<Timestamp>& stamp) {
  std::vector<std::pair<std::string, std::string>> items;
  for (const auto& [name, value] : annotations)
    if (name != key) items.emplace_back(name, value);
  if (stamp) items.emplace_back(key, stamp->rfc3339());
  annotations = StringMap(std::move(items));
}

// Collects a cycle and tells the store what it decided and wrote.
class Cycle final : public kai::CycleObserver {
 public:
  explicit Cycle(ObjectStore* store) : store_(store) {}

  void opened(Session& session) override { recorder_.opened(session); }
  void acted(Session& session, std::string_view action) override { recorder_.acted(session, action); }
  void closed(Session& session) override {
    recorder_.closed(session);
    if (store_ != nullptr) write(session);
  }
  std::string outcome() {
    auto json = nlohmann::json::parse(kai_outcome_json(std::nullopt, {recorder_.take()}, {}, nullptr));
    return json.dump(1);
  }
  const std::vector<Object>& written() const { return written_; }

 private:
  void write(Session& session) {
    const auto& books = session.books();
    for (const auto& bind : session.bind_details()) {
      BindRequest request;
      request.meta.ns = books.symbols().text(books.pod(bind.pod).ns);
      request.meta.name = "bind-" + books.pod(bind.pod).name;
      request.pod = books.pod(bind.pod).name;
      request.node = books.node(session.cluster().task(bind.pod).node).name;
      if (bind.gpu.shared())
        for (const auto group : bind.groups) request.gpu_groups.push_back(books.symbols().text(group));
      written_.emplace_back(std::move(request));
    }
    for (const auto& decision : session.outbox()) {
      auto* pod = store_->find<Pod>(books.pod_key(decision.pod));
      if (pod == nullptr || decision.kind == Decision::Kind::kBind) continue;
      if (!pod->meta.deleted) pod->meta.deleted = kNow;
      written_.emplace_back(*pod);
    }
    for (const auto id : session.cluster().all_jobs()) {
      const auto& job = session.cluster().job(id);
      auto* known = store_->find<KaiPodGroup>(job.ns, job.name);
      if (known == nullptr) continue;
      const auto before = known->meta.annotations;
      set_stamp(known->meta.annotations, "kai.scheduler/last-start-timestamp", job.written.last_start);
      set_stamp(known->meta.annotations, "kai.scheduler/stale-podgroup-timestamp", job.written.stale_since);
      set_stamp(known->meta.annotations, "kai.scheduler/last-eviction-timestamp", job.written.last_eviction);
      const bool same = before == known->meta.annotations && known->conditions.size() == job.conditions.size() &&
                        (job.conditions.empty() || known->conditions.back().message == job.conditions.back().message);
      known->conditions = job.conditions;
      if (!same) written_.emplace_back(*known);
    }
  }

  ObjectStore* store_;
  KaiRecorder recorder_;
  std::vector<Object> written_;
};

class History {
 public:
  History(Behaviour behaviour, kai::Config config, SearchKind search)
      : behaviour_(behaviour), config_(std::move(config)), search_(search) {
    for (int i = 0; i < 2; ++i)
      for (const auto& object : random_kai_scenario().objects) offer(object);
    live_ = scheduler();
    live_->cluster().books().set_spare_ids(kSpareIds);
  }

  void change() {
    events_ = 0;
    carry_out();
    const int changes = pick(15);
    for (int i = 0; i < changes; ++i) change_one();
    most_events_ = std::max(most_events_, events_);
    peak_pods_ = std::max(peak_pods_, live_->cluster().books().live_pods());
    peak_nodes_ = std::max(peak_nodes_, store_.count<Node>());
  }
  void compare() {
    auto fresh = scheduler();
    for (const auto& object : store_.all()) fresh->cluster().apply(object);
    Cycle expected(nullptr), cycle(&store_);
    fresh->run_cycle(kNow, expected);
    live_->run_cycle(kNow, cycle);
    const auto anew = expected.outcome(), lived = cycle.outcome();
    RC_LOG() << "fresh:\n" << anew << "\nlived:\n" << lived << "\n";
    RC_ASSERT(anew == lived);
    for (const auto& object : cycle.written()) apply(object);
    check_size(fresh->cluster());
  }

 private:
  std::unique_ptr<kai::Scheduler> scheduler() const {
    kai::ClusterOptions options;
    options.behaviour = behaviour_;
    return std::make_unique<kai::Scheduler>(std::make_unique<Cluster>(options), config_, search_);
  }
  void offer(const Object& object) {
    const auto id = identity(object);
    if (!variants_.contains(id)) ids_.push_back(id);
    variants_[id].push_back(object);
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
  // Most binds come about, as the binder does it.
  void carry_out() {
    std::vector<BindRequest> requests;
    for (const auto& object : store_.all())
      if (const auto* request = std::get_if<BindRequest>(&object)) requests.push_back(*request);
    for (const auto& request : requests) {
      if (chance(4)) continue;
      if (const auto* known = store_.find<Pod>(request.meta.ns, request.pod); known != nullptr && known->spec.node_name.empty()) {
        auto pod = *known;
        pod.spec.node_name = request.node;
        pod.status.phase = "Running";
        for (const auto& group : request.gpu_groups) pod.meta.labels.set("runai-gpu-group", group);
        apply(pod);
      }
      if (chance(2)) remove(request);
    }
  }
  void change_one() {
    if (!store_.empty() && chance(2)) {
      remove(store_.all()[static_cast<std::size_t>(pick(static_cast<int>(store_.all().size())))]);
      return;
    }
    const auto& id = ids_[static_cast<std::size_t>(pick(static_cast<int>(ids_.size())))];
    const auto& variants = variants_[id];
    auto object = variants[static_cast<std::size_t>(pick(static_cast<int>(variants.size())))];
    // What comes under a name that was there is another one.
    meta_of(object).uid = "uid-" + std::to_string(100'000 + serial_);
    meta_of(object).created = {kNow.seconds - 100'000 + serial_, 0};
    ++serial_;
    apply(object);
  }
  void check_size(const Cluster& fresh) const {
    const auto& books = live_->cluster().books();
    RC_ASSERT(books.live_pods() == fresh.books().live_pods());
    RC_ASSERT(books.pod_count() <= peak_pods_ + static_cast<std::size_t>(most_events_));
    RC_ASSERT(books.group_count() <= ids_.size());
    RC_ASSERT(books.node_count() <=
              4 * peak_nodes_ + static_cast<std::size_t>(most_events_) + fresh.books().node_count() + 2 * kSpareIds);
  }

  Behaviour behaviour_;
  kai::Config config_;
  SearchKind search_;
  std::unique_ptr<kai::Scheduler> live_;
  ObjectStore store_;
  std::vector<std::string> ids_;
  std::map<std::string, std::vector<Object>> variants_;
  int serial_ = 0;
  int events_ = 0, most_events_ = 0;
  std::size_t peak_pods_ = 0, peak_nodes_ = 0;
};

// Promises outlive cycles and are no objects, so the safe behaviour is looked at where nobody is evicted.
void live_through(SearchKind search) {
  auto config = kai::default_config();
  const bool safe = chance(2);
  if (safe) config.actions = {"allocate"};
  History history(safe ? Behaviour::safe() : Behaviour::exact(), std::move(config), search);
  const int rounds = 2 + pick(8);
  for (int i = 0; i < rounds; ++i) {
    history.change();
    RC_LOG() << "--- cycle\n";
    history.compare();
  }
}

RC_GTEST_PROP(KaiObjectHistory, DecidesAsIfStartedAnew, ()) { live_through(SearchKind::kIndex); }

RC_GTEST_PROP(KaiObjectHistory, SoDoesTheReference, ()) { live_through(SearchKind::kReference); }

}  // namespace
}  // namespace muster
