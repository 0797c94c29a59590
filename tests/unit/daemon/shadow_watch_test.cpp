#include "daemon/shadow_watch.h"

#include <array>
#include <gtest/gtest.h>

#include "support/kai_world.h"
#include "support/volcano_builders.h"

namespace muster::daemon::shadow {
namespace {

using namespace std::chrono_literals;
using volcano::a_pod_group;
using volcano::a_volcano_node;
using volcano::a_volcano_pod;
using volcano::a_volcano_queue;

constexpr std::int64_t kStart = 1'767'225'600;
constexpr const char* kPacks =
    "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n- plugins:\n  - name: predicates\n  - name: binpack\n";
constexpr const char* kPreempts =
    "actions: \"enqueue, allocate, preempt\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n  - name: conformance\n"
    "- plugins:\n  - name: predicates\n  - name: binpack\n";

// A cluster in which time passes by hand, and somebody else schedules.
class World {
 public:
  explicit World(std::string dialect = "volcano", std::string config = kPacks)
      : dialect_(std::move(dialect)),
        planner_(clusters_for_plans({.dialect = dialect_, .exact = true}, log_), std::move(config), ""),
        watch_({dialect_, {dialect_ == "kai" ? "kai-scheduler" : "volcano"}}, {},
               {.decide = [this](const State& state, const Timestamp& now) { return planner_.decide(state, now); },
                .tell = [this](const Finding& finding) { told_.push_back(finding); }}) {}

  void put(Object object) {
    const auto& kind = kind_of(object);
    const auto id = std::visit([](const auto& one) { return kube::identity_of(one.meta); }, object);
    watch_.take({&kind, kube::ChangeType::kModified, id, std::move(object)}, now_, wall());
  }
  void put(Pod pod) {
    pod.spec.scheduler_name = dialect_ == "kai" ? "kai-scheduler" : "volcano";
    pods_[pod.meta.name] = pod;
    put(Object(std::move(pod)));
  }
  void begin() {
    watch_.begin(now_, wall());
    pass(300ms);
  }
  void bind(const std::string& name, const std::string& node) {
    pods_[name].spec.node_name = node;
    put(pods_[name]);
  }
  void end(const std::string& name) {
    pods_[name].status.phase = "Succeeded";
    put(pods_[name]);
  }
  void remove(const std::string& name) {
    watch_.take({&kind_of(Object(pods_[name])), kube::ChangeType::kDeleted, kube::identity_of(pods_[name].meta), {}}, now_, wall());
  }
  // As Volcano does it.
  void evict(const std::string& name, bool says_so = true) {
    if (says_so) {
      Condition condition;
      condition.type = "DisruptionTarget";
      condition.reason = "PreemptionByScheduler";
      pods_[name].status.conditions.push_back(condition);
      put(pods_[name]);
    }
    pods_[name].meta.deleted = wall();
    put(pods_[name]);
  }
  void pass(kube::Duration time) {
    for (const auto end = now_ + time; now_ < end; now_ += 50ms) watch_.turn(now_, wall());
    watch_.turn(now_, wall());
  }
  Timestamp wall() const {
    const auto nanos = std::chrono::nanoseconds(now_.time_since_epoch()).count();
    return {kStart + nanos / kNanosPerSecond, static_cast<std::int32_t>(nanos % kNanosPerSecond)};
  }
  // "same default/g" for each finding.
  std::string told() const {
    std::string text;
    for (const auto& one : told_) text += (text.empty() ? "" : ", ") + std::string(name_of(one.verdict)) + " " + one.group;
    return text;
  }
  const Finding& last() const { return told_.back(); }
  Summary finish() { return watch_.finish(now_); }

 private:
  const kube::ResourceKind& kind_of(const Object& object) const {
    if (std::holds_alternative<Node>(object)) return kind_named("", "Node");
    if (std::holds_alternative<Pod>(object)) return kind_named("", "Pod");
    if (std::holds_alternative<PriorityClass>(object)) return kind_named("scheduling.k8s.io", "PriorityClass");
    if (std::holds_alternative<Queue>(object)) return kind_named("scheduling.volcano.sh", "Queue");
    if (std::holds_alternative<PodGroup>(object)) return kind_named("scheduling.volcano.sh", "PodGroup");
    if (std::holds_alternative<KaiQueue>(object)) return kind_named("scheduling.run.ai", "Queue");
    if (std::holds_alternative<KaiPodGroup>(object)) return kind_named("scheduling.run.ai", "PodGroup");
    return kind_named("scheduling.run.ai", "BindRequest");
  }

