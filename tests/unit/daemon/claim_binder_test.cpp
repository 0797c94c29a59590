#include "daemon/claim_binder.h"

#include <gtest/gtest.h>

#include "support/device_builder.h"
#include "support/volume_builder.h"

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;
using Kind = ClaimStep::Kind;
using kube::WriteOutcome;

const kube::ResourceKind& kind_called(std::string_view name) {
  for (const auto& kind : kube::resource_kinds())
    if (kind.kind == name) return kind;
  std::abort();
}

class ClaimBinderTest : public testing::Test {
 protected:
  static PersistentVolumeClaim claim(const std::string& name = "c") {
    return versioned(a_claim(name).of_class("wait").uid("uid-" + name), "5");
  }
  static PersistentVolumeClaim versioned(PersistentVolumeClaim claim, const std::string& version) {
    claim.meta.resource_version = version;
    return claim;
  }
  static PersistentVolume volume(const std::string& name = "v1") {
    PersistentVolume volume = a_volume(name).of_class("wait");
    volume.meta.uid = "uid-" + name;
    volume.meta.resource_version = "6";
    return volume;
  }
  static ResourceClaim devices(const std::string& version = "8") {
    ResourceClaim claim = a_device_claim("d").asks(a_request("r", "gpus"));
    claim.meta.resource_version = version;
    return claim;
  }
  static ClaimWork device_work() {
    auto decided = devices();
    decided.allocation = ResourceClaim(a_device_claim("d").has("n1", "d0")).allocation;
    ClaimWork work;
    work.devices.push_back({decided, "{\"a\":1}"});
    return work;
  }
  void begin(const std::string& pod, ClaimWork work) {
    Effects effects;
    Bind bind{{"default", pod, "uid-" + pod, ""}, "n1", {}, "default/g"};
    bind.claims = std::make_shared<const ClaimWork>(std::move(work));
    effects.binds.push_back(std::move(bind));
    binder_.begin(effects, now_);
    EXPECT_TRUE(effects.binds.empty());
    look();
  }
  // What is new is kept, and what the cluster would see is noted.
  void look() {
    binder_.fail_late(now_);
    news_ = binder_.take_news();
    for (auto& object : binder_.take_objects()) seen_[claim_name_of(object)] = object;
  }
  void answer(const ClaimStep& step, WriteOutcome outcome = WriteOutcome::kDone, const std::string& version = "20") {
    binder_.on_step(step, {.outcome = outcome,
                           .retry_after = {},
                           .message = outcome == WriteOutcome::kDone ? "" : "no",
                           .body = R"({"metadata":{"name":"x","resourceVersion":")" + version + R"("}})"});
    look();
  }
  void show(Object object) {
    binder_.complete(object);
    for (auto& other : binder_.take_objects()) seen_[claim_name_of(other)] = other;
    const auto name = claim_name_of(object);
    seen_[name] = std::move(object);
    look();
  }
  std::vector<Kind> steps() const {
    std::vector<Kind> kinds;
    for (const auto& step : news_.effects.steps) kinds.push_back(step.kind);
    return kinds;
  }
  ClaimStep only_step() const {
    EXPECT_EQ(news_.effects.steps.size(), 1u);
    return news_.effects.steps.at(0);
  }
  bool is_bound(std::string_view pod) const {
    return std::any_of(news_.effects.binds.begin(), news_.effects.binds.end(),
                       [&](const Bind& bind) { return bind.pod.name == pod; });
  }
  std::string why() const { return news_.failed.empty() ? "" : news_.failed[0].why; }
  const PersistentVolume& seen_volume() { return std::get<PersistentVolume>(seen_.at("persistentvolumes//v1")); }
  const PersistentVolumeClaim& seen_claim() {
    return std::get<PersistentVolumeClaim>(seen_.at("persistentvolumeclaims/default/c"));
  }
  const ResourceClaim& seen_devices() { return std::get<ResourceClaim>(seen_.at("resourceclaims/default/d")); }

  kube::Instant now_{};
  ClaimBinder binder_;
  ClaimBinder::News news_;
  std::map<std::string, Object> seen_;
};

TEST_F(ClaimBinderTest, AVolumeIsSetAsideAndTheClaimBoundBeforeThePodIs) {
  ClaimWork work;
  work.bindings.push_back({volume(), claim()});
  begin("p", work);
  EXPECT_EQ(steps(), std::vector<Kind>{Kind::kVolume});
  EXPECT_EQ(seen_volume().claim_uid, "uid-c") << "nobody else gets it meanwhile";
  show(Object(volume()));
  EXPECT_EQ(seen_volume().claim_uid, "uid-c") << "an old object changes nothing";
  auto step = ClaimStep{Kind::kVolume, {"default", "p", "uid-p", ""}, "persistentvolumes//v1", {}, kube::PatchType::kMerge, {}};
  answer(step);
  EXPECT_FALSE(is_bound("p")) << "the claim is not bound yet";
  show(Object(PersistentVolumeClaim(a_claim("c").of_class("wait").uid("uid-c").bound_to("v1"))));
  EXPECT_TRUE(is_bound("p"));
  binder_.on_bound("uid-p");
  EXPECT_EQ(binder_.size(), 0u);
}

