#include "codec/kai_snapshot.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Input input_of(const std::string& text) { return std::move(*Input::of_text(text, "s.zip/snapshot.json")); }

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  const auto read = read_objects(input_of(text), [&](Object&& object, const Location&) -> Result<void> {
    names.push_back(object_name(object));
    return {};
  });
  if (!read) names.push_back("! " + read.error().text());
  return names;
}

TEST(KaiSnapshot, IsToldByItsFirstKey) {
  EXPECT_TRUE(is_kai_snapshot(input_of(" {\"config\": {}}")));
  EXPECT_TRUE(is_kai_snapshot(input_of("{\"rawObjects\":{}}")));
  for (const auto* other : {"", "{", "{}", "[]", "config: {}", R"({"kind":"Pod"})", R"({"configs":{}})"})
    EXPECT_FALSE(is_kai_snapshot(input_of(other))) << other;
}

TEST(KaiSnapshot, HandsOutItsObjects) {
  EXPECT_EQ(names_in(R"({"config":{},"rawObjects":{
      "pods":[{"metadata":{"name":"p","namespace":"a"}}],"nodes":[{"metadata":{"name":"n"}}],"queues":[{"metadata":{"name":"q"}}],
      "podGroups":[{"metadata":{"name":"g","namespace":"a"}}],"topologies":null,"newThings":[{}]},"discovery":{}})"),
            (std::vector<std::string>{"Pod a/p", "Node n", "Queue q", "PodGroup a/g"}));
}

TEST(KaiSnapshot, NotesKeysThatItDoesNotKnow) {
  const auto read = read_objects(input_of(R"({"config":{},"discvery":{},"rawObjects":{"podGroup":[],"pods":[]},
      "schedulerParams":{"schedulePeriod":1,"scheduleCSIStorag":true}})"),
                                 [](Object&&, const Location&) { return Result<void>(); });
  ASSERT_TRUE(read);
  std::vector<std::string> notes;
  for (const auto& [what, who] : read->unknown_fields) notes.push_back(who.object + ": " + what);
  EXPECT_EQ(notes,
            (std::vector<std::string>{
                "the snapshot: discvery is no field of a snapshot and is passed over; did you mean \"discovery\"?",
                "the snapshot: rawObjects.podGroup is no field of a snapshot and is passed over; did you mean \"podGroups\"?",
                "the snapshot: schedulerParams.scheduleCSIStorag is no field of a snapshot and is passed over; did you mean "
                "\"scheduleCSIStorage\"?"}));
}

TEST(KaiSnapshot, NamesWhatIsWrong) {
  EXPECT_EQ(names_in(R"({"rawObjects":{"pods":[{"metadata":{"name":"p"},"spec":{"priority":"high"}}]}})"),
            (std::vector<std::string>{"! s.zip/snapshot.json:1:68: Pod p: spec.priority: must be an integer, not a string"}));
  EXPECT_TRUE(names_in(R"({"rawObjects":{"pods":[)").front().starts_with("! s.zip/snapshot.json:1:"));
  EXPECT_TRUE(names_in(R"({"rawObjects":3})").front().starts_with("! s.zip/snapshot.json:1:"));
  EXPECT_TRUE(names_in(R"({"rawObjects":{}} {})").front().starts_with("! s.zip/snapshot.json:1:"));
}

TEST(KaiSnapshot, TellsHowTheSchedulerWasSetUp) {
  const auto settings = read_kai_snapshot_settings(input_of(R"({"config":{"actions":"allocate, reclaim"},"schedulerParams":{
      "schedulerName":"kai","partitionParams":{"NodePoolLabelKey":"pool","NodePoolLabelValue":"a"},
      "maxNumberConsolidationPreemptees":16,"useSchedulingSignatures":true,"globalDefaultStalenessGracePeriod":60000000000}})"));
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->config, R"({"actions":"allocate, reclaim"})");
  const std::map<std::string, std::string> flags = {{"allow-consolidating-reclaim", "false"},
                                                    {"default-staleness-grace-period", "60000000000ns"},
                                                    {"full-hierarchy-fairness", "false"},
                                                    {"max-consolidation-preemptees", "16"},
                                                    {"nodepool-label-key", "pool"},
                                                    {"partition-label-value", "a"},
                                                    {"restrict-node-scheduling", "false"},
                                                    {"schedule-csi-storage", "false"},
                                                    {"scheduler-name", "kai"},
                                                    {"stuck-in-releasing-threshold", "0s"},
                                                    {"use-scheduling-signatures", "true"}};
  EXPECT_EQ(settings->flags, flags);
  EXPECT_TRUE(read_kai_snapshot_settings(input_of(R"({"config":null})"))->config.empty());
}

}  // namespace
}  // namespace muster
