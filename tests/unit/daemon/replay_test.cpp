// What a cluster of either dialect was told and decided is replayed without it: the same decisions come, and what is not the same
// is found.

#include <algorithm>
#include <gtest/gtest.h>
#include <thread>

#include "daemon/claim_work.h"
#include "daemon/cycle_loop.h"
#include "daemon/replay_report.h"
#include "support/device_builder.h"
#include "support/kai_world.h"
#include "support/volcano_builders.h"
#include "unit/daemon/recording.h"
#include "unit/daemon/soon.h"

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;
using volcano::a_pod_group;
using volcano::a_volcano_node;
using volcano::a_volcano_pod;
using volcano::a_volcano_queue;

constexpr Timestamp kNow{1'767'225'600, 0};
const tape::Life kVolcanoLife{.dialect = "volcano"};
const tape::Life kKaiLife{.dialect = "kai"};

constexpr const char* kPreempting = R"(
actions: "enqueue, allocate, preempt"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: predicates
  - name: proportion
  - name: nodeorder
)";

const kube::ResourceKind& kind_called(std::string_view name, kube::KindUse use = kube::KindUse::kCore) {
  for (const auto& kind : kube::resource_kinds())
    if (kind.kind == name && kind.use == use) return kind;
  std::abort();
}

kube::Identity id_of(const Pod& pod) { return kube::identity_of(pod.meta); }

Object a_priority_class(const std::string& name, std::int32_t value) {
  PriorityClass one;
  one.meta.name = name;
  one.value = value;
  return one;
}

// A small life of Volcano's dialect: binds of which one is refused, other configurations, an eviction, a pod that goes.
void live(LiveCluster& cluster) {
  cluster.apply(Object(a_volcano_queue("default").object()));
  cluster.apply(a_priority_class("high", 1000));
  cluster.apply(Object(a_volcano_node("n1").cpu("2").memory("8Gi").object()));
  cluster.apply(Object(a_pod_group("low").minimum(1).object()));
  const auto first = a_volcano_pod("low-0").group("low").cpu("1").object();
  const auto second = a_volcano_pod("low-1").group("low").cpu("1").object();
  cluster.apply(Object(first));
  cluster.apply(Object(second));
  cluster.settle();
  auto now = kNow;
  const auto binds = cluster.run_cycle(now).effects.binds;
  ASSERT_EQ(binds.size(), 2u);
  Effects told;
  cluster.on_bound(binds[0], told);
  cluster.on_refused(binds[1], "no", now, told);
  cluster.take_back(id_of(second));
  cluster.apply(Object(second));
  ++now.seconds;
  EXPECT_EQ(cluster.run_cycle(now).effects.binds.size(), 1u);
  cluster.apply(Object(a_volcano_pod("low-0").group("low").cpu("1").on("n1").object()));
  cluster.apply(Object(a_volcano_pod("low-1").group("low").cpu("1").on("n1").object()));
  EXPECT_FALSE(cluster.reconfigure("actions: [", "config"));
  EXPECT_TRUE(cluster.reconfigure(kPreempting, "config"));
  cluster.apply(Object(a_pod_group("high").minimum(1).priority_class("high").object()));
  cluster.apply(Object(a_volcano_pod("high-0").group("high").cpu("1").priority(1000).object()));
  now.seconds += 5;
  const auto evictions = cluster.run_cycle(now).effects.evictions;
  ASSERT_EQ(evictions.size(), 1u);
  cluster.skip_cycle(now);
  cluster.remove(kind_called("Pod"), evictions[0].pod);
  ++now.seconds;
  EXPECT_EQ(cluster.run_cycle(now).effects.binds.size(), 1u);
}

