#include "app/explanation.h"

#include <gtest/gtest.h>
#include <set>

#include "app/cluster_files.h"
#include "app/schedule_report.h"

namespace muster {
namespace {

constexpr auto quiet = [](std::string_view, std::uint64_t) {};

std::string node(const std::string& name, const std::string& resources, const std::string& spec = "") {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + "}, spec: {" + spec +
         "}, status: {allocatable: {pods: '10', " + resources + "}}}\n";
}

std::string group(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: " + name + "}, spec: {" + spec + "}}\n";
}

std::string queue(const std::string& name, const std::string& spec, const std::string& state = "Open") {
  return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: " + name + "}, spec: {weight: 1, " + spec +
         "}, status: {state: " + state + "}}\n";
}

std::string pod(const std::string& job, int index, const std::string& requests, const std::string& spec = "") {
  const auto name = job + "-" + std::to_string(index);
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", annotations: {scheduling.k8s.io/group-name: " + job +
         "}}, spec: {schedulerName: volcano, " + spec + " containers: [{name: c, resources: {requests: {" + requests + "}}}]}}\n";
}

std::string pods(const std::string& job, int count, const std::string& requests) {
  std::string text;
  for (int i = 0; i < count; ++i) text += pod(job, i, requests);
  return text;
}

OfflineRun run_of(const std::string& text) {
  auto loaded = load_cluster_text(text, "all.yaml");
  EXPECT_TRUE(loaded) << loaded.error().text();
  auto scheduler = std::make_unique<volcano::Scheduler>(std::move(loaded->cluster), volcano::default_config(),
                                                        volcano::Behaviour::safe(), SearchKind::kReference);
  OfflineOptions options;
  options.now = Timestamp{};
  return OfflineRun(std::move(scheduler), options, loaded->notes);
}

Explanation explained(const std::string& text, const std::string& name) {
  auto run = run_of(text);
  auto explanation = explain(run, name, quiet);
  EXPECT_TRUE(explanation) << explanation.error().text();
  return explanation ? *explanation : Explanation();
}

std::string refusal(const std::string& text, const std::string& name) {
  auto run = run_of(text);
  const auto explanation = explain(run, name, quiet);
  return explanation ? "" : explanation.error().text();
}

struct ReasonCase {
  const char* what;
  std::string objects;
  PendingReason reason;
  const char* sentence;
};

TEST(Explanation, FindsTheOneReasonThatHasToGoFirst) {
  const auto big = node("n1", "cpu: '4'");
  const ReasonCase cases[] = {
      {"no PodGroup", big + pods("j", 2, "cpu: '1'"), PendingReason::kNoPodGroup,
       "its PodGroup does not exist, though 2 pods name it"},
      {"no queue", big + group("j", "minMember: 1, queue: gone") + pods("j", 1, "cpu: '1'"), PendingReason::kNoQueue,
       "its queue gone does not exist"},
      {"no pods", big + group("j", "minMember: 1"), PendingReason::kNoPods, "its PodGroup has no pods"},
      {"too few pods", big + group("j", "minMember: 3") + pods("j", 1, "cpu: '1'"), PendingReason::kTooFewPods,
       "3 pods have to start together and only 1 exists"},
      {"too few of a role", big + group("j", "minMember: 2, minTaskMember: {ps: 1}") + pods("j", 2, "cpu: '1'"),
       PendingReason::kTooFewOfRole, "1 pods of the role ps have to start together and only 0 exist"},
      {"queue closed", big + queue("q", "", "Closed") + group("j", "minMember: 1, queue: q") + pods("j", 1, "cpu: '1'"),
       PendingReason::kQueueClosed, "its queue q is not open"},
      {"queue limit",
       big + queue("q", "capability: {cpu: '1'}") + group("j", "minMember: 1, queue: q, minResources: {cpu: '2'}") +
           pods("j", 1, "cpu: '2'"),
       PendingReason::kQueueLimit,
       "not let in: its minimum would take the queue past its limit (queue resource quota insufficient: insufficient cpu)"},
      {"promised to others", big + group("j", "minMember: 1, minResources: {cpu: '9'}") + pods("j", 1, "cpu: '2'"),
       PendingReason::kClusterPromised,
       "not let in: more is promised to waiting jobs already than the cluster has (resource in cluster is overused: overused cpu)"},
      {"no nodes", group("j", "minMember: 1") + pods("j", 1, "cpu: '1'"), PendingReason::kNoNodes, "the cluster has no nodes"},
      {"gated", big + group("j", "minMember: 1") + pod("j", 0, "cpu: '1'", "schedulingGates: [{name: wait}],"),
       PendingReason::kGated, "scheduling gates hold 1 of its 1 pod back"},
      {"no node fits",
       node("n1", "cpu: '4'", "unschedulable: true") + node("n2", "cpu: '4'", "unschedulable: true") + group("j", "minMember: 1") +
           pods("j", 1, "cpu: '2'"),
       PendingReason::kNoNodeFits, "no node fits: node(s) were unschedulable on 2 of 2 nodes"},
      {"more than the queue deserves", big + group("j", "minMember: 2") + pods("j", 2, "cpu: '3'"), PendingReason::kQueueShare,
       "its queue default deserves 4 of cpu now and holds 0; it needs 6 more"},
  };
  for (const auto& c : cases) {
    const auto explanation = explained(c.objects, "j");
    EXPECT_EQ(text_of(explanation.job.reason).code, text_of(c.reason).code) << c.what << ": " << explanation.job.sentence;
    EXPECT_EQ(explanation.job.sentence, c.sentence) << c.what;
    EXPECT_EQ(explanation.job.state, JobState::kWaiting) << c.what;
  }
}