TEST_F(ClaimBinderTest, AClaimIsToldItsNodeAndWaitedFor) {
  ClaimWork work;
  work.provisions.push_back(claim());
  begin("p", work);
  EXPECT_EQ(seen_claim().meta.annotations.get(kSelectedNode), "n1");
  answer(only_step());
  EXPECT_FALSE(is_bound("p"));
  ASSERT_TRUE(binder_.next());
  EXPECT_EQ(*binder_.next(), now_ + 10min);
  show(Object(PersistentVolumeClaim(a_claim("c").of_class("wait").uid("uid-c").bound_to("made"))));
  ASSERT_TRUE(is_bound("p"));
  EXPECT_EQ(binder_.took(news_.effects.binds[0], now_ + 3s), 3s);
  EXPECT_FALSE(binder_.next());
}

TEST_F(ClaimBinderTest, WhoWaitsTooLongHasFailed) {
  ClaimWork work;
  work.provisions.push_back(claim());
  begin("p", work);
  answer(only_step());
  now_ += 10min;
  look();
  EXPECT_EQ(why(), "timed out waiting for persistentvolumeclaim \"c\" to be bound");
  EXPECT_TRUE(steps().empty()) << "what was said about volumes stays";
  EXPECT_EQ(binder_.size(), 0u);
}

TEST_F(ClaimBinderTest, AProvisionerThatGivesUpTakesTheNodeFromTheClaim) {
  ClaimWork work;
  work.provisions.push_back(claim());
  begin("p", work);
  answer(only_step(), WriteOutcome::kDone, "20");
  show(Object(versioned(claim(), "19")));
  EXPECT_EQ(why(), "") << "that is how it was before";
  show(Object(versioned(claim(), "21")));
  EXPECT_EQ(why(), "provisioning failed for persistentvolumeclaim \"c\"");
  EXPECT_EQ(seen_claim().meta.annotations.get(kSelectedNode), "") << "it may go anywhere now";
}

TEST_F(ClaimBinderTest, AWriteThatIsRefusedFailsAllThatWaitForIt) {
  ClaimWork work;
  work.provisions.push_back(claim());
  begin("p", work);
  const auto step = only_step();
  begin("q", work);
  EXPECT_TRUE(steps().empty()) << "it is being written";
  answer(step, WriteOutcome::kConflict);
  ASSERT_EQ(news_.failed.size(), 2u);
  EXPECT_EQ(why(), "cannot write persistentvolumeclaim \"c\": no");
  EXPECT_EQ(seen_claim().meta.annotations.get(kSelectedNode), "");
}

TEST_F(ClaimBinderTest, AClaimThatGetsAnotherVolumeOrGoesHasFailed) {
  ClaimWork work;
  work.bindings.push_back({volume(), claim()});
  begin("p", work);
  show(Object(PersistentVolumeClaim(a_claim("c").of_class("wait").uid("uid-c").bound_to("v2"))));
  EXPECT_EQ(why(), "persistentvolumeclaim \"c\" was bound to another volume");
  begin("q", work);
  binder_.forget(kind_called("PersistentVolumeClaim"), {"default", "c", "uid-c", ""});
  look();
  EXPECT_EQ(why(), "persistentvolumeclaim \"c\" has gone");
  begin("r", work);
  binder_.forget(kind_called("Node"), {"", "n1", "", ""});
  look();
  EXPECT_EQ(why(), "node \"n1\" has gone");
}

TEST_F(ClaimBinderTest, OneVolumeIsNotGivenToTwoClaims) {
  ClaimWork one, two;
  one.bindings.push_back({volume(), claim()});
  two.bindings.push_back({volume(), claim("other")});
  begin("p", one);
  begin("q", two);
  EXPECT_EQ(why(), "persistentvolume \"v1\" is being changed for another pod");
  EXPECT_EQ(seen_volume().claim_uid, "uid-c");
}

