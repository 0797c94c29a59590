#include "policy/volcano/plugins/extender.h"

#include <functional>
#include <gtest/gtest.h>

#include "policy/volcano/statement.h"
#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

using Answer = tl::expected<ExtenderAnswer, ExtenderFailure>;

// Answers as the test says, and remembers what it was asked.
class FakeExtender final : public ExtenderClient {
 public:
  Answer ask(const Session&, const ExtenderQuestion& question) override {
    urls.push_back(question.url);
    timeout = question.timeout_nanos;
    return answer(question);
  }
  std::function<Answer(const ExtenderQuestion&)> answer = [](const ExtenderQuestion&) { return ExtenderAnswer{}; };
  std::vector<std::string> urls;
  std::int64_t timeout = 0;
};

Answer refused(const ExtenderQuestion&) { return tl::unexpected(ExtenderFailure{"Post: connection refused", true}); }
Answer garbage(const ExtenderQuestion&) { return tl::unexpected(ExtenderFailure{"no JSON", false}); }

class ExtenderTest : public testing::Test {
 protected:
  Extender& open(std::vector<std::pair<std::string, Value>> arguments) {
    arguments.emplace_back("extender.urlPrefix", value_of("http://127.0.0.1:1/scheduler//"));
    world_->config() = a_config({an_option("extender", std::move(arguments))});
    world_->memory().extender = service_;
    world_->add(a_volcano_queue("default"));
    world_->add(a_volcano_node("n1").cpu("8").gpu("4"));
    world_->add(a_volcano_node("n2").cpu("8").gpu("4"));
    world_->add(a_pod_group("train").minimum(1).phase("Inqueue"));
    world_->add(a_volcano_pod("train-0").group("train").cpu("2").gpu("1"));
    world_->add(a_volcano_pod("train-1").group("train").cpu("2"));
    world_->add(a_volcano_pod("old-0").group("train").cpu("2").on("n1"));
    world_->open();
    return *world_->session().plugin<Extender>("extender");
  }
  Session& session() { return world_->session(); }
  void renew() { world_ = std::make_unique<VolcanoWorld>(); }

  std::unique_ptr<VolcanoWorld> world_ = std::make_unique<VolcanoWorld>();
  std::shared_ptr<FakeExtender> service_ = std::make_shared<FakeExtender>();
};

TEST_F(ExtenderTest, AsksOnlyWhereAVerbIsNamed) {
  auto& plugin = open({});
  EXPECT_FALSE(plugin.points().contains(Point::kPredicate));
  EXPECT_TRUE(session().job_ready(world_->job("train")));
  EXPECT_FALSE(session().overused(world_->queue("default")));
  plugin.on_allocate(world_->pod("train-0"));
  session().close();
  EXPECT_TRUE(service_->urls.empty());
}

TEST_F(ExtenderTest, FiltersWithReasonAndCode) {
  auto& plugin = open({{"extender.predicateVerb", value_of("filter")}, {"extender.httpTimeout", value_of("250ms")}});
  service_->answer = [&](const ExtenderQuestion& question) {
    ExtenderAnswer answer;
    if (question.nodes.front() == world_->node("n1")) answer.message = "licence server is down";
    return answer;
  };
  EXPECT_EQ(world_->left_by_others(plugin, "train-0"), std::vector<std::string>{"n2"});
  EXPECT_EQ(service_->urls.front(), "http://127.0.0.1:1/scheduler/filter");
  EXPECT_EQ(service_->timeout, 250'000'000);
  const std::pair<int, FitCode> codes[] = {
      {0, FitCode::kError}, {1, FitCode::kError}, {2, FitCode::kUnschedulable}, {3, FitCode::kUnresolvable}, {99, FitCode::kError}};
  for (const auto& [code, want] : codes) {
    service_->answer = [code = code](const ExtenderQuestion&) { return ExtenderAnswer{.message = "no", .code = code}; };
    Verdict verdict;
    plugin.predicate(world_->pod("train-0"), world_->node("n1"), Dependence::kOthers, verdict);
    ASSERT_EQ(verdict.size(), 1u);
    EXPECT_EQ(verdict[0].code, want) << code;
  }
}

