#include <gtest/gtest.h>

#include "daemon/event_body.h"
#include "daemon/event_filter.h"
#include "daemon/log.h"

namespace muster::daemon {
namespace {

Event an_event(const std::string& note, const std::string& reason = "Unschedulable") {
  return {.about = {"ns", "p", "u1", ""}, .type = "Warning", .reason = reason, .action = "Scheduling", .note = note};
}

TEST(EventFilter, SaysEachThingOnceUntilItChanges) {
  EventFilter filter;
  const auto passes = [&](const Event& event) { return filter.is_news(event); };
  EXPECT_TRUE(passes(an_event("a")));
  EXPECT_FALSE(passes(an_event("a")));
  EXPECT_TRUE(passes(an_event("b")));
  EXPECT_TRUE(passes(an_event("a")));
  EXPECT_TRUE(passes(an_event("a", "Evict")));
  EXPECT_FALSE(passes(an_event("a")));
  filter.forget("u1");
  EXPECT_EQ(filter.size(), 0u);
  EXPECT_TRUE(passes(an_event("a")));
}

TEST(EventFilter, NumbersAreNoNewsAndNamesAre) {
  EventFilter filter;
  const auto is_news = [&](const std::string& text) { return filter.is_news(an_event(text)); };
  EXPECT_TRUE(is_news("0/3 nodes are unavailable: 2 Insufficient cpu, 1 node(s) are cordoned."));
  EXPECT_FALSE(is_news("0/12 nodes are unavailable: 1 Insufficient cpu, 11 node(s) are cordoned."));
  EXPECT_TRUE(is_news("0/12 nodes are unavailable: 12 Insufficient cpu."));
  EXPECT_TRUE(is_news("cpu 2.5, memory 8"));
  EXPECT_FALSE(is_news("cpu 2, memory 8.25"));
  for (const auto* name : {"for ns/job-1", "for ns/job-2", "for ns/3", "for ns/4", "on n1", "on n2", "on 1a", "on 2a", "2 of a.1"})
    EXPECT_TRUE(is_news(name)) << name;
}

TEST(EventBody, HasAllThatTheApiAsksFor) {
  EXPECT_EQ(event_body(an_event("no room"), "volcano", "host_1", {1'700'000'000, 5000}, 7),
            R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"p.6553f100000013887","namespace":"ns"},)"
            R"("eventTime":"2023-11-14T22:13:20.000005Z","type":"Warning","reason":"Unschedulable","action":"Scheduling",)"
            R"("note":"no room","reportingController":"volcano","reportingInstance":"host_1",)"
            R"("regarding":{"apiVersion":"v1","kind":"Pod","namespace":"ns","name":"p","uid":"u1"}})");
}

TEST(EventBody, CutsLongNotesBetweenCharacters) {
  std::string note(1023, 'x');
  note += "\xc3\xa4 and more";  // two bytes, of which one would fit
  const auto body = event_body(an_event(note), "c", "i", {}, 1);
  EXPECT_NE(body.find(std::string(1023, 'x') + "\""), std::string::npos);
}

TEST(EventBody, HasItsAnnotations) {
  auto event = an_event("n");
  event.annotations = {{"a", "1"}, {"b", "2"}};
  EXPECT_NE(event_body(event, "c", "i", {}, 1).find(R"("namespace":"ns","annotations":{"a":"1","b":"2"}})"), std::string::npos);
}

struct FixedClock final : kube::Clock {
  kube::Instant now() const override { return {}; }
  Timestamp wall() const override { return {1'700'000'000, 0}; }
};

TEST(Log, LinesOfDecisionsSayByWhomTheyWereMade) {
  const FixedClock clock{};
  std::string out;
  const auto keep = [&](std::string_view line) { out += line.substr(line.find(' ') + 1); };
  Log log({.level = LogLevel::kDebug, .json = false}, clock, keep);
  log.warn("a bind failed", {7, "allocate"}, {{"pod", "ns/p"}});
  log.debug("of no action", {7}, {});
  log.info("of no cycle", Decided(), {{"pod", "ns/p"}});
  EXPECT_EQ(out,
            "warning \"a bind failed\" cycle=7 action=allocate pod=ns/p\n"
            "debug \"of no action\" cycle=7\n"
            "info \"of no cycle\" pod=ns/p\n");
}

TEST(Log, LinesForPeopleAndForPrograms) {
  const FixedClock clock{};
  std::string out;
  const auto keep = [&](std::string_view line) { out += line; };
  Log({.level = LogLevel::kInfo, .json = false}, clock, keep).info("a sentence", {{"pod", "ns/p"}, {"why", "two words"}});
  Log({.level = LogLevel::kInfo, .json = false}, clock, keep).debug("not shown");
  Log({.level = LogLevel::kInfo, .json = true}, clock, keep).warn("odd", {{"pod", "ns/p"}});
  EXPECT_EQ(out,
            "2023-11-14T22:13:20.000000Z info \"a sentence\" pod=ns/p why=\"two words\"\n"
            R"({"time":"2023-11-14T22:13:20.000000Z","level":"warning","message":"odd","pod":"ns/p"})"
            "\n");
}

}  // namespace
}  // namespace muster::daemon