  const std::string dialect_;
  kube::SystemClock clock_;
  Log log_{{}, clock_, [](std::string_view) {}};
  Planner planner_;
  Watch watch_;
  kube::Instant now_{1h};
  std::map<std::string, Pod> pods_;
  std::vector<Finding> told_;
};

// Nodes n1 and n2 with four CPUs each, of which n1 has less left, and a gang that waits.
class ShadowWatch : public testing::Test {
 protected:
  void fill(World& world, int members = 2, int minimum = 2) {
    world.put(Object(a_volcano_queue("default").object()));
    for (const std::string name : {"n1", "n2", "n3"}) world.put(Object(a_volcano_node(name).cpu("4").memory("8Gi").object()));
    world.put(Object(a_pod_group("old").object()));
    world.put(a_volcano_pod("old-0").group("old").cpu("1").on("n1").object());
    world.put(Object(a_pod_group("g").minimum(minimum).object()));
    for (int index = 0; index < members; ++index)
      world.put(a_volcano_pod("g-" + std::to_string(index)).group("g").cpu("1").created(kStart + 3600).object());
  }
  World world_;
};

TEST_F(ShadowWatch, TheSameGangOnTheSameNodesIsTheSame) {
  fill(world_);
  world_.begin();
  world_.bind("g-0", "n1");
  world_.pass(100ms);
  world_.bind("g-1", "n1");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "same default/g");
  EXPECT_EQ(world_.finish().otherwise(), 0u);
}

TEST_F(ShadowWatch, PodsOfAGangStandForEachOther) {
  fill(world_, 4, 4);
  world_.begin();
  world_.bind("g-3", "n1");
  world_.bind("g-2", "n1");
  world_.bind("g-0", "n1");
  world_.bind("g-1", "n2");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "same default/g");
}

TEST_F(ShadowWatch, AnotherNodeIsToldWithWhatWouldHaveBeenChosen) {
  fill(world_);
  world_.begin();
  world_.bind("g-0", "n2");
  world_.bind("g-1", "n2");
  world_.pass(3s);
  ASSERT_EQ(world_.told(), "other-nodes default/g");
  EXPECT_EQ(world_.last().here.at("default/g-0"), "n1");
  EXPECT_EQ(world_.last().there.at("default/g-0"), "n2");
  EXPECT_EQ(world_.last().why, "the nodes there would do, those here are preferred");
  EXPECT_EQ(world_.finish().otherwise(), 1u);
}

TEST_F(ShadowWatch, ANodeThatIsLikeTheOtherInAllButItsNameIsATie) {
  fill(world_);
  Pod full = a_volcano_pod("old-1").group("old").cpu("3").on("n1").object();
  world_.put(full);
  world_.begin();  // n1 is full, n2 and n3 are empty
  world_.bind("g-0", "n3");
  world_.bind("g-1", "n3");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "tie default/g");
  EXPECT_EQ(world_.finish().otherwise(), 0u);
}

// As controllers leave nodes behind: pods with numbers in their labels, and pods that have ended.
TEST_F(ShadowWatch, LabelsThatNobodyLooksAtAndPodsThatHaveEndedDoNotTellNodesApart) {
  fill(world_);
  world_.put(a_volcano_pod("old-1").group("old").cpu("3").on("n1").object());
  world_.put(a_volcano_pod("old-2").group("old").label("index", "2").cpu("1").on("n2").object());
  world_.put(a_volcano_pod("old-3").group("old").label("index", "3").cpu("1").on("n3").object());
  world_.put(a_volcano_pod("done").group("old").cpu("2").on("n3").object());
  world_.end("done");
  world_.begin();   // n1 is full, n2 and n3 have a pod each
  world_.pass(3s);  // nothing of this is news
  world_.bind("g-0", "n3");
  world_.bind("g-1", "n3");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "tie default/g");
}

TEST_F(ShadowWatch, ALabelThatAPodLooksAtTellsNodesApart) {
  fill(world_);
  world_.put(a_volcano_pod("old-1").group("old").cpu("3").on("n1").object());
  world_.put(a_volcano_pod("old-2").group("old").label("index", "2").cpu("1").on("n2").object());
  auto shy = a_volcano_pod("old-3").group("old").label("index", "3").cpu("1").on("n3").object();
  PodAffinityTerm away;
  away.selector = LabelSelector{{{"index", SelectorOp::kIn, {"9"}}}};
  away.topology_key = "rack";
  shy.spec.affinity.anti_preferred.push_back({1, away});
  world_.put(shy);
  world_.begin();
  world_.pass(3s);
  world_.bind("g-0", "n3");
  world_.bind("g-1", "n3");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "other-nodes default/g");
}