// Free resources in pieces that are too small: the question that is asked most.
TEST(Explanation, TellsFragmentedRoomFromMissingRoom) {
  const auto text = node("n1", "cpu: '4'") + node("n2", "cpu: '2'") + group("j", "minMember: 2") + pods("j", 2, "cpu: '3'");
  const auto explanation = explained(text, "default/j");
  EXPECT_EQ(text_of(explanation.job.reason).code, "gang-incomplete");
  EXPECT_EQ(explanation.job.would_fit, 1);
  ASSERT_EQ(explanation.needs.size(), 1u);
  EXPECT_EQ(explanation.needs[0].missing, 6000);
  EXPECT_EQ(explanation.needs[0].free, 6000);
}

TEST(Explanation, NamesAPodThatIsLargerThanEveryNode) {
  const auto text = node("n1", "cpu: '4'") + node("n2", "cpu: '4'") + group("j", "minMember: 1") + pods("j", 1, "cpu: '5'");
  const auto explanation = explained(text, "j");
  EXPECT_EQ(explanation.job.sentence, "a pod asks for 5 of cpu and the largest node has 4");
  EXPECT_EQ(text_of(explanation.job.reason).code, "too-large");
}

TEST(Explanation, SaysWhoIsAheadInTheQueueAndWhatBecameOfThem) {
  const auto text = node("n1", "cpu: '4'") + group("a", "minMember: 1") + pods("a", 1, "cpu: '3'") + group("b", "minMember: 1") +
                    pods("b", 1, "cpu: '3'");
  const auto explanation = explained(text, "b");
  EXPECT_EQ(explanation.competitors, 2u);
  ASSERT_EQ(explanation.ahead.size(), 1u);
  EXPECT_EQ(explanation.ahead[0].job, "default/a");
  EXPECT_EQ(explanation.ahead[0].state, JobState::kPlaced);
  ASSERT_FALSE(explanation.queue.empty());
  EXPECT_EQ(explanation.queue[0].resource, "cpu");
  EXPECT_EQ(explanation.queue[0].allocated, 3000);
  EXPECT_EQ(explanation.queue[0].requested, 6000);
}

TEST(Explanation, TakesAPodForItsJob) {
  const auto text = node("n1", "cpu: '4'") + group("j", "minMember: 1") + pods("j", 1, "cpu: '1'");
  const auto explanation = explained(text, "j-0");
  EXPECT_EQ(explanation.job.name, "default/j");
  EXPECT_EQ(explanation.pod, "default/j-0");
  EXPECT_EQ(explanation.job.state, JobState::kPlaced);
  EXPECT_EQ(explanation_text(explanation, Paint::none()).substr(0, 27), "default/j is placed on n1.\n");
}

TEST(Explanation, HelpsWithNamesThatAreWrong) {
  const auto text = node("n1", "cpu: '4'") + group("train", "minMember: 1") + pods("train", 1, "cpu: '1'");
  EXPECT_EQ(refusal(text, "trian"), "no job and no pod of this scheduler is called \"trian\"; did you mean \"train\"?");
  EXPECT_EQ(refusal(text, "zebra"), "no job and no pod of this scheduler is called \"zebra\"");
}

TEST(PendingReasons, TheTableIsInTheOrderOfTheEnumerationAndCodesAreUnique) {
  std::set<std::string_view> codes;
  for (std::size_t i = 0; i < pending_reasons().size(); ++i) {
    const auto& row = pending_reasons()[i];
    EXPECT_EQ(static_cast<std::size_t>(row.reason), i);
    EXPECT_TRUE(codes.insert(row.code).second) << row.code;
    EXPECT_FALSE(row.meaning.empty());
    EXPECT_EQ(row.hint.empty(), row.reason == PendingReason::kNone);
  }
}

TEST(ScheduleTable, HasARowPerJobAndASummary) {
  auto run = run_of(node("n1", "cpu: '4'") + group("a", "minMember: 2") + pods("a", 2, "cpu: '1'") + group("b", "minMember: 1"));
  std::vector<JobOutlook> jobs;
  OfflineRun::Looks looks;
  looks.after_actions = [&](volcano::Session& session) { jobs = outlooks_of(session); };
  const auto cycles = run.run(looks, quiet);
  EXPECT_EQ(schedule_table(jobs, cycles, Paint::none()),
            "JOB        QUEUE    STATE    PODS  NODES OR REASON\n"
            "default/a  default  placed   2/2   n1 (2)\n"
            "default/b  default  waiting  0/0   its PodGroup has no pods\n"
            "\n"
            "2 jobs: 1 placed, 1 waiting; 2 pods bound to 1 node, 0 evicted, 1 cycle\n");
}

}  // namespace
}  // namespace muster
