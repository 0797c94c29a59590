// Lists of a cluster, chosen from and shown in pages of any width.

#include "app/view_list.h"

#include <gtest/gtest.h>

#include "app/bar_text.h"
#include "app/name_filter.h"
#include "app/view_tables.h"

namespace muster {
namespace {

using Names = std::vector<std::string>;

TEST(NameFilter, KnowsStarsAndQuestionMarks) {
  for (const auto& [pattern, name] : std::vector<std::pair<std::string, std::string>>{{"gpu-1", "gpu-1"},
                                                                                      {"gpu-*", "gpu-"},
                                                                                      {"*-1", "gpu-1"},
                                                                                      {"g?u-*1", "gpu-101"},
                                                                                      {"*", ""},
                                                                                      {"**a*b**", "xaxbx"},
                                                                                      {"", ""}})
    EXPECT_TRUE(matches_pattern(pattern, name)) << pattern << " " << name;
  for (const auto& [pattern, name] : std::vector<std::pair<std::string, std::string>>{
           {"gpu-1", "gpu-10"}, {"gpu-?", "gpu-"}, {"*-1", "gpu-12"}, {"a*b*c", "abb"}, {"", "a"}, {"[a]", "a"}})
    EXPECT_FALSE(matches_pattern(pattern, name)) << pattern << " " << name;
}

TEST(NameFilter, IsAboutTheNameWhereItNamesNoNamespace) {
  EXPECT_TRUE(NameFilter({"train"}).chooses_key("research/train"));
  EXPECT_FALSE(NameFilter({"research"}).chooses_key("research/train"));
  EXPECT_TRUE(NameFilter({"research/*"}).chooses_key("research/train"));
  EXPECT_FALSE(NameFilter({"research/*"}).chooses_key("product/train"));
  EXPECT_TRUE(NameFilter({}).chooses_key("product/train"));
  EXPECT_TRUE(NameFilter({"t*"}).chooses_key("research/job/train"));
  EXPECT_FALSE(NameFilter({"j*"}).chooses_key("research/job/train"));
  EXPECT_TRUE(NameFilter({"research/job/*"}).chooses_key("research/job/train"));
  EXPECT_EQ(NameFilter({"x*", "train", "trai"}).unknown_among_keys({"research/train"}), Names{"trai"});
  EXPECT_EQ(NameFilter({"gpu", "cpu"}).unknown_among({"nvidia.com/gpu", "cpu"}), Names{"gpu"});
}

TEST(BarText, IsFullOnlyWhenTheWholeIsReached) {
  const auto used = [](double amount) {
    const BarPart parts[] = {{amount, '#'}};
    return bar_text(4, 100, parts);
  };
  EXPECT_EQ(used(0), "[    ]");
  EXPECT_EQ(used(0.1), "[#   ]");
  EXPECT_EQ(used(50), "[##  ]");
  EXPECT_EQ(used(99.9), "[### ]");
  EXPECT_EQ(used(100), "[####]");
  EXPECT_EQ(used(130), "[####]");
}

TEST(BarText, HasPartsAndAMark) {
  const BarPart parts[] = {{3, '#'}, {5, '+'}, {8, '.'}};
  EXPECT_EQ(bar_text(10, 10, parts), "[###++...  ]");
  EXPECT_EQ(bar_text(10, 10, parts, 9), "[###++...| ]");
  EXPECT_EQ(bar_text(10, 10, parts, 0), "[###++...  ]");
  EXPECT_EQ(bar_text(10, 0, parts, 4), "[          ]");
  EXPECT_EQ(bar_text(0, 10, parts, 9), "");
}

// ------------------------------------------------------------------------------------------------------------------ choosing

constexpr const char* kJobs =
    R"({"jobs":[{"job":"a/one","queue":"q1","state":"waiting","phase":"Pending","reason":{"code":"queue-full","text":)"
    R"("the queue has no room left for another pod of this size"},"pods":{"total":8,"minimum":4,"placed":0,"pending":8,"leaving":0}},)"
    R"({"job":"b/one","queue":"q2","state":"running","phase":"Running","reason":{"code":"","text":""},)"
    R"("pods":{"total":4,"minimum":1,"placed":4,"pending":0,"leaving":0}},)"
    R"({"job":"b/two","queue":"q2","state":"partial","phase":"Running","reason":{"code":"no-node-fits","text":"no node"},)"
    R"("pods":{"total":10,"minimum":2,"placed":3,"pending":7,"leaving":0}}]})";

ViewList list_of(ViewKind kind, const std::string& json, ViewChoice choice = {}) {
  auto list = ViewList::read(kind, json, std::move(choice));
  EXPECT_TRUE(list) << (list ? "" : list.error().text());
  return list ? std::move(*list) : *ViewList::read(kind, "{\"" + std::string(name_of(kind)) + "\":[]}", {});
}

Names chosen_jobs(ViewChoice choice) {
  Names out;
  const auto list = list_of(ViewKind::kJobs, kJobs, std::move(choice));
  for (const auto* job : list.items()) out.push_back(text_at(job, "job"));
  return out;
}

TEST(ViewList, ChoosesJobs) {
  EXPECT_EQ(chosen_jobs({}), (Names{"a/one", "b/one", "b/two"}));
  EXPECT_EQ(chosen_jobs({.names = {"one"}}), (Names{"a/one", "b/one"}));
  EXPECT_EQ(chosen_jobs({.names = {"b/*"}, .states = {"partial", "waiting"}}), Names{"b/two"});
  EXPECT_EQ(chosen_jobs({.queues = {"q?"}, .reasons = {"queue-full"}}), Names{"a/one"});
  EXPECT_EQ(chosen_jobs({.most = 1}), Names{"a/one"});
  EXPECT_EQ(chosen_jobs({.names = {"x*"}}), Names{});
}

TEST(ViewList, JobsAreCalledByTheirWorkloadsToo) {
  constexpr const char* kMade =
      R"({"jobs":[{"job":"mine/podgroup-1f","workload":"Job/big","queue":"q"},{"job":"mine/small","workload":"Job/small","queue":"q"}]})";
  for (const auto* name : {"big", "mine/big", "job/big", "Job/big", "mine/Job/big", "Big", "b*", "Job/b*", "podgroup-1f", "POD*"}) {
    const auto list = list_of(ViewKind::kJobs, kMade, {.names = {name}});
    ASSERT_EQ(list.items().size(), 1u) << name;
    EXPECT_EQ(text_at(list.items().front(), "job"), "mine/podgroup-1f");
  }
  EXPECT_EQ(list_of(ViewKind::kJobs, kMade, {.names = {"small"}}).items().size(), 1u);
  EXPECT_TRUE(list_of(ViewKind::kJobs, kMade, {.names = {"j*"}}).items().empty());  // the kind is no part of the name
  const auto kind = ViewList::read(ViewKind::kJobs, kMade, {.names = {"jo"}});
  ASSERT_FALSE(kind);
  EXPECT_EQ(kind.error().text(), "no job is called \"jo\"");
  const auto table = list_of(ViewKind::kJobs, kMade).table({});
  EXPECT_NE(table.find("mine/podgroup-1f (Job/big)  q"), std::string::npos) << table;
  EXPECT_NE(table.find("mine/small                  q"), std::string::npos) << table;
}

TEST(ViewList, KnowsWhichJobsAreCalledSo) {
  constexpr const char* kMade =
      R"({"jobs":[{"job":"mine/podgroup-1f","workload":"Job/big","queue":"q"},{"job":"mine/small","queue":"q"}]})";
  const auto called = [&](Names patterns) { return list_of(ViewKind::kJobs, kMade).jobs_called(patterns); };
  using Jobs = std::set<std::string>;
  EXPECT_EQ(called({"Job/big"}), Jobs{"mine/podgroup-1f"});
  EXPECT_EQ(called({"b*", "s*"}), (Jobs{"mine/podgroup-1f", "mine/small"}));
  EXPECT_EQ(called({"nobody"}), Jobs());
}

TEST(ViewList, TellsThePartAsTheWholeWasTold) {
  EXPECT_EQ(list_of(ViewKind::kJobs, kJobs).json(), kJobs);
  EXPECT_EQ(list_of(ViewKind::kJobs, R"({ "jobs" : [ {"job":"a/x","later":[1, 2]}, {"job":"a/y"} ] })", {.names = {"x"}}).json(),
            R"({"jobs":[{"job":"a/x","later":[1, 2]}]})");
}

TEST(ViewList, SaysThatANameIsUnknown) {
  const auto list = ViewList::read(ViewKind::kJobs, kJobs, {.names = {"tow"}});
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().text(), "no job is called \"tow\"; did you mean \"two\"?");
}

std::string refusal_of_list(ViewKind kind, const char* json, ViewChoice choice) {
  const auto list = ViewList::read(kind, json, std::move(choice));
  return list ? "" : list.error().text();
}

TEST(ViewList, RefusesWhatIsNoList) {
  for (const auto* text : {"", "{}", "[]", "<html>", R"({"jobs":{}})", R"({"nodes":[]})"})
    EXPECT_FALSE(ViewList::read(ViewKind::kJobs, text, {})) << text;
}

constexpr const char* kDecisions =
    R"({"decisions":[{"time":"2026-01-01T00:00:02Z","cycle":2,"kind":"evict","pod":"b/low-0","job":"b/low","node":"n1",)"
    R"("rule":"preempt","for_job":"a/high","for_pod":"a/high-0","why":"it needs the room"},)"
    R"({"time":"2026-01-01T00:00:01Z","cycle":1,"kind":"bind","pod":"b/low-0","job":"b/low","node":"n1","rule":"allocate"}]})";

TEST(ViewList, ChoosesDecisionsByWhomTheyAreFor) {
  const auto count = [](ViewChoice choice) { return list_of(ViewKind::kDecisions, kDecisions, std::move(choice)).items().size(); };
  EXPECT_EQ(count({}), 2u);
  EXPECT_EQ(count({.jobs = {"high"}}), 1u);
  EXPECT_EQ(count({.kinds = {"bind"}, .jobs = {"high"}}), 0u);
  EXPECT_EQ(count({.jobs = {"h*"}}), 1u);
  EXPECT_EQ(count({.jobs = {"Job/great"}, .called = {"a/high"}}), 1u);
  EXPECT_EQ(count({.jobs = {"Job/great"}}), 0u);
  EXPECT_EQ(count({.names = {"low-?"}, .nodes = {"N1"}}), 2u);
  EXPECT_EQ(count({.names = {"nobody*"}}), 0u);
  EXPECT_EQ(refusal_of_list(ViewKind::kDecisions, kDecisions, {.names = {"low-1"}}),
            "no decision is about a pod called \"low-1\"; did you mean \"low-0\"?");
  EXPECT_EQ(refusal_of_list(ViewKind::kDecisions, kDecisions, {.names = {"b/low"}}),
            "no decision is about a pod called \"b/low\"; those of the job of that name: --job b/low");
}

// A job without decisions, or a queue without jobs, may exist: its own list has to tell.
TEST(ViewList, TellsWhichNamesOfOthersItDoesNotKnow) {
  const auto missing = [](const ViewList& list, const ViewChoice& choice) {
    Names out;
    for (const auto& named : named_elsewhere(choice))
      for (const auto& name : list.not_here(named)) out.push_back(std::string(name_of(named.kind)) + " " + name);
    return out;
  };
  EXPECT_EQ(missing(list_of(ViewKind::kJobs, kJobs), {.queues = {"q1", "q3", "x*"}}), Names{"queues q3"});
  EXPECT_EQ(missing(list_of(ViewKind::kDecisions, kDecisions), {.jobs = {"low", "a/high", "b/high"}, .nodes = {"n1", "n2"}}),
            (Names{"jobs b/high", "nodes n2"}));
}

// -------------------------------------------------------------------------------------------------------------------- tables

TEST(ViewTables, ShowJobsWithAMarkAtTheMinimum) {
  EXPECT_EQ(list_of(ViewKind::kJobs, kJobs).table({}),
            "JOB    QUEUE  STATE    PODS              REASON\n"
            "a/one  q1     waiting   0/8  [   |    ]  the queue has no room left for another pod of this size\n"
            "b/one  q2     running   4/4  [########]\n"
            "b/two  q2     partial  3/10  [##      ]  no node\n"
            "\n"
            "3 jobs: 1 running, 1 partial, 1 waiting\n");
}

// Pods that have ended are not missing, and a minimum that was reached is not short of anything.
TEST(ViewTables, ShowWhatIsDoneOfJobs) {
  const auto pods = [](int placed, int pending, int succeeded, int failed) {
    return R"("pods":{"total":8,"minimum":8,"placed":)" + std::to_string(placed) + R"(,"pending":)" + std::to_string(pending) +
           R"(,"leaving":0,"succeeded":)" + std::to_string(succeeded) + R"(,"failed":)" + std::to_string(failed) + "}}";
  };
  const auto jobs = R"({"jobs":[{"job":"a/ended","queue":"q","state":"finished",)" + pods(0, 0, 7, 1) +
                    R"(,{"job":"a/halfway","queue":"q","state":"running",)" + pods(4, 0, 4, 0) +
                    R"(,{"job":"a/waits","queue":"q","state":"waiting",)" + pods(2, 6, 0, 0) + "]}";
  EXPECT_EQ(list_of(ViewKind::kJobs, jobs).table({}),
            "JOB        QUEUE  STATE     PODS  DONE              REASON\n"
            "a/ended    q      finished   0/8     8  [========]\n"
            "a/halfway  q      running    4/8     4  [====####]\n"
            "a/waits    q      waiting    2/8     0  [##     |]\n"
            "\n"
            "3 jobs: 1 running, 1 waiting, 1 finished\n");
}

// A gang that has lost a pod is short of it, though all that are left run.
TEST(ViewTables, ShowWhatAGangHasLost) {
  const auto job = [](const char* name, const char* pods) {
    return std::string(R"({"job":")") + name + R"(","queue":"q","state":"waiting","pods":{)" + pods +
           R"(,"pending":0,"leaving":0}})";
  };
  const auto jobs = R"({"jobs":[)" + job("a/lost", R"("total":2,"minimum":3,"placed":2)") + "," +
                    job("a/new", R"("total":0,"minimum":3,"placed":0)") + "]}";
  EXPECT_EQ(list_of(ViewKind::kJobs, jobs).table({}),
            "JOB     QUEUE  STATE    PODS              REASON\n"
            "a/lost  q      waiting   2/2  [#####  |]\n"
            "a/new   q      waiting   0/0  [        ]\n"
            "\n"
            "2 jobs: 2 waiting\n");
}

TEST(ViewTables, SentencesEndWhereThePageDoes) {
  const auto text = list_of(ViewKind::kJobs, kJobs, {.states = {"waiting"}}).table({.width = 70});
  EXPECT_EQ(text,
            "JOB    QUEUE  STATE    PODS              REASON\n"
            "a/one  q1     waiting   0/8  [   |    ]  the queue has no room left f…\n"
            "\n"
            "1 of 3 jobs: 1 waiting\n");
  EXPECT_LE(text_width(text), 70u);
}

TEST(ViewTables, NumbersAndNamesStayInANarrowPage) {
  const auto text = list_of(ViewKind::kJobs, kJobs, {.states = {"waiting"}}).table({.width = 30});
  EXPECT_EQ(text.find('['), std::string::npos) << text;
  EXPECT_NE(text.find("a/one  q1     waiting   0/8  the queue has no room left for another pod of this size\n"), std::string::npos)
      << text;
}

TEST(ViewTables, ShowDecisions) {
  EXPECT_EQ(list_of(ViewKind::kDecisions, kDecisions).table({}),
            "TIME                  CYCLE  WHAT   POD      NODE  BY        FOR WHOM AND WHY\n"
            "2026-01-01T00:00:02Z      2  evict  b/low-0  n1    preempt   for a/high-0: it needs the room\n"
            "2026-01-01T00:00:01Z      1  bind   b/low-0  n1    allocate\n"
            "\n"
            "2 decisions: 1 bound, 1 evicted\n");
}

TEST(ViewTables, TimesAreEquallyWide) {
  const auto text =
      list_of(ViewKind::kDecisions, R"({"decisions":[{"time":"2026-01-01T00:00:02.123456789Z","cycle":2,"kind":"bind"},)"
                                    R"({"time":"2026-01-01T00:00:02.5Z","cycle":2,"kind":"bind"},)"
                                    R"({"time":"2026-01-01T00:00:01Z","cycle":1,"kind":"bind"}]})")
          .table({});
  for (const auto* time : {"\n2026-01-01T00:00:02.123Z  ", "\n2026-01-01T00:00:02.500Z  ", "\n2026-01-01T00:00:01.000Z  "})
    EXPECT_NE(text.find(time), std::string::npos) << text;
}

constexpr const char* kQueues =
    R"({"queues":[{"queue":"child","parent":"top","state":"Open","resources":{"cpu":{"deserved":4,"allocated":2,"requested":8,)"
    R"("promised":2,"limit":10}}},{"queue":"empty","state":"Closed","resources":{}},{"queue":"top","state":"Open","resources":{)"
    R"("cpu":{"deserved":8,"allocated":6,"requested":6,"promised":0},"memory":{"deserved":0,"allocated":1073741824,)"
    R"("requested":1073741824,"promised":0}}}]})";

TEST(ViewTables, ShowQueuesAsATreeOnOneScale) {
  const auto text = list_of(ViewKind::kQueues, kQueues, {.resources = {"cpu"}}).table({.width = 100});
  EXPECT_EQ(
      text,
      "QUEUE    STATE   RESOURCE  ALLOCATED  PROMISED  REQUESTED  DESERVED  LIMIT\n"
      "empty    Closed  -                 -         -          -         -      -\n"
      "top      Open    cpu               6         0          6         8      -  [#########  |]\n"
      "  child  Open    cpu               2         2          8         4     10  [###++|......]\n"
      "\n"
      "# allocated, + promised, . requested, | what it deserves; a full bar is the largest amount of the resource in the list\n"
      "3 queues\n");
}

TEST(ViewTables, TheLegendNamesWhatTheMarkIs) {
  const auto text = list_of(ViewKind::kQueues, R"({"queues":[{"queue":"q","resources":{"gpu":{"deserved":2,"fair_share":8,)"
                                               R"("allocated":4,"requested":4,"promised":0}}}]})")
                        .table({.width = 100});
  EXPECT_NE(text.find("[############           |]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| its fair share;"), std::string::npos) << text;
}

TEST(ViewTables, QueuesHaveNoLegendWithoutBars) {
  const auto text = list_of(ViewKind::kQueues, kQueues).table({.paint = Paint::ansi(), .width = 60});
  EXPECT_EQ(text.find("# allocated"), std::string::npos) << text;
}

TEST(ViewTables, QueuesInARingAreStillShown) {
  const auto text = list_of(ViewKind::kQueues, R"({"queues":[{"queue":"a","parent":"b"},{"queue":"b","parent":"a"}]})").table({});
  EXPECT_NE(text.find("\na "), std::string::npos) << text;
  EXPECT_NE(text.find("\nb "), std::string::npos) << text;
}

constexpr const char* kNodes =
    R"({"nodes":[{"node":"n1","unschedulable":false,"pods":3,"resources":{"cpu":{"allocatable":8,"used":4,"idle":4,"releasing":2},)"
    R"("memory":{"allocatable":17179869184,"used":17179869184,"idle":0,"releasing":0},"pods":{"allocatable":110,"used":3}}},)"
    R"({"node":"n2","unschedulable":true,"pods":0,"resources":{"cpu":{"allocatable":16,"used":0,"idle":16,"releasing":0}}}]})";

TEST(ViewTables, ShowARowForEachNode) {
  EXPECT_EQ(list_of(ViewKind::kNodes, kNodes).table({.width = 80}),
            "NODE  STATE     PODS   cpu                     memory\n"
            "n1                 3   4/8  [###---      ]  16Gi/16Gi  [############]\n"
            "n2    cordoned     0  0/16  [            ]          -\n"
            "\n"
            "2 nodes: cpu 4/24 (17 %), memory 16Gi/16Gi (100 %) used\n");
}

TEST(ViewTables, SayWhichNodeIsNotReady) {
  const auto text =
      list_of(ViewKind::kNodes, R"({"nodes":[{"node":"n1","unschedulable":true,"ready":false,"pods":0,"resources":{}}]})")
          .table({});
  EXPECT_NE(text.find("n1    not ready"), std::string::npos) << text;
}

TEST(ViewTables, ANarrowPageHasARowForEachResource) {
  const auto text = list_of(ViewKind::kNodes, kNodes).table({.width = 36});
  EXPECT_NE(text.find("n1                 3  cpu             4/8\n"), std::string::npos) << text;
  EXPECT_NE(text.find("                      memory    16Gi/16Gi\n"), std::string::npos) << text;
}

TEST(ViewTables, ResourcesAreChosen) {
  const auto text = list_of(ViewKind::kNodes, kNodes, {.resources = {"pods"}}).table({});
  EXPECT_NE(text.find("2 nodes: pods 3/110 (3 %) used\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("cpu"), std::string::npos) << text;
}

TEST(ViewTables, AResourceThatNobodyHasIsUnknown) {
  EXPECT_EQ(refusal_of_list(ViewKind::kNodes, kNodes, {.resources = {"memroy"}}),
            "no node has a resource called \"memroy\"; did you mean \"memory\"?");
  EXPECT_EQ(refusal_of_list(ViewKind::kQueues, kQueues, {.resources = {"nope"}}), "no queue has a resource called \"nope\"");
  EXPECT_EQ(refusal_of_list(ViewKind::kNodes, kNodes, {.resources = {"*/gpu"}}), "");
  EXPECT_EQ(refusal_of_list(ViewKind::kNodes, R"({"nodes":[]})", {.resources = {"cpu"}}), "");
}

TEST(ViewTables, CutBetweenCharacters) {
  EXPECT_EQ(cut_to("äöü", 3), "äöü");
  EXPECT_EQ(cut_to("äöüx", 3), "äö…");
}

}  // namespace
}  // namespace muster
