#include "daemon/decision_log.h"

#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

Effects some(int number) {
  Effects effects;
  effects.binds.push_back(
      {.pod = {"ns", "b" + std::to_string(number), "u", ""}, .node = "n1", .group = "ns/j", .rule = "allocate"});
  effects.evictions.push_back({.pod = {"ns", "e" + std::to_string(number), "u", ""},
                               .group = "ns/k",
                               .node = "n2",
                               .rule = "preempt",
                               .for_group = "ns/j",
                               .for_pod = "ns/j-0"});
  return effects;
}

TEST(DecisionLog, HasTheLatestFirst) {
  DecisionLog log;
  log.add(7, {1'767'225'600, 0}, some(1));
  EXPECT_EQ(log.json({}),
            R"({"decisions":[{"number":2,"time":"2026-01-01T00:00:00Z","cycle":7,"kind":"evict","pod":"ns/e1","job":"ns/k",)"
            R"("node":"n2","rule":"preempt","for_job":"ns/j","for_pod":"ns/j-0",)"
            R"("why":"a job of the same queue needs the room, and the plugins let this pod go for it"},)"
            R"({"number":1,"time":"2026-01-01T00:00:00Z","cycle":7,"kind":"bind","pod":"ns/b1","job":"ns/j","node":"n1",)"
            R"("rule":"allocate"}]})");
  ASSERT_EQ(log.evictions().size(), 1u);
  EXPECT_EQ(log.evictions()[0].for_job, "ns/j");
}

TEST(DecisionLog, HasABound) {
  DecisionLog log(8, 4);
  for (int i = 0; i < 100; ++i) log.add(1, {}, some(i));
  EXPECT_EQ(log.evictions().size(), 2u);
  EXPECT_EQ(log.evictions().back().pod, "ns/e99");
  EXPECT_NE(log.json({}).find("ns/b98"), std::string::npos);
  EXPECT_EQ(log.json({}).find("ns/b97"), std::string::npos) << "only the latest are listed";
  const auto more = timeline_json(log.events_of("ns/j"), {});
  std::size_t bound = 0;
  for (auto at = more.find(" bound "); at != std::string::npos; at = more.find(" bound ", at + 1)) ++bound;
  EXPECT_EQ(bound, 4u) << more;
}

TEST(DecisionLog, OlderOnesAreToldOnDemand) {
  DecisionLog log(8, 4);
  for (int i = 0; i < 4; ++i) log.add(1, {}, some(i));
  log.add_failure({}, some(9).binds[0], DecisionEntry::Kind::kFailedBind, "no such node");  // which has a number, and is none
  const auto numbers = [&](const DecisionLog::Part& part) {
    std::string out;
    const auto text = log.json(part);
    for (auto at = text.find("\"number\":"); at != std::string::npos; at = text.find("\"number\":", at + 1))
      out += text.substr(at + 9, 1);
    return out;
  };
  EXPECT_EQ(numbers({}), "8765");
  EXPECT_EQ(numbers({.before = 5}), "432") << "the first was forgotten for the last";
  EXPECT_EQ(numbers({.before = 5, .most = 2}), "43");
  EXPECT_EQ(numbers({.before = 2}), "");
  EXPECT_EQ(numbers({.before = 1}), "");
  EXPECT_EQ(numbers({.before = 1000, .most = 100}), "8765432");
}

// One cycle lets a job in and binds its pods, and the server tells of the first only afterwards.
TEST(DecisionLog, InATimelineAJobIsLetInBeforeItIsBound) {
  const auto order_of = [](const std::vector<TimelineEvent>& decided, const std::vector<TimelineEvent>& told) {
    std::string out;
    const auto text = timeline_json(decided, told);
    for (auto at = text.find("\"time\":\""); at != std::string::npos; at = text.find("\"time\":\"", at + 1)) {
      const auto kind = text.find("\"kind\":\"", at) + 8;
      out += (out.empty() ? "" : " ") + text.substr(at + 26, 1) + text.substr(kind, text.find('"', kind) - kind);
    }
    return out;
  };
  const auto at = [](int second, const char* kind) { return TimelineEvent{{1'767'225'600 + second, 0}, kind, ""}; };
  EXPECT_EQ(order_of({at(2, "bind")}, {at(4, "running"), at(3, "let-in"), at(1, "waiting"), at(0, "created")}),
            "4running 2bind 2let-in 1waiting 0created");
  EXPECT_EQ(order_of({at(3, "bind"), at(2, "made-way")}, {at(5, "let-in"), at(4, "running"), at(0, "created")}),
            "4running 3bind 2made-way 2let-in 0created");
  EXPECT_EQ(order_of({at(6, "bind"), at(2, "evict"), at(1, "bind")}, {at(7, "let-in"), at(3, "waiting"), at(0, "let-in")}),
            "6bind 6let-in 3waiting 2evict 1bind 0let-in")
      << "each before what came of it, and no further";
}

TEST(DecisionLog, ATimelineTellsWhatWasDecidedTogetherAsOne) {
  DecisionLog log;
  Effects effects;
  for (int i = 0; i < 9; ++i)
    effects.binds.push_back({.pod = {"ns", "j-" + std::to_string(i), "u", ""},
                             .node = "n" + std::to_string(i / 2),
                             .group = i == 8 ? "ns/other" : "ns/j",
                             .rule = "allocate"});
  log.add(7, {1'767'225'600, 0}, effects);
  log.add_failure({1'767'225'601, 0}, effects.binds[3], DecisionEntry::Kind::kFailedBind, "no such node");
  log.add(9, {1'767'225'602, 0}, some(1));
  EXPECT_EQ(
      timeline_json(log.events_of("ns/j"), {}),
      R"({"events":[{"time":"2026-01-01T00:00:02Z","kind":"made-way","text":"1 pod of ns/k evicted from n2 for it by preempt"},)"
      R"({"time":"2026-01-01T00:00:02Z","kind":"bind","text":"1 pod bound to n1 by allocate"},)"
      R"({"time":"2026-01-01T00:00:01Z","kind":"failed-bind","text":"the bind of ns/j-3 to n1 failed: no such node"},)"
      R"({"time":"2026-01-01T00:00:00Z","kind":"bind","text":"8 pods bound to n0, n1, n2, n3 by allocate"}]})");
  EXPECT_EQ(timeline_json(log.events_of("ns/k"), {}),
            R"({"events":[{"time":"2026-01-01T00:00:02Z","kind":"evict","text":"1 pod evicted from n2 by preempt for ns/j: )"
            R"(a job of the same queue needs the room, and the plugins let this pod go for it"}]})");
  EXPECT_EQ(timeline_json(log.events_of("ns/nobody"), {}), R"({"events":[]})");
  EXPECT_EQ(log.json({}).find("failed"), std::string::npos) << "it was no decision";
}

TEST(DecisionLog, FailuresWithTheSameAnswerAreOneEvent) {
  DecisionLog log;
  for (int i = 0; i < 4; ++i) {
    const Bind bind{
        .pod = {"ns", "j-" + std::to_string(i), "u", ""}, .node = "n" + std::to_string(i / 2), .group = "ns/j", .rule = "allocate"};
    log.add_failure({1'767'225'600 + i, 0}, bind, DecisionEntry::Kind::kFailedBind, i == 3 ? "no such node" : "the node is locked");
  }
  EXPECT_EQ(
      timeline_json(log.events_of("ns/j"), {}),
      R"({"events":[{"time":"2026-01-01T00:00:03Z","kind":"failed-bind","text":"the bind of ns/j-3 to n1 failed: no such node"},)"
      R"({"time":"2026-01-01T00:00:02Z","kind":"failed-bind",)"
      R"("text":"the binds of 3 pods to n0, n1 failed: the node is locked"}]})");
}

TEST(DecisionLog, BindsThatNobodyWasAskedForAreToldApartFromThoseThatFailed) {
  using Kind = DecisionEntry::Kind;
  DecisionLog log;
  const auto bind = [](const std::string& name, const std::string& node) {
    return Bind{.pod = {"ns", name, "u", ""}, .node = node, .group = "ns/j", .rule = "allocate"};
  };
  log.add_failure({1'767'225'600, 0}, bind("a", "n0"), Kind::kUnpreparedBind, "no volume was found");
  log.add_failure({1'767'225'601, 0}, bind("b", "n0"), Kind::kUnsentBind, "another pod cannot be bound");
  log.add_failure({1'767'225'601, 0}, bind("c", "n1"), Kind::kUnsentBind, "another pod cannot be bound");
  log.add_failure({1'767'225'602, 0}, bind("d", "n1"), Kind::kUnsentBind, "we no longer lead");
  EXPECT_EQ(timeline_json(log.events_of("ns/j"), {}),
            R"({"events":[{"time":"2026-01-01T00:00:02Z","kind":"unsent-bind",)"
            R"("text":"the bind of ns/d to n1 was not sent: we no longer lead"},)"
            R"({"time":"2026-01-01T00:00:01Z","kind":"unsent-bind",)"
            R"("text":"the binds of 2 pods to n0, n1 were not sent: another pod cannot be bound"},)"
            R"({"time":"2026-01-01T00:00:00Z","kind":"failed-bind",)"
            R"("text":"the bind of ns/a to n0 could not be prepared: no volume was found"}]})");
  EXPECT_EQ(log.json({}), R"({"decisions":[]})") << "they were no decisions";
}

TEST(DecisionLog, SaysWhoseNumbersTheyAre) { EXPECT_EQ(DecisionLog().json({}, "me"), R"({"decisions":[],"process":"me"})"); }

}  // namespace
}  // namespace muster::daemon
