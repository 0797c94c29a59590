#include "engine/pod_shape.h"

#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace muster {
namespace {

TEST(PodShape, EqualShapesHaveEqualKeys) {
  PodShape a, b;
  for (auto* shape : {&a, &b}) {
    shape->request.set(kCpu, 100);
    shape->node_selector.set("disk", "ssd");
    shape->tolerations.push_back({"team", TolerationOp::kExists, "", std::nullopt});
  }
  EXPECT_EQ(a.key(), b.key());
}

// Whatever a filter or score can look at tells shapes apart.
TEST(PodShape, EveryFieldTellsShapesApart) {
  const std::function<void(PodShape&)> changes[] = {
      [](PodShape&) {},
      [](PodShape& s) { s.request.set(kCpu, 100); },
      [](PodShape& s) { s.request.set(kMemory, 100); },
      [](PodShape& s) { s.request.set(kCpu, 0); },  // named, at zero
      [](PodShape& s) { s.limits.set(kCpu, 100); },
      [](PodShape& s) { s.best_effort = true; },
      [](PodShape& s) { s.nonzero_milli_cpu = 1; },
      [](PodShape& s) { s.nonzero_memory = 1; },
      [](PodShape& s) { s.node_selector.set("a", "b"); },
      [](PodShape& s) { s.node_selector.set("ab", ""); },
      [](PodShape& s) { s.node_required.emplace(); },
      [](PodShape& s) { s.node_required = NodeSelector{{{}}}; },
      [](PodShape& s) { s.node_required = NodeSelector{{{{{"a", SelectorOp::kExists, {}}}, {}}}}; },
      [](PodShape& s) { s.node_required = NodeSelector{{{{}, {{"a", SelectorOp::kExists, {}}}}}}; },
      [](PodShape& s) { s.node_preferred.push_back({1, {}}); },
      [](PodShape& s) { s.node_preferred.push_back({2, {}}); },
      [](PodShape& s) { s.tolerations.push_back({"a", TolerationOp::kEqual, "", std::nullopt}); },
      [](PodShape& s) { s.tolerations.push_back({"a", TolerationOp::kExists, "", std::nullopt}); },
      [](PodShape& s) { s.tolerations.push_back({"a", TolerationOp::kEqual, "", TaintEffect::kNoSchedule}); },
      [](PodShape& s) { s.host_ports.push_back({80, "", "TCP"}); },
      [](PodShape& s) { s.host_ports.push_back({80, "", "UDP"}); },
      [](PodShape& s) { s.host_ports.push_back({80, "127.0.0.1", "TCP"}); },
      [](PodShape& s) { s.images = {"a", "b"}; },
      [](PodShape& s) { s.images = {"ab"}; },
      [](PodShape& s) { s.image_containers = 1; },
      [](PodShape& s) { s.claims = {"a"}; },
      [](PodShape& s) { s.restartable_init = true; },
  };
  std::set<std::string> keys;
  for (const auto& change : changes) {
    PodShape shape;
    change(shape);
    keys.insert(shape.key());
  }
  EXPECT_EQ(keys.size(), std::size(changes));
}

TEST(PodTerms, EveryFieldTellsTermsApart) {
  PodAffinityTerm term;
  term.topology_key = "zone";
  const std::function<void(PodTerms&)> changes[] = {
      [](PodTerms&) {},
      [&](PodTerms& t) { t.affinity.push_back(term); },
      [&](PodTerms& t) { t.anti_affinity.push_back(term); },
      [&](PodTerms& t) { t.preferred.push_back({1, term}); },
      [&](PodTerms& t) { t.preferred.push_back({2, term}); },
      [&](PodTerms& t) { t.anti_preferred.push_back({1, term}); },
      [&](PodTerms& t) { t.affinity.push_back(term), t.affinity[0].selector.emplace(); },
      [&](PodTerms& t) { t.affinity.push_back(term), t.affinity[0].namespace_selector.emplace(); },
      [&](PodTerms& t) { t.affinity.push_back(term), t.affinity[0].namespaces = {"n"}; },
      [&](PodTerms& t) { t.affinity.push_back(term), t.affinity[0].match_label_keys = {"n"}; },
      [&](PodTerms& t) { t.affinity.push_back(term), t.affinity[0].mismatch_label_keys = {"n"}; },
      [](PodTerms& t) { t.spread.push_back({}); },
      [](PodTerms& t) { t.spread.push_back({}), t.spread[0].max_skew = 2; },
      [](PodTerms& t) { t.spread.push_back({}), t.spread[0].action = SpreadAction::kScheduleAnyway; },
      [](PodTerms& t) { t.spread.push_back({}), t.spread[0].min_domains = 2; },
      [](PodTerms& t) { t.spread.push_back({}), t.spread[0].node_taints = NodeInclusion::kHonor; },
      [](PodTerms& t) { t.spread.push_back({}), t.spread[0].node_affinity = NodeInclusion::kIgnore; },
  };
  std::set<std::string> keys;
  for (const auto& change : changes) {
    PodTerms terms;
    change(terms);
    keys.insert(terms.key());
  }
  EXPECT_EQ(keys.size(), std::size(changes));
  EXPECT_TRUE(PodTerms().empty());
}

}  // namespace
}  // namespace muster