TEST_F(ExtenderTest, IsAskedOnlyAboutPodsWithItsResources) {
  auto& plugin = open({{"extender.predicateVerb", value_of("filter")},
                       {"extender.prioritizeVerb", value_of("score")},
                       {"extender.preemptableVerb", value_of("victims")},
                       {"extender.allocateFuncVerb", value_of("allocate")},
                       {"extender.managedResources", list_value({value_of("nvidia.com/gpu")})}});
  EXPECT_EQ(plugin.predicate_dependence(world_->pod("train-0")), Dependence::kOthers);
  EXPECT_EQ(plugin.predicate_dependence(world_->pod("train-1")), Dependence::kNothing);
  EXPECT_EQ(plugin.order_dependence(world_->pod("train-1")), Dependence::kNothing);
  EXPECT_EQ(plugin.preemptable(world_->pod("train-1"), world_->pods({"old-0"})).vote, Vote::kAbstain);
  EXPECT_TRUE(plugin.on_allocate(world_->pod("train-1")));
  EXPECT_TRUE(service_->urls.empty());
}

TEST_F(ExtenderTest, ScoresNodesByName) {
  auto& plugin = open({{"extender.prioritizeVerb", value_of("score")}});
  service_->answer = [](const ExtenderQuestion&) {
    return ExtenderAnswer{.has_scores = true, .scores = {{"n2", 7.5}, {"elsewhere", 100}}};
  };
  const std::vector nodes = {world_->node("n1"), world_->node("n2")};
  std::vector<double> totals = {1, 1};
  plugin.add_batch_order(world_->pod("train-0"), nodes, totals);
  EXPECT_EQ(totals, (std::vector<double>{1, 8.5}));
  EXPECT_FALSE(plugin.batch_order_failed());
  // An answer without scores, or with a message, is an error, whether it may be ignored or not.
  service_->answer = [](const ExtenderQuestion&) { return ExtenderAnswer{}; };
  plugin.add_batch_order(world_->pod("train-0"), nodes, totals);
  EXPECT_TRUE(plugin.batch_order_failed());
  EXPECT_FALSE(session().rules().score(world_->pod("train-0"), nodes, totals));
}

TEST_F(ExtenderTest, NamesVictimsByUid) {
  auto& plugin = open({{"extender.preemptableVerb", value_of("p")}, {"extender.reclaimableVerb", value_of("r")}});
  const auto uid = session().books().pod(world_->pod("old-0")).uid;
  service_->answer = [&](const ExtenderQuestion&) { return ExtenderAnswer{.vote = 1, .victims = {uid, "a-stranger"}}; };
  const auto ballot = plugin.preemptable(world_->pod("train-0"), world_->pods({"old-0"}));
  EXPECT_EQ(ballot.vote, Vote::kPermit);
  EXPECT_EQ(world_->names(ballot.victims), std::vector<std::string>{"old-0"});
  service_->answer = [](const ExtenderQuestion&) { return ExtenderAnswer{}; };
  EXPECT_EQ(plugin.reclaimable(world_->pod("train-0"), world_->pods({"old-0"})).vote, Vote::kAbstain);
}

// What counts when the service does not answer, or wrongly. Ready is the wrong way round in the original, too.
struct Fallback {
  bool ignorable;
  std::string refusal;
  bool order_failed;
  Vote victims;
  bool enqueueable;
  bool overused;
  bool ready;
  bool allocated;
};