class ReplayTest : public testing::Test {
 protected:
  void record_volcano() {
    const auto recorder = recording_.recorder();
    ASSERT_TRUE(recorder);
    const auto cluster = recording_.cluster(recorder, kVolcanoLife, "");
    ASSERT_TRUE(cluster) << recording_.problem;
    live(*cluster);
  }
  // The segment with its entries changed.
  void rewrite(const std::function<void(tape::Entry&)>& change, std::optional<tape::Label> other = {}) {
    const auto path = recording_.segments().front();
    tape::SegmentReader reader(*tape::open_file(path), path.string());
    const auto label = *reader.label();
    const auto copy = recording_.folder() / "copy";
    auto writer = *tape::SegmentWriter::open(copy, other.value_or(label));
    for (;;) {
      const auto next = *reader.next();
      if (!next) break;
      auto entry = *tape::read_entry(*next);
      change(entry);
      std::string entries;
      std::visit([&](const auto& one) { tape::add_entry(entries, tape::bytes_of(one)); }, entry);
      ASSERT_TRUE(writer.write(writer.pack(entries)));
    }
    std::filesystem::rename(copy, path);
  }

  Recording recording_;
};

TEST_F(ReplayTest, VolcanosDecisionsComeAgain) {
  record_volcano();
  const auto replay = recording_.replay();
  EXPECT_EQ(differences(replay), "");
  ASSERT_EQ(replay.segments.size(), 1u);
  const auto& segment = replay.segments[0];
  EXPECT_EQ(segment.cycles, 4u);
  EXPECT_EQ(segment.skipped, 1u);
  EXPECT_EQ(segment.binds, 4u);
  EXPECT_EQ(segment.evictions, 1u);
  EXPECT_TRUE(segment.closed);
  EXPECT_TRUE(segment.from_the_start);
  EXPECT_TRUE(replay.notes.empty());
  EXPECT_EQ(tape::replay_summary(replay), "4 cycles were replayed, with the same decisions");
  EXPECT_NE(tape::replay_json(replay, false).find(R"("cycles":4,"different":0,"complete":true)"), std::string::npos);
}

TEST_F(ReplayTest, ItStopsWhereItIsToldTo) {
  record_volcano();
  const auto replay = recording_.replay(recording_.segments(), 1);
  EXPECT_EQ(replay.cycles(), 1u);
  EXPECT_EQ(replay.last_cycle, 1u);
  ASSERT_TRUE(replay.decisions);
  EXPECT_EQ(replay.decisions->binds.size(), 2u);
  EXPECT_NE(tape::replay_text(replay, true, Paint::none()).find("bind default/low-0 to n1"), std::string::npos);
}

TEST_F(ReplayTest, WhatWasDecidedOtherwiseIsToldByPod) {
  record_volcano();
  rewrite([](tape::Entry& entry) {
    auto* cycle = std::get_if<tape::Cycle>(&entry);
    if (cycle == nullptr) return;
    if (cycle->number == 1) cycle->decisions.binds[0].node = "n9";
    if (cycle->number == 2) cycle->decisions.binds.clear();
    if (cycle->number == 3) cycle->decisions.evictions.push_back({"default/x", "u", "", 0});
    if (cycle->number == 4) cycle->decisions.binds[0].digest ^= 1;
  });
  const auto replay = recording_.replay();
  EXPECT_EQ(differences(replay),
            "cycle 1: default/low-0 was bound to n9 and is bound to n1 now\n"
            "cycle 2: default/low-1 was not bound and is bound to n1 now\n"
            "cycle 3: default/x was evicted and is not now\n"
            "cycle 4: default/high-0 was bound to n1 as it is now, but with other devices, annotations or words\n");
  EXPECT_EQ(replay.different(), 4u);
  const auto text = tape::replay_text(replay, false, Paint::none());
  EXPECT_NE(text.find("4 cycles were replayed, 4 with other decisions"), std::string::npos) << text;
}