// Three of four shares on one GPU leave another room than two on each of two.
TEST_F(ShadowWatch, SharesOfGpusTellNodesApartByHowTheyLieTogether) {
  struct Case {
    std::array<std::string, 2> on_n2, on_n3;
    std::string told;
  };
  for (const auto& [on_n2, on_n3, told] :
       {Case{{"a", "a"}, {"b", "b"}, "tie default/g"}, Case{{"a", "a"}, {"b", "c"}, "other-nodes default/g"}}) {
    World world;
    fill(world);
    world.put(a_volcano_pod("old-1").group("old").cpu("3").on("n1").object());
    for (std::size_t i = 0; i < 2; ++i) {
      const auto share = [&](const std::string& node, const std::string& gpu) {
        auto pod = a_volcano_pod("on-" + node + "-" + std::to_string(i))
                       .group("old")
                       .label("runai-gpu-group", gpu)
                       .cpu("0.5")
                       .on(node)
                       .object();
        pod.meta.annotations.set("gpu-fraction", "0.5");
        return pod;
      };
      world.put(share("n2", on_n2[i]));
      world.put(share("n3", on_n3[i]));
    }
    world.begin();
    world.pass(3s);
    world.bind("g-0", "n3");
    world.bind("g-1", "n3");
    world.pass(3s);
    EXPECT_EQ(world.told(), told);
  }
}

TEST_F(ShadowWatch, WhatWasDecidedBeforeTheLatestNewsIsTiming) {
  fill(world_);
  world_.begin();
  world_.put(a_volcano_pod("new-0").group("old").cpu("2").on("n2").object());  // n2 has less left now: the gang would go there
  world_.pass(100ms);
  world_.bind("g-0", "n1");
  world_.bind("g-1", "n1");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "timing default/g");
  EXPECT_EQ(world_.finish().otherwise(), 0u);
}

TEST_F(ShadowWatch, NewsThatAreOlderThanTheSkewAreNoExcuse) {
  fill(world_);
  world_.begin();
  world_.put(a_volcano_pod("new-0").group("old").cpu("2").on("n2").object());
  world_.pass(4s);
  world_.bind("g-0", "n1");
  world_.bind("g-1", "n1");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "other-nodes default/g");
}

TEST_F(ShadowWatch, AGangThatWouldWaitHereIsToldWithTheReason) {
  fill(world_, 2, 3);  // a pod is missing
  world_.begin();
  world_.bind("g-0", "n1");
  world_.bind("g-1", "n1");
  world_.pass(3s);
  ASSERT_EQ(world_.told(), "waits-here default/g");
  EXPECT_NE(world_.last().why, "");
  EXPECT_TRUE(world_.last().here.empty());
}

TEST_F(ShadowWatch, AGangThatWaitsWithBothIsCounted) {
  fill(world_, 2, 3);
  world_.begin();
  world_.pass(20s);
  EXPECT_EQ(world_.told(), "");
  const auto summary = world_.finish();
  EXPECT_EQ(summary.waiting, 1u);
  EXPECT_EQ(summary.otherwise(), 0u);
}

TEST_F(ShadowWatch, OneThatWaitsOnlyThereIsToldAfterTheTimeOfGrace) {
  fill(world_);
  world_.begin();
  world_.pass(4s);
  EXPECT_EQ(world_.told(), "");
  world_.pass(2s);
  EXPECT_EQ(world_.told(), "waits-there default/g");
  world_.pass(4s);
  world_.bind("g-0", "n1");
  world_.bind("g-1", "n1");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "waits-there default/g, same default/g, slower default/g");
  EXPECT_NEAR(world_.last().seconds, 10.3, 0.5);
  const auto summary = world_.finish();
  EXPECT_EQ(summary.of(Verdict::kWaitsThere), 0u);  // it has started after all
  EXPECT_EQ(summary.of(Verdict::kSlower), 1u);
  EXPECT_NEAR(summary.earlier_by, 10.3, 0.5);
}

TEST_F(ShadowWatch, DecisionsOfSeveralCyclesInARowAreComparedOneByOne) {
  fill(world_);
  world_.begin();
  world_.bind("g-0", "n1");
  world_.bind("g-1", "n1");
  world_.pass(300ms);
  world_.put(Object(a_pod_group("h").minimum(1).object()));
  world_.put(a_volcano_pod("h-0").group("h").cpu("1").object());
  world_.pass(300ms);
  world_.bind("h-0", "n1");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "same default/g, same default/h");
}

TEST_F(ShadowWatch, PodsOfOtherSchedulersAreOfNoConcern) {
  fill(world_, 2, 3);
  world_.begin();
  auto foreign = a_volcano_pod("x").cpu("1").object();
  foreign.spec.scheduler_name = "another";
  world_.put(Object(foreign));
  foreign.spec.node_name = "n1";
  world_.put(Object(foreign));
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "");
}

