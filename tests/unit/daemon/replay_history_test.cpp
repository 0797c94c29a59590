// Whatever happens to a cluster: what was recorded of it is replayed bit for bit, from its beginning. From a later segment it can
// be replayed too, from the state that the inputs before it left.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property/kai_scenario.h"
#include "property/object_store.h"
#include "property/random_scenario.h"
#include "unit/daemon/recording.h"

namespace muster::daemon {
namespace {

constexpr Timestamp kBegin{1'800'000'000, 0};

const kube::ResourceKind* kind_of(const Object& object) {
  const kube::Identity id = kube::identity_of(meta_of(object));
  const auto key = tape::key_of_object(object);
  for (const auto& kind : kube::resource_kinds())
    if (tape::key_of_gone(kind, id) == key) return &kind;
  return nullptr;
}

// What an API server and others do to a cluster, at random.
class RandomWorld {
 public:
  RandomWorld(LiveCluster& cluster, std::vector<Object> objects, std::vector<std::string> configs)
      : cluster_(cluster), offered_(std::move(objects)), configs_(std::move(configs)) {
    for (const auto& object : offered_)
      if (!chance(12)) tell(object);
    cluster_.settle();
  }
  void turn() {
    for (int changes = pick(5); changes > 0; --changes) change();
    now_.seconds += 1 + pick(30);
    if (chance(8)) return cluster_.skip_cycle(now_);
    if (chance(6) && !configs_.empty()) {
      static_cast<void>(
          cluster_.reconfigure(configs_[static_cast<std::size_t>(pick(static_cast<int>(configs_.size())))], "config"));
    }
    if (chance(6)) cluster_.set_evictions(chance(2) ? Evictions::kStopped : Evictions::kAllowed);
    if (chance(3)) look();
    carry_out(cluster_.run_cycle(now_).effects);
    for (const auto& [bind, why] : cluster_.take_failed_binds()) read_anew(bind.pod);
  }

 private:
  void tell(const Object& object) {
    store_.put(object);
    cluster_.apply(object);
  }
  // Of which the recording must know nothing.
  void look() {
    for (const auto what : {Sight::What::kJobs, Sight::What::kQueues, Sight::What::kNodes})
      cluster_.add_sight({.what = what, .tell = [this](const Result<std::string>& told) { seen_ += told->size(); }});
    const auto& object = offered_[static_cast<std::size_t>(pick(static_cast<int>(offered_.size())))];
    if (const auto* pod = std::get_if<Pod>(&object))
      cluster_.add_sight({.what = Sight::What::kJob, .name = pod->meta.ns + "/" + pod->meta.name, .tell = [](const auto&) {}});
  }
  void change() {
    if (!store_.empty() && chance(4)) {
      const auto object = store_.all()[static_cast<std::size_t>(pick(static_cast<int>(store_.all().size())))];
      const auto* kind = kind_of(object);
      if (kind == nullptr || (!std::holds_alternative<Pod>(object) && !chance(6))) return;
      store_.erase(object);
      cluster_.remove(*kind, kube::identity_of(meta_of(object)));
      return;
    }
    auto object = offered_[static_cast<std::size_t>(pick(static_cast<int>(offered_.size())))];
    if (chance(2)) meta_of(object).uid = "uid-" + std::to_string(++serial_);
    tell(object);
  }
  Pod* known(const kube::Identity& id) {
    auto* pod = store_.find<Pod>(id.ns, id.name);
    return pod != nullptr && pod->meta.uid == id.uid ? pod : nullptr;
  }
  void read_anew(const kube::Identity& id) {
    cluster_.take_back(id);
    if (const auto* pod = known(id)) cluster_.apply(Object(*pod));
  }
  void carry_out(const Effects& effects) {
    Effects told;
    for (const auto& bind : effects.binds) {
      if (chance(5)) {
        cluster_.on_refused(bind, "refused", now_, told);
        read_anew(bind.pod);
        continue;
      }
      if (chance(4)) continue;  // its time will come
      auto* pod = known(bind.pod);
      if (pod == nullptr) continue;
      auto bound = *pod;
      bound.spec.node_name = bind.node;
      bound.status.phase = "Running";
      cluster_.on_bound(bind, told);
      tell(Object(std::move(bound)));
    }
    for (const auto& evict : effects.evictions) {
      const auto* pod = known(evict.pod);
      if (pod == nullptr || chance(4)) continue;
      const Object object(*pod);
      store_.erase(object);
      cluster_.remove(*kind_of(object), evict.pod);
    }
    for (const auto& deletion : effects.deletions)
      if (chance(2)) cluster_.on_not_deleted(deletion);
    for (const auto& creation : effects.creations)
      if (chance(2)) cluster_.on_not_created(creation);
    for (const auto& patch : effects.patches)
      if (chance(8)) cluster_.on_not_written(patch.object);
  }

  LiveCluster& cluster_;
  std::vector<Object> offered_;
  std::vector<std::string> configs_;
  ObjectStore store_;
  Timestamp now_ = kBegin;
  int serial_ = 0;
  std::size_t seen_ = 0;
};

void live_and_replay(const tape::Life& life, const std::string& config, std::vector<Object> objects,
                     std::vector<std::string> configs) {
  Recording recording;
  {
    const auto recorder = recording.recorder(std::uint64_t{1} << 30, 1 + static_cast<std::uint64_t>(pick(20'000)));
    const auto cluster = recording.cluster(recorder, life, config);
    RC_ASSERT(cluster != nullptr);
    RandomWorld world(*cluster, std::move(objects), std::move(configs));
    for (int turns = 3 + pick(10); turns > 0; --turns) world.turn();
  }
  const auto replay = recording.replay();
  RC_LOG() << differences(replay);
  RC_ASSERT(!replay.broken);
  RC_ASSERT(replay.different() == 0u);
  for (const auto& segment : replay.segments) RC_ASSERT(segment.closed);
  bool differs_from_the_middle = false;
  for (const auto& segment : recording.segments()) {
    const auto alone = recording.replay({segment});
    RC_ASSERT(!alone.broken);
    differs_from_the_middle |= alone.different() > 0;
  }
  std::uint64_t evictions = 0, binds = 0;
  for (const auto& segment : replay.segments) {
    binds += segment.binds;
    evictions += segment.evictions;
  }
  RC_CLASSIFY(binds > 0, "binds");
  RC_CLASSIFY(evictions > 0, "evicts");
  RC_CLASSIFY(replay.segments.size() > 1, "in several segments");
  RC_CLASSIFY(differs_from_the_middle, "something was remembered that no object tells");
}

RC_GTEST_PROP(ReplayHistory, VolcanosIsTheSame, ()) {
  const auto evictions = chance(2) ? muster::Evictions::kAlways : muster::Evictions::kPerhaps;
  const auto scenario = random_scenario({.node_kinds = 4, .jobs = 6, .cycles = 1, .evictions = evictions});
  tape::Life life{.dialect = "volcano", .exact = chance(2), .lenient = true};
  live_and_replay(life, scenario.config, scenario.objects,
                  {"", random_scenario({.node_kinds = 1, .jobs = 1, .cycles = 1}).config, "actions: ["});
}

RC_GTEST_PROP(ReplayHistory, KaisIsTheSame, ()) {
  const auto scenario = random_kai_scenario();
  tape::Life life{.dialect = "kai", .exact = chance(2), .lenient = true, .binds_directly = chance(3)};
  live_and_replay(life, "", scenario.objects, {"", "actions: \"allocate, reclaim\"", "actions: ["});
}

}  // namespace
}  // namespace muster::daemon