TEST_F(ReplayTest, AGangThatWasGivenUpIsGivenUpAgain) {
  {
    const auto cluster = recording_.cluster(recording_.recorder(), kVolcanoLife, "");
    ASSERT_TRUE(cluster) << recording_.problem;
    cluster->apply(Object(a_volcano_queue("default").object()));
    cluster->apply(Object(a_volcano_node("n1").cpu("2").memory("8Gi").object()));
    cluster->apply(Object(a_pod_group("g").minimum(2).object()));
    const auto pod = a_volcano_pod("g-0").group("g").cpu("1").on("n1").object();
    cluster->apply(Object(pod));
    cluster->settle();
    cluster->give_up({cluster->gang_of(pod), {id_of(pod)}, "the bind of g-1 was refused"});
    ASSERT_EQ(cluster->run_cycle(kNow).effects.evictions.size(), 1u);
  }
  const auto replay = recording_.replay();
  EXPECT_EQ(differences(replay), "");
  EXPECT_EQ(replay.segments.at(0).evictions, 1u);
  rewrite([](tape::Entry& entry) {
    if (auto* given_up = std::get_if<tape::GivenUp>(&entry)) given_up->pods.clear();
  });
  EXPECT_NE(differences(recording_.replay()).find("default/g-0 was evicted and is not now"), std::string::npos);
}

TEST_F(ReplayTest, AnInputThatIsMissingIsNoticed) {
  record_volcano();
  rewrite([](tape::Entry& entry) {
    if (auto* applied = std::get_if<tape::Applied>(&entry))
      if (auto* node = std::get_if<Node>(&applied->object)) node->unschedulable = true;
  });
  const auto replay = recording_.replay();
  EXPECT_EQ(differences(replay).find("cycle 1: default/low-0 was bound to n1 and is not bound now\n"), 0u) << differences(replay);
}

TEST_F(ReplayTest, DamageIsNamedWithItsPlaceAndWhatWasReplayedUntilThere) {
  record_volcano();
  const auto path = recording_.segments().front();
  const auto text = Recording::read(path);
  auto damaged = text;
  damaged[text.size() - 9] = static_cast<char>(damaged[text.size() - 9] ^ 1);
  Recording::write(path, damaged);
  auto replay = recording_.replay();
  ASSERT_TRUE(replay.broken);
  EXPECT_EQ(replay.broken->text().find(path.string() + ": at offset "), 0u) << replay.broken->text();
  Recording::write(path, text.substr(0, text.size() - 3));
  replay = recording_.replay();
  ASSERT_TRUE(replay.broken);
  EXPECT_NE(replay.broken->text().find("breaks off"), std::string::npos) << replay.broken->text();
  EXPECT_EQ(replay.different(), 0u);
}

TEST_F(ReplayTest, OtherVersionsAndDialectsAreToldApart) {
  record_volcano();
  const auto keep = [](tape::Entry&) {};
  rewrite(keep, tape::Label{tape::shape(), "older"});
  auto replay = recording_.replay();
  EXPECT_EQ(differences(replay), "");
  ASSERT_EQ(replay.notes.size(), 1u);
  EXPECT_NE(replay.notes[0].find("was written by muster older, and this is test"), std::string::npos);
  replay = tape::replay(recording_.segments(), {.until = {}, .dialect = "kai", .version = "test"});
  ASSERT_TRUE(replay.broken);
  EXPECT_NE(replay.broken->text().find("is a recording of the dialect volcano, not of kai"), std::string::npos);
  rewrite(keep, tape::Label{tape::shape() ^ 1, "foreign"});
  replay = recording_.replay();
  ASSERT_TRUE(replay.broken);
  EXPECT_NE(replay.broken->text().find("was written by muster foreign, which lays out objects otherwise"), std::string::npos);
  EXPECT_EQ(replay.cycles(), 0u);
}