TEST_F(ShadowWatch, TheTextsSayWhatWasFound) {
  fill(world_);
  world_.begin();
  world_.bind("g-0", "n2");
  world_.bind("g-1", "n2");
  world_.pass(3s);
  const auto line = finding_text(world_.last(), Paint::none());
  EXPECT_NE(line.find("other-nodes   default/g: 2 pods on n2 x2; here on n1 x2 (the nodes there would do"), std::string::npos)
      << line;
  EXPECT_NE(finding_json(world_.last()).find(R"("here":{"default/g-0":"n1","default/g-1":"n1"})"), std::string::npos);
  const auto summary = world_.finish();
  EXPECT_NE(summary_text(summary, Paint::none()).find("1 decisions compared"), std::string::npos)
      << summary_text(summary, Paint::none());
  EXPECT_NE(summary_json(summary).find(R"("otherwise":1,"verdicts":{"same":0,)"), std::string::npos) << summary_json(summary);
}

// A full node n1, a job whose pods may go, and an urgent one.
class ShadowEvictions : public testing::Test {
 protected:
  ShadowEvictions() {
    world_.put(Object(a_volcano_queue("default").object()));
    world_.put(Object(a_volcano_node("n1").cpu("2").memory("8Gi").object()));
    for (const auto& [name, value] : {std::pair("low", 10), std::pair("high", 1000)}) {
      PriorityClass one;
      one.meta.name = name;
      one.value = value;
      world_.put(Object(one));
    }
    world_.put(Object(a_pod_group("low").minimum(1).priority_class("low").phase("Running").object()));
    for (const std::string name : {"low-0", "low-1"})
      world_.put(
          a_volcano_pod(name).group("low").cpu("1").priority(10).annotation("volcano.sh/preemptable", "true").on("n1").object());
  }
  void add_urgent() {
    world_.put(Object(a_pod_group("high").minimum(1).priority_class("high").object()));
    world_.put(a_volcano_pod("high-0").group("high").cpu("1").priority(1000).object());
  }
  World world_{"volcano", kPreempts};
};

TEST_F(ShadowEvictions, TheSameVictimIsTheSame) {
  add_urgent();
  world_.begin();
  world_.evict("low-1");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "same default/low");
  const auto summary = world_.finish();
  EXPECT_EQ(summary.evictions, 1u);
  EXPECT_EQ(summary.avoided, 0u);
}

TEST_F(ShadowEvictions, OneThatNobodyNeedsIsAvoided) {
  world_.begin();
  world_.evict("low-1");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "evicted-there default/low");
  EXPECT_EQ(world_.finish().avoided, 1u);
}

TEST_F(ShadowEvictions, ADeletionThatNothingSaysIsTheSchedulersIsToldApart) {
  world_.begin();
  world_.evict("low-1", false);
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "by-others default/low");
  const auto summary = world_.finish();
  EXPECT_EQ(summary.otherwise(), 0u);
  EXPECT_EQ(summary.evictions, 0u);
}

TEST_F(ShadowEvictions, OneThatWouldBeEvictedHereAloneIsToldAfterTheTimeOfGrace) {
  add_urgent();
  world_.begin();
  world_.pass(8s);
  EXPECT_EQ(world_.told(), "evicted-here default/low");
}

TEST_F(ShadowEvictions, OneThatGoesAtOnceHasBeenDeletedToo) {
  add_urgent();
  world_.begin();
  world_.remove("low-1");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "same default/low");
}

TEST_F(ShadowEvictions, OneThatHasEndedIsNotEvicted) {
  world_.begin();
  world_.end("low-0");
  world_.remove("low-0");
  world_.pass(3s);
  EXPECT_EQ(world_.told(), "");
}

TEST(ShadowOfKai, ABindRequestIsTheDecisionAndTheNodeIsNoOther) {
  kai::KaiWorld objects;
  objects.node("n1", 4);
  objects.node("n2", 4);
  objects.job({.name = "a", .pods = 2, .minimum = 2, .gpus = 1});
  World world("kai", "");
  for (const auto& object : objects.objects()) {
    if (const auto* pod = std::get_if<Pod>(&object))
      world.put(*pod);
    else if (std::holds_alternative<Node>(object) || std::holds_alternative<KaiQueue>(object) ||
             std::holds_alternative<KaiPodGroup>(object) || std::holds_alternative<PriorityClass>(object))
      world.put(object);
  }
  world.begin();
  std::vector<std::string> names;
  for (const auto& object : objects.objects())
    if (const auto* pod = std::get_if<Pod>(&object)) names.push_back(pod->meta.name);
  ASSERT_EQ(names.size(), 2u);
  for (const auto& name : names) {
    BindRequest request;
    request.meta.ns = "ns";
    request.meta.name = name;
    request.meta.uid = "request-" + name;
    request.pod = name;
    request.node = "n1";
    world.put(Object(request));
  }
  world.pass(3s);
  EXPECT_EQ(world.told(), "same ns/a");
  for (const auto& name : names) world.bind(name, "n1");
  world.pass(3s);
  EXPECT_EQ(world.told(), "same ns/a");
}

}  // namespace
}  // namespace muster::daemon::shadow