TEST_F(ClaimBinderTest, ADeviceClaimIsProtectedThenAllocatedThenThePodIsBound) {
  begin("p", device_work());
  EXPECT_TRUE(seen_devices().allocation);
  const auto finalizer = only_step();
  EXPECT_EQ(finalizer.kind, Kind::kFinalizer);
  show(Object(devices("9")));
  EXPECT_TRUE(seen_devices().allocation) << "the first write shows before the second";
  answer(finalizer, WriteOutcome::kDone, "9");
  const auto allocate = only_step();
  EXPECT_EQ(allocate.kind, Kind::kAllocate);
  EXPECT_EQ(allocate.object.subresource, "status");
  EXPECT_NE(allocate.body.find(R"("allocation":{"a":1})"), std::string::npos) << allocate.body;
  EXPECT_FALSE(is_bound("p"));
  answer(allocate, WriteOutcome::kDone, "10");
  EXPECT_TRUE(is_bound("p"));
  binder_.on_bound("uid-p");
  show(Object(devices("9")));
  EXPECT_TRUE(seen_devices().allocation) << "until it can be seen";
  auto shown = devices("10");
  shown.allocation.emplace();
  show(Object(shown));
  show(Object(devices("11")));
  EXPECT_FALSE(seen_devices().allocation) << "given back later by others";
}

TEST_F(ClaimBinderTest, WhoSharesAClaimThatHasDevicesIsOnlyAddedToIt) {
  auto shown = device_work().devices[0].claim;
  show(Object(shown));
  begin("p", device_work());
  const auto step = only_step();
  EXPECT_EQ(step.kind, Kind::kReserve);
  EXPECT_EQ(step.body.find("allocation"), std::string::npos) << step.body;
  answer(step);
  EXPECT_TRUE(is_bound("p"));
  binder_.on_not_bound("uid-p");
  look();
  EXPECT_EQ(only_step().body.find("allocation"), std::string::npos) << "the devices are not ours to take away";
}

TEST_F(ClaimBinderTest, WhoIsNotBoundUsesNothing) {
  begin("p", device_work());
  answer(only_step(), WriteOutcome::kDone, "9");
  answer(only_step(), WriteOutcome::kDone, "10");
  ASSERT_TRUE(is_bound("p"));
  binder_.on_not_bound("uid-p");
  look();
  const auto step = only_step();
  EXPECT_EQ(step.kind, Kind::kUnreserve);
  EXPECT_NE(step.body.find(R"("allocation":null)"), std::string::npos);
  EXPECT_TRUE(news_.failed.empty()) << "whoever reads pods knows";
  answer(step, WriteOutcome::kInvalid);
  EXPECT_EQ(only_step().body.find("allocation"), std::string::npos) << "somebody else uses the claim by now";
  answer(only_step(), WriteOutcome::kInvalid);
  EXPECT_TRUE(steps().empty());
}

// The claim would stay with a pod that was not bound, and keep it on the old node.
TEST_F(ClaimBinderTest, WhatCouldNotBeTakenBackIsTriedAgainUnlessThePodUsesItAfterAll) {
  struct Case {
    WriteOutcome outcome;
    std::function<void()> meanwhile;
    bool comes_again;
  };
  const Case cases[] = {
      {WriteOutcome::kUnknown, [] {}, true},
      {WriteOutcome::kForbidden, [] {}, true},
      {WriteOutcome::kConflict, [] {}, true},
      {WriteOutcome::kGone, [] {}, false},
      {WriteOutcome::kUnknown, [&] { binder_.on_bound("uid-p"); }, false},
      {WriteOutcome::kUnknown, [&] { binder_.forget(kind_called("Pod"), {"default", "p", "uid-p", ""}); }, false},
      {WriteOutcome::kUnknown, [&] { binder_.forget(kind_called("ResourceClaim"), {"default", "d", "", ""}); }, false},
  };
  for (const auto& [outcome, meanwhile, comes_again] : cases) {
    binder_ = ClaimBinder();
    begin("p", device_work());
    answer(only_step(), WriteOutcome::kDone, "9");
    answer(only_step(), WriteOutcome::kDone, "10");
    binder_.on_not_bound("uid-p");
    look();
    const auto step = only_step();
    answer(step, outcome);
    EXPECT_TRUE(steps().empty());
    meanwhile();
    for (int i = 0; i < 3; ++i) {
      binder_.take_back_again(now_);
      look();
      EXPECT_TRUE(i == 2 || steps().empty()) << "not at once";
      now_ += 5s;
    }
    EXPECT_EQ(steps(), comes_again ? std::vector<Kind>{Kind::kUnreserve} : std::vector<Kind>());
    for (const auto& again : news_.effects.steps) EXPECT_EQ(again.body, step.body);
  }
}