TEST_F(ReplayTest, KaisDecisionsComeAgain) {
  {
    const auto recorder = recording_.recorder();
    const auto cluster = recording_.cluster(recorder, kKaiLife, "");
    ASSERT_TRUE(cluster) << recording_.problem;
    kai::KaiWorld world;
    world.node("n1", 2);
    world.job({.name = "a", .pods = 2, .minimum = 2});
    world.job({.name = "b", .fraction = "0.5", .created = 1});
    for (const auto& object : world.objects()) cluster->apply(object);
    cluster->settle();
    EXPECT_EQ(cluster->run_cycle(kNow).effects.binds.size(), 2u);
    BindRequest failed;
    failed.meta.ns = "ns";
    failed.meta.name = failed.pod = "a-0";
    failed.meta.uid = "r";
    failed.meta.owners = {{"Pod", "a-0", "ns/a-0", false}};
    failed.node = "n1";
    failed.phase = "Failed";
    cluster->apply(Object(failed));
    EXPECT_EQ(cluster->take_failed_binds().size(), 1u);
    cluster->take_back({"ns", "a-0", "ns/a-0", ""});
    for (const auto& object : world.objects())
      if (const auto* pod = std::get_if<Pod>(&object); pod != nullptr && pod->meta.name == "a-0") cluster->apply(object);
    const auto effects = cluster->run_cycle({kNow.seconds + 1, 0}).effects;
    EXPECT_FALSE(effects.binds.empty());
    ASSERT_EQ(effects.deletions.size(), 1u);
    cluster->on_not_deleted(effects.deletions[0]);
    cluster->run_cycle({kNow.seconds + 2, 0});
    kai::KaiWorld more;
    more.node("n2", 1);
    for (const auto& object : more.objects())
      if (std::holds_alternative<Node>(object)) cluster->apply(object);
    EXPECT_EQ(cluster->run_cycle({kNow.seconds + 3, 0}).effects.binds.size(), 1u) << "half of a GPU, with a name of its own";
    cluster->remove(kind_called("Node"), {"", "n2", "", ""});
    cluster->run_cycle({kNow.seconds + 4, 0});
  }
  const auto replay = recording_.replay();
  EXPECT_EQ(differences(replay), "");
  EXPECT_EQ(replay.cycles(), 5u);
}

TEST_F(ReplayTest, WhatDriversAreToldOfDevicesIsPartOfABind) {
  {
    const auto recorder = recording_.recorder();
    const auto cluster = recording_.cluster(recorder, kVolcanoLife, "");
    ASSERT_TRUE(cluster) << recording_.problem;
    cluster->apply(Object(a_volcano_queue("default").object()));
    cluster->apply(Object(a_volcano_node("n1").cpu("2").memory("8Gi").object()));
    cluster->apply(Object(DeviceClass(a_device_class("gpus").config("{}"))));
    cluster->apply(Object(ResourceSlice(a_slice("n1", 1).on("n1"))));
    cluster->apply(Object(a_pod_group("g").minimum(1).object()));
    auto pod = a_volcano_pod("g-0").group("g").cpu("1").object();
    pod.spec.resource_claims.push_back({.name = "gpu", .claim = "c", .templ = {}, .resolved = {}});
    ResourceClaim claim = a_device_claim("c").asks(a_request("r", "gpus")).config(R"({"driver":"gpu"})");
    claim.meta.ns = pod.meta.ns;
    cluster->apply(Object(claim));
    cluster->apply(Object(pod));
    cluster->settle();
    cluster->apply(Object(DeviceClass(a_device_class("gpus").config(R"({"driver":"gpu","parameters":1})"))));
    const auto binds = cluster->run_cycle(kNow).effects.binds;
    ASSERT_EQ(binds.size(), 1u);
    ASSERT_TRUE(binds[0].claims);
    EXPECT_NE(binds[0].claims->devices.at(0).allocation.find(R"("opaque":{"driver":"gpu","parameters":1})"), std::string::npos);
  }
  EXPECT_EQ(differences(recording_.replay()), "");
  rewrite([](tape::Entry& entry) {
    if (auto* applied = std::get_if<tape::Applied>(&entry))
      if (auto* claim = std::get_if<ResourceClaim>(&applied->object)) claim->config.clear();
  });
  const auto text = differences(recording_.replay());
  EXPECT_NE(text.find("was bound to n1 as it is now, but with other devices, annotations or words"), std::string::npos) << text;
}