TEST_F(ExtenderTest, FailuresCountAsTheArgumentSays) {
  const Fallback fallbacks[] = {
      {true, "", false, Vote::kPermit, true, false, false, true},
      {false, "no JSON", true, Vote::kReject, false, true, true, false},
  };
  for (const auto& want : fallbacks) {
    SCOPED_TRACE(want.ignorable);
    renew();
    auto& plugin = open({{"extender.ignorable", value_of(want.ignorable)},
                         {"extender.predicateVerb", value_of("a")},
                         {"extender.prioritizeVerb", value_of("b")},
                         {"extender.preemptableVerb", value_of("c")},
                         {"extender.jobEnqueueableVerb", value_of("d")},
                         {"extender.queueOverusedVerb", value_of("e")},
                         {"extender.jobReadyVerb", value_of("f")},
                         {"extender.allocateFuncVerb", value_of("g")}});
    service_->answer = garbage;
    Verdict verdict;
    plugin.predicate(world_->pod("train-0"), world_->node("n1"), Dependence::kOthers, verdict);
    EXPECT_EQ(verdict.empty() ? "" : session().cluster().fits().text(verdict[0].reason), want.refusal);
    const std::vector nodes = {world_->node("n1"), world_->node("n2")};
    std::vector<double> totals = {0, 0};
    plugin.add_batch_order(world_->pod("train-0"), nodes, totals);
    EXPECT_EQ(plugin.batch_order_failed(), want.order_failed);
    const auto ballot = plugin.preemptable(world_->pod("train-0"), world_->pods({"old-0"}));
    EXPECT_EQ(ballot.vote, want.victims);
    EXPECT_TRUE(ballot.victims.empty());
    EXPECT_EQ(session().job_enqueueable(world_->job("train")), want.enqueueable);
    EXPECT_EQ(session().overused(world_->queue("default")), want.overused);
    EXPECT_EQ(session().job_ready(world_->job("train")), want.ready);
    EXPECT_EQ(plugin.on_allocate(world_->pod("train-0")), want.allocated);
    EXPECT_EQ(session().writes().warnings, std::vector<std::string>{"the extender failed: no JSON"});
  }
}

TEST_F(ExtenderTest, AMessageRefusesAPlacement) {
  open({{"extender.allocateFuncVerb", value_of("allocate")}, {"extender.deallocateFuncVerb", value_of("free")}});
  service_->answer = [](const ExtenderQuestion& question) {
    return ExtenderAnswer{.message = question.topic == ExtenderTopic::kAllocate ? "no device" : ""};
  };
  Statement statement(session());
  EXPECT_FALSE(statement.allocate(world_->pod("train-0"), world_->node("n1")));
  EXPECT_EQ(session().books().pod(world_->pod("train-0")).state, PodState::kPending);
  EXPECT_FALSE(session().undoes_cleanly());
}

TEST_F(ExtenderTest, FailingAtTheOpeningTakesItOutOfTheCycle) {
  service_->answer = refused;
  auto& plugin = open({{"extender.onSessionOpenVerb", value_of("open")},
                       {"extender.onSessionCloseVerb", value_of("close")},
                       {"extender.predicateVerb", value_of("filter")},
                       {"extender.jobReadyVerb", value_of("ready")}});
  EXPECT_EQ(plugin.predicate_dependence(world_->pod("train-0")), Dependence::kNothing);
  EXPECT_TRUE(session().job_ready(world_->job("train")));
  session().close();
  EXPECT_EQ(service_->urls.size(), 2u) << "opening and closing";
}

TEST_F(ExtenderTest, ADeadServiceIsNotAskedForEver) {
  auto& plugin = open({{"extender.predicateVerb", value_of("filter")}, {"extender.ignorable", value_of(true)}});
  service_->answer = refused;
  Verdict verdict;
  for (int i = 0; i < 50; ++i) plugin.predicate(world_->pod("train-0"), world_->node("n1"), Dependence::kOthers, verdict);
  EXPECT_TRUE(verdict.empty());
  EXPECT_EQ(service_->urls.size(), 3u);
  ASSERT_EQ(session().writes().warnings.size(), 2u);
  EXPECT_NE(session().writes().warnings[1].find("is not asked any more in this cycle"), std::string::npos);
}

TEST_F(ExtenderTest, WithoutAWayToItItFails) {
  service_ = nullptr;
  auto& plugin = open({{"extender.predicateVerb", value_of("filter")}});
  EXPECT_EQ(world_->left_by_others(plugin, "train-0"), std::vector<std::string>());
}

}  // namespace
}  // namespace muster::volcano