TEST_F(ClaimBinderTest, WhoStandsBackSendsNoBindThatWaits) {
  ClaimWork volumes;
  volumes.provisions.push_back(claim());
  begin("waits", volumes);
  answer(only_step());
  begin("gets-devices", device_work());
  answer(only_step(), WriteOutcome::kDone, "9");
  const auto allocate = only_step();
  binder_.on_step(allocate, {.outcome = WriteOutcome::kDone, .retry_after = {}, .message = {}, .body = "{}"});  // its bind is next
  const auto pods = binder_.stand_back();
  ASSERT_EQ(pods.size(), 2u);
  EXPECT_EQ(pods[0].name, "gets-devices");
  EXPECT_EQ(pods[1].name, "waits");
  look();
  EXPECT_TRUE(news_.effects.binds.empty());
  EXPECT_EQ(steps(), std::vector<Kind>{Kind::kUnreserve});
  EXPECT_EQ(seen_claim().meta.annotations.get(kSelectedNode), "n1") << "what was said about volumes stays";
  show(Object(PersistentVolumeClaim(a_claim("c").of_class("wait").uid("uid-c").bound_to("made"))));
  EXPECT_FALSE(is_bound("waits"));
}

TEST_F(ClaimBinderTest, WhatIsGivenBackLeavesNothingToDo) {
  ClaimWork volume_of_two, impossible;
  volume_of_two.provisions.push_back(claim());
  impossible.obstacle = "no volume was found";
  Effects effects;
  for (const auto& [pod, work] : {std::pair("p", volume_of_two), std::pair("q", volume_of_two), std::pair("r", impossible)}) {
    effects.binds.push_back({{"default", pod, std::string("uid-") + pod, ""}, "n1", {}, "default/g"});
    effects.binds.back().claims = std::make_shared<const ClaimWork>(work);
  }
  binder_.begin(effects, now_);
  EXPECT_EQ(binder_.give_back([](const Bind& bind) { return bind.group == "default/g"; }).size(), 2u);
  look();
  EXPECT_TRUE(steps().empty()) << "nobody waits for the volume of either";
  EXPECT_EQ(seen_claim().meta.annotations.get(kSelectedNode), "");
}

TEST_F(ClaimBinderTest, DevicesAreTakenBackOnlyOnceTheyWereAskedFor) {
  begin("p", device_work());
  const auto finalizer = only_step();
  binder_.on_step(finalizer, {.outcome = WriteOutcome::kDone, .retry_after = {}, .message = {}, .body = "{}"});
  const auto all = [](const Bind&) { return true; };
  EXPECT_EQ(binder_.give_back(all).size(), 1u);
  look();
  EXPECT_TRUE(steps().empty()) << "they had not been asked for yet";
  begin("p", device_work());
  answer(only_step(), WriteOutcome::kDone, "9");
  EXPECT_EQ(steps(), std::vector<Kind>{Kind::kAllocate});
  EXPECT_EQ(binder_.give_back(all).size(), 1u);
  look();
  EXPECT_EQ(steps(), std::vector<Kind>{Kind::kUnreserve});
}

TEST_F(ClaimBinderTest, DevicesThatWereRefusedAreFree) {
  begin("p", device_work());
  answer(only_step(), WriteOutcome::kForbidden);
  EXPECT_EQ(why(), "cannot write resourceclaim \"d\": no");
  EXPECT_FALSE(seen_devices().allocation);
  EXPECT_EQ(seen_devices().meta.resource_version, "") << "it is no older than what was decided";
  EXPECT_TRUE(steps().empty());
}

TEST_F(ClaimBinderTest, WhatIsSomebodyElsesIsNotTakenBack) {
  begin("p", device_work());
  answer(only_step(), WriteOutcome::kDone, "9");
  answer(only_step(), WriteOutcome::kInvalid);
  EXPECT_EQ(why(), "cannot write resourceclaim \"d\": no");
  EXPECT_TRUE(steps().empty());
  begin("q", device_work());
  answer(only_step(), WriteOutcome::kDone, "9");
  answer(only_step(), WriteOutcome::kUnknown);
  EXPECT_EQ(only_step().kind, Kind::kUnreserve) << "it may have been done";
}

TEST_F(ClaimBinderTest, DevicesComeAfterVolumesAndAreSetAsideBefore) {
  auto work = device_work();
  work.provisions.push_back(claim());
  begin("p", work);
  EXPECT_EQ(steps(), std::vector<Kind>{Kind::kNode});
  EXPECT_TRUE(seen_devices().allocation);
  answer(only_step());
  EXPECT_TRUE(steps().empty());
  show(Object(PersistentVolumeClaim(a_claim("c").of_class("wait").uid("uid-c").bound_to("made"))));
  EXPECT_EQ(only_step().kind, Kind::kFinalizer);
  binder_.forget(kind_called("Pod"), {"default", "p", "uid-p", ""});
  look();
  EXPECT_FALSE(seen_devices().allocation);
}

TEST_F(ClaimBinderTest, WhatCannotBeDoneIsNotBegun) {
  ClaimWork work;
  work.obstacle = "it is impossible";
  begin("p", work);
  EXPECT_EQ(why(), "it is impossible");
  EXPECT_TRUE(steps().empty());
}

}  // namespace
}  // namespace muster::daemon