// ---- answers of others

class SomeExtender final : public volcano::ExtenderClient {
 public:
  explicit SomeExtender(int& asked) : asked_(asked) {}
  tl::expected<volcano::ExtenderAnswer, volcano::ExtenderFailure> ask(const volcano::Session&,
                                                                      const volcano::ExtenderQuestion&) override {
    if (++asked_ % 3 == 0) return tl::unexpected(volcano::ExtenderFailure{"tired", true});
    volcano::ExtenderAnswer answer;
    if (asked_ % 3 == 1) answer = {.message = "not there", .code = 2};
    return answer;
  }

 private:
  int& asked_;
};

TEST_F(ReplayTest, AnswersOfAnExtenderAreGivenAgain) {
  constexpr const char* kExtender = R"(
actions: "allocate"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: extender
    arguments:
      extender.urlPrefix: "http://nobody.invalid/"
      extender.httpTimeout: 200ms
      extender.ignorable: false
      extender.predicateVerb: predicate
)";
  int asked = 0;
  {
    const auto recorder = recording_.recorder();
    const auto cluster =
        recording_.cluster(recorder, kVolcanoLife, kExtender,
                           {.extender = [&] { return std::make_shared<SomeExtender>(asked); }, .usage = {}, .gpu_groups = {}});
    ASSERT_TRUE(cluster) << recording_.problem;
    cluster->apply(Object(a_volcano_queue("default").object()));
    for (const char* name : {"n1", "n2", "n3"}) cluster->apply(Object(a_volcano_node(name).cpu("2").object()));
    for (const std::string name : {"a", "b", "c"}) {
      cluster->apply(Object(a_pod_group(name).object()));
      cluster->apply(Object(a_volcano_pod(name + "-0").group(name).cpu("1").object()));
    }
    cluster->settle();
    for (int i = 0; i < 3; ++i) cluster->run_cycle({kNow.seconds + i, 0});
  }
  EXPECT_GT(asked, 3);
  EXPECT_EQ(differences(recording_.replay()), "");
  rewrite([](tape::Entry& entry) {
    if (auto* told = std::get_if<tape::ExtenderTold>(&entry)) told->url = "http://nobody.invalid/other";
  });
  EXPECT_NE(differences(recording_.replay()).find("the extender is asked at http://nobody.invalid/predicate, as it was not then"),
            std::string::npos)
      << differences(recording_.replay());
}

class SomeUsage final : public KaiUsageTeller {
 public:
  explicit SomeUsage(int& asked) : asked_(asked) {}
  void start() override {}
  bool is_awaited() const override { return ++asked_ < 2; }
  kai::QueueUsage usage(std::vector<std::string>& notes) const override {
    notes.emplace_back("a note");
    kai::QueueUsage usage;
    usage["left"].amounts = {0.5, 0.5, asked_ < 4 ? 0.9 : 0.0};
    return usage;
  }

 private:
  int& asked_;
};

TEST_F(ReplayTest, UsageIsToldAgain) {
  constexpr const char* kUsage = R"(
actions: "allocate"
usageDBConfig:
  clientType: prometheus
  connectionString: http://nobody.invalid
)";
  int asked = 0;
  {
    const auto recorder = recording_.recorder();
    const auto cluster =
        recording_.cluster(recorder, kKaiLife, kUsage,
                           {.extender = {},
                            .usage = [&](const auto&, const auto&, const auto&, auto&) -> std::unique_ptr<KaiUsageTeller> {
                              return std::make_unique<SomeUsage>(asked);
                            },
                            .gpu_groups = {}});
    ASSERT_TRUE(cluster) << recording_.problem;
    kai::KaiWorld world;
    world.queue("left", "root", 0);
    world.queue("right", "root", 0);
    world.node("n1", 1);
    world.job({.name = "a", .queue = "left"});
    world.job({.name = "b", .queue = "right", .created = 1});
    for (const auto& object : world.objects()) cluster->apply(object);
    cluster->settle();
    EXPECT_TRUE(cluster->run_cycle(kNow).effects.binds.empty()) << "usage is awaited";
    for (int i = 1; i < 5; ++i) cluster->run_cycle({kNow.seconds + i, 0});
  }
  EXPECT_GT(asked, 3);
  const auto replay = recording_.replay();
  EXPECT_EQ(differences(replay), "");
  EXPECT_EQ(replay.segments.at(0).binds, 1u);
}

