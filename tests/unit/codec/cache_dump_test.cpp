#include "codec/cache_dump.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

// What the scheduler writes, cut down: six maps, one after another.
constexpr std::string_view kDump =
    R"({"n1":{"Name":"n1","Node":{"metadata":{"name":"n1","creationTimestamp":null},"spec":{},"status":{"allocatable":{"cpu":"4"}}},"State":{"Phase":0},)"
    R"("Idle":{"MilliCPU":4000},"Tasks":{"u1":{"UID":"u1","NodeName":"n1","Pod":{"metadata":{"name":"p1","namespace":"ns"},"spec":{"containers":[]},"status":{}}}}}})"
    "\n"
    R"({"1":{"h1":{}}})"
    "\n"
    R"({"rack":1})"
    "\n"
    R"({"h1":{"n1":{}}})"
    "\n"
    R"({"h1":{"Name":"h1","HyperNode":{"metadata":{"name":"h1"},"spec":{"tier":1,"members":[]}},"Parent":"","Children":{}}})"
    "\n"
    R"({"ns/j":{"UID":"ns/j","Name":"j","Queue":"q1","Priority":100,"Tasks":{"u1":{"Pod":{"metadata":{"name":"p1","namespace":"ns"}}},)"
    R"("u2":{"Pod":{"metadata":{"name":"p2","namespace":"ns"},"spec":{"schedulerName":"volcano"},"status":{"phase":"Pending"}}}},)"
    R"("PodGroup":{"name":"j","namespace":"ns","creationTimestamp":"2026-01-01T00:00:00Z","annotations":{"a":"b"},)"
    R"("Spec":{"MinMember":2,"MinTaskMember":{"Worker":2},"Queue":"q1","PriorityClassName":"high","MinResources":{"cpu":"2"},"NetworkTopology":{"Mode":"hard","HighestTierAllowed":1}},)"
    R"("Status":{"Phase":"Inqueue","Conditions":[{"Type":"Scheduled","Status":"True","TransitionID":"t","LastTransitionTime":null}],"Running":0},"Version":"v1beta1"}}})"
    "\n";

struct Reading {
  std::vector<Object> objects;
  std::vector<std::string> names;
  ReadStats stats;
  std::string error;
};

Reading read(std::string_view text) {
  Reading reading;
  auto stats = read_objects_text(text, "snapshot.json", [&](Object&& object, const Location&) -> Result<void> {
    reading.names.push_back(object_name(object));
    reading.objects.push_back(std::move(object));
    return {};
  });
  if (stats)
    reading.stats = *stats;
  else
    reading.error = stats.error().text();
  return reading;
}

using Strings = std::vector<std::string>;

TEST(CacheDump, IsToldFromObjects) {
  EXPECT_TRUE(is_cache_dump(*Input::of_text(kDump, "f")));
  for (const std::string_view text : {"", "{}", "[]", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})",
                                      R"({"metadata":{"name":"a"}})", R"({"a)", R"({"a":1})"})
    EXPECT_FALSE(is_cache_dump(*Input::of_text(text, "f"))) << text;
}

TEST(CacheDump, YieldsItsObjectsOnce) {
  const auto reading = read(kDump);
  ASSERT_EQ(reading.error, "");
  EXPECT_EQ(reading.names,
            (Strings{"Node n1", "Pod ns/p1", "HyperNode h1", "Pod ns/p2", "PodGroup ns/j", "Queue q1", "PriorityClass high"}));
  EXPECT_EQ(reading.stats.objects, 7u);
}

TEST(CacheDump, TakesThePodsNodeFromTheCache) {
  const auto reading = read(kDump);
  ASSERT_EQ(reading.objects.size(), 7u);
  EXPECT_EQ(std::get<Pod>(reading.objects[1]).spec.node_name, "n1");
  EXPECT_EQ(std::get<Pod>(reading.objects[3]).spec.node_name, "");
}

TEST(CacheDump, ReadsThePodGroupAsTheSchedulerKeepsIt) {
  const auto reading = read(kDump);
  ASSERT_EQ(reading.objects.size(), 7u);
  const auto& group = std::get<PodGroup>(reading.objects[4]);
  EXPECT_EQ(group.meta.created.seconds, 1'767'225'600);
  EXPECT_EQ(group.meta.annotations.get("a"), "b");
  EXPECT_EQ(group.min_member, 2);
  EXPECT_EQ(group.min_task_member, (std::map<std::string, std::int32_t>{{"Worker", 2}}));
  EXPECT_EQ(group.min_resources->at("cpu").units(), 2);
  EXPECT_EQ(group.topology->highest_tier, 1);
  EXPECT_EQ(group.phase, "Inqueue");
  EXPECT_EQ(group.conditions.at(0).transition_id, "t");
}

TEST(CacheDump, SaysWhatItMadeUp) {
  const auto reading = read(kDump);
  ASSERT_EQ(reading.objects.size(), 7u);
  EXPECT_EQ(std::get<Queue>(reading.objects[5]).weight, 1);
  EXPECT_EQ(std::get<Queue>(reading.objects[5]).state, "Open");
  EXPECT_EQ(std::get<PriorityClass>(reading.objects[6]).value, 100);
  EXPECT_EQ(reading.stats.notes, (Strings{"the snapshot holds no queues: q1 is taken to be open with weight 1",
                                          "the snapshot holds no priority classes: high is 100, as its jobs have it"}));
}

TEST(CacheDump, NamesWhatIsWrong) {
  EXPECT_EQ(read(R"({"n1":{"Name":"n1","Node":{"metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"x"}}},"Tasks":{}}})").error,
            "snapshot.json:1:84: Node n1: status.allocatable.cpu: \"x\" is not a quantity: it has no digits");
  EXPECT_EQ(read(R"({"n1":{"Name":"n1","Node":{"metadata":{"name":"n1"}},"Tasks":[]}})").error,
            "snapshot.json:1:62: n1.Tasks: must be an object, not a list");
  EXPECT_EQ(read(R"({"n1":{"Name":"n1","Node":5,"Tasks":{)").error.substr(0, 20), "snapshot.json:1:38: ");
}

}  // namespace
}  // namespace muster