// ---- with the thread that decides

TEST_F(ReplayTest, AThreadThatFollowsAndIsRefusedIsReplayed) {
  {
    const auto recorder = recording_.recorder();
    kube::EventQueue changes(100);
    const kube::SystemClock clock;
    std::mutex mutex;
    std::vector<Bind> binds;
    std::vector<kube::Identity> asked;
    CycleLoop loop(recording_.cluster(recorder, kVolcanoLife, ""), 1, {.period = 10ms, .hold = {.first = 20ms}},
                   {.changes = changes,
                    .clock = clock,
                    .log = recording_.log(),
                    .may_decide = [] { return true; },
                    .carry_out =
                        [&](Effects effects) {
                          const std::lock_guard lock(mutex);
                          binds.insert(binds.end(), effects.binds.begin(), effects.binds.end());
                        },
                    .read_pod =
                        [&](const kube::Identity& pod) {
                          const std::lock_guard lock(mutex);
                          asked.push_back(pod);
                        }});
    const auto tell = [&](Object object) {
      const auto meta = std::visit([](const auto& known) { return known.meta; }, object);
      changes.push({&kind_called("Pod"), kube::ChangeType::kAdded, kube::identity_of(meta), std::move(object)});
    };
    const auto count = [&](const auto& list) {
      const std::lock_guard lock(mutex);
      return list.size();
    };
    tell(a_volcano_queue("default").object());
    tell(a_volcano_node("n1").cpu("4").object());
    tell(a_pod_group("a").minimum(2).object());
    const auto first = a_volcano_pod("a-0").group("a").cpu("1").object();
    tell(first);
    tell(a_volcano_pod("a-1").group("a").cpu("1").object());
    changes.push({&kind_called("Pod"), kube::ChangeType::kSynced});
    std::thread thread([&] { loop.run(); });
    EXPECT_TRUE(soon([&] { return count(binds) == 2; }));
    loop.on_written({binds[0], {.outcome = kube::WriteOutcome::kConflict, .retry_after = {}, .message = "no", .body = {}}});
    loop.on_written({binds[1], {.outcome = kube::WriteOutcome::kBound, .retry_after = {}, .message = {}, .body = {}}});
    EXPECT_TRUE(soon([&] { return count(asked) == 1; }));
    loop.on_read({asked[0], Object(binds[0].pod.name == "a-0" ? first : a_volcano_pod("a-1").group("a").cpu("1").object())});
    EXPECT_TRUE(soon([&] { return count(binds) == 3; })) << "it is let go and bound again";
    loop.post([](CycleLoop& cycles) { EXPECT_TRUE(cycles.cluster().reconfigure(kPreempting, "config")); });
    tell(a_volcano_pod("a-2").group("a").cpu("1").object());
    EXPECT_TRUE(soon([&] { return count(binds) == 4; }));
    const auto cycles = loop.cycles();
    EXPECT_TRUE(soon([&] { return loop.cycles() > cycles + 2; }));
    loop.stop();
    thread.join();
  }
  const auto replay = recording_.replay();
  EXPECT_EQ(differences(replay), "");
  EXPECT_EQ(replay.segments.at(0).binds, 4u);
  EXPECT_GT(replay.cycles(), 3u);
}

}  // namespace
}  // namespace muster::daemon
