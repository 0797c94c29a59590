// The kinds of patch, on trees alone.

#include <gtest/gtest.h>

#include "sim/field_managers.h"
#include "sim/json_patch.h"
#include "sim/strategic_merge.h"
#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

TEST(Tree, KeepsNumbersOrderAndTheLastOfEqualKeys) {
  EXPECT_EQ(json(R"( {"b":1.50,"a":[1e3,-0,null,true,"x\u00e9\n"],"b":2} )").text(), R"({"a":[1e3,-0,null,true,"xé\n"],"b":2})");
  for (const char* bad : {"", "{", "{\"a\":1}x", "[1,]", "nul", "\"\xff\"", "{\"a\" 1}"}) EXPECT_FALSE(Tree::parse(bad)) << bad;
  EXPECT_EQ(json(R"({"a":1,"b":{"c":[2]}})"), json(R"({"b":{"c":[2]},"a":1})"));
  EXPECT_FALSE(json(R"({"a":1})") == json(R"({"a":"1"})"));
}

TEST(JsonPatch, Operations) {
  const struct {
    const char* before;
    const char* patch;
    const char* after;  // nullptr: refused
  } cases[] = {
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])", R"({"a":1,"b":2})"},
      {R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2,3]})"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])", R"({"a":[1,2]})"},
      {R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/1"}])", R"({"a":[1,3]})"},
      {R"({"a/b":1,"c~d":2})", R"([{"op":"remove","path":"/a~1b"},{"op":"replace","path":"/c~0d","value":3}])", R"({"c~d":3})"},
      {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/c"}])", R"({"a":{},"c":1})"},
      {R"({"a":{"b":1}})", R"([{"op":"copy","from":"/a","path":"/c"},{"op":"test","path":"/c","value":{"b":1}}])",
       R"({"a":{"b":1},"c":{"b":1}})"},
      {R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])", nullptr},
      {R"({"a":1})", R"([{"op":"remove","path":"/b"}])", nullptr},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/5","value":2}])", nullptr},
      {R"({"a":[1]})", R"([{"op":"replace","path":"/a/01","value":2}])", nullptr},
      {R"({"a":1})", R"([{"op":"shout","path":"/a"}])", nullptr},
      {R"({"a":1})", R"({"a":2})", nullptr},
  };
  for (const auto& one : cases) {
    const auto after = json_patched(json(one.before), json(one.patch));
    ASSERT_EQ(after.has_value(), one.after != nullptr) << one.patch;
    if (!after) continue;
    EXPECT_EQ(*after, json(one.after)) << one.patch << " -> " << after->text();
  }
}

TEST(JsonPatch, CopiesOfCopiesHaveABound) {
  std::string operations = R"([{"op":"add","path":"/a","value":"0123456789"})";
  for (int i = 0; i < 60; ++i) operations += R"(,{"op":"copy","from":"","path":"/b)" + std::to_string(i) + R"("})";
  const auto after = json_patched(json("{}"), json(operations + "]"));
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code, 422);
}

TEST(MergePatch, Rfc7386) {
  EXPECT_EQ(merge_patched(json(R"({"a":{"b":1,"c":2},"d":[1,2]})"), json(R"({"a":{"b":null,"e":3},"d":[4]})")),
            json(R"({"a":{"c":2,"e":3},"d":[4]})"));
  EXPECT_EQ(merge_patched(json(R"({"a":1})"), json(R"({"a":{"b":{"c":null}}})")), json(R"({"a":{"b":{}}})"));
  EXPECT_EQ(merge_patched(json("[1]"), json("7")), json("7"));
}

TEST(StrategicMerge, ListsAndDirectives) {
  const struct {
    const char* before;
    const char* patch;
    const char* after;
  } cases[] = {
      {R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}})",
       R"({"spec":{"containers":[{"name":"b","image":"2"},{"name":"c","image":"3"}]}})",
       R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"},{"name":"c","image":"3"}]}})"},
      {R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})", R"({"spec":{"containers":[{"name":"a","$patch":"delete"}]}})",
       R"({"spec":{"containers":[{"name":"b"}]}})"},
      {R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})", R"({"spec":{"containers":[{"$patch":"replace"},{"name":"c"}]}})",
       R"({"spec":{"containers":[{"name":"c"}]}})"},
      {R"({"spec":{"tolerations":[{"key":"a"}]}})", R"({"spec":{"tolerations":[{"key":"b"}]}})",
       R"({"spec":{"tolerations":[{"key":"b"}]}})"},
      {R"({"metadata":{"finalizers":["a","b"]}})",
       R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"finalizers":["c"]}})",
       R"({"metadata":{"finalizers":["b","c"]}})"},
      {R"({"status":{"conditions":[{"type":"A","status":"True"}]}})",
       R"({"status":{"$setElementOrder/conditions":[{"type":"B"},{"type":"A"}],"conditions":[{"type":"B","status":"True"}]}})",
       R"({"status":{"conditions":[{"type":"B","status":"True"},{"type":"A","status":"True"}]}})"},
      {R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"x":1}}}})",
       R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})", R"({"spec":{"strategy":{"type":"Recreate"}}})"},
      {R"({"a":{"b":1,"c":2}})", R"({"a":{"$patch":"replace","d":3}})", R"({"a":{"d":3}})"},
      {R"({"a":{"b":1}})", R"({"a":{"b":null,"c":2}})", R"({"a":{"c":2}})"},
      {R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"x"}]}]}})",
       R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"y"}]}]}})",
       R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"y"}]}]}})"},
      {R"({"status":{"reservedFor":[{"uid":"1","name":"p"}]}})", R"({"status":{"reservedFor":[{"uid":"2","name":"q"}]}})",
       R"({"status":{"reservedFor":[{"uid":"1","name":"p"},{"uid":"2","name":"q"}]}})"},
      {R"({"status":{"reservedFor":[{"uid":"1","name":"p"},{"uid":"2","name":"q"}]}})",
       R"({"status":{"reservedFor":[{"uid":"1","$patch":"delete"}]}})", R"({"status":{"reservedFor":[{"uid":"2","name":"q"}]}})"},
      {R"({"spec":{"drivers":[{"name":"a","nodeID":"n"}]}})", R"({"spec":{"drivers":[{"name":"b","nodeID":"n"}]}})",
       R"({"spec":{"drivers":[{"name":"a","nodeID":"n"},{"name":"b","nodeID":"n"}]}})"},
      {R"({"spec":{"devices":[{"name":"d","taints":[{"key":"a","effect":"NoExecute"}]}]}})",
       R"({"spec":{"devices":[{"name":"e"}]}})", R"({"spec":{"devices":[{"name":"e"}]}})"},
      {R"({"imagePullSecrets":[{"name":"a"}],"secrets":[{"name":"a"}]})",
       R"({"imagePullSecrets":[{"name":"b"}],"secrets":[{"name":"b"}]})",
       R"({"imagePullSecrets":[{"name":"b"}],"secrets":[{"name":"a"},{"name":"b"}]})"},
  };
  for (const auto& one : cases) {
    const auto after = strategically_merged(json(one.before), json(one.patch));
    ASSERT_TRUE(after.has_value()) << one.patch;
    EXPECT_EQ(*after, json(one.after)) << one.patch << " -> " << after->text();
  }
  EXPECT_FALSE(strategically_merged(json("{}"), json(R"({"$patch":"explode"})")));
  EXPECT_FALSE(strategically_merged(json(R"({"spec":{"containers":[]}})"), json(R"({"spec":{"containers":[{"image":"i"}]}})")));
  EXPECT_FALSE(strategically_merged(json("{}"), json("[]")));
}

class Apply : public testing::Test {
 protected:
  static Answered<Tree> apply(const Tree& live, const char* applied, const std::string& manager,
                              OnConflict on_conflict = OnConflict::kRefuse) {
    return applied_onto(kind_named("apps", "deployments"), live, json(applied), {manager, "2026-01-01T00:00:00Z"}, on_conflict);
  }
  static std::string plain(Tree tree) {
    tree.erase_at("metadata.managedFields");
    return tree.text();
  }
};

TEST_F(Apply, SetsAndRemovesWhatTheManagerHad) {
  auto live = apply(Tree::map(), R"({"metadata":{"name":"d","labels":{"a":"1","b":"2"}},"spec":{"replicas":1}})", "x");
  ASSERT_TRUE(live);
  live = apply(*live, R"({"metadata":{"name":"d","labels":{"a":"1"}},"spec":{"replicas":2}})", "x");
  ASSERT_TRUE(live);
  EXPECT_EQ(plain(*live), R"({"metadata":{"name":"d","labels":{"a":"1"}},"spec":{"replicas":2}})");
  const auto same = apply(*live, R"({"metadata":{"name":"d","labels":{"a":"1"}},"spec":{"replicas":2}})", "x");
  ASSERT_TRUE(same);
  EXPECT_EQ(*same, *live) << "nothing changes, not even a time";
}

TEST_F(Apply, ConflictsAndForce) {
  const auto live = apply(Tree::map(), R"({"metadata":{"name":"d"},"spec":{"replicas":1}})", "x");
  const auto refused = apply(*live, R"({"metadata":{"name":"d"},"spec":{"replicas":3}})", "y");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 409);
  EXPECT_EQ(refused.error().message, "Apply failed with 1 conflict: conflict with \"x\": .spec.replicas");
  EXPECT_EQ(refused.error().causes.at(0).reason, "FieldManagerConflict");
  EXPECT_TRUE(apply(*live, R"({"metadata":{"name":"d"},"spec":{"replicas":1}})", "y")) << "the same value is shared";
  auto forced = apply(*live, R"({"metadata":{"name":"d"},"spec":{"replicas":3}})", "y", OnConflict::kTakeOver);
  ASSERT_TRUE(forced);
  EXPECT_EQ(forced->integer_at("spec.replicas"), 3);
  forced = apply(*forced, R"({"metadata":{"name":"d"}})", "x");
  EXPECT_EQ(forced->integer_at("spec.replicas"), 3) << "it is no longer x's to remove";
}

// As clients write them that send whole structures: empty parts and nulls say nothing about what is there.
TEST_F(Apply, EmptyPartsAndNullsConflictWithNothing) {
  const char* sparse =
      R"({"metadata":{"name":"d"},"spec":{"strategy":{},"template":{"metadata":{"creationTimestamp":null},"spec":{"containers":[{"name":"a","resources":{}}]}}}})";
  auto live = apply(Tree::map(), sparse, "x");
  ASSERT_TRUE(live);
  live->make("spec.strategy.type") = Tree("Recreate");  // a default of the server
  live->make("spec.template.metadata.creationTimestamp") = Tree("2026-01-01T00:00:00Z");
  live->make("spec.template.spec.containers").as_list()->front()["resources"]["limits"] = json(R"({"cpu":"1"})");
  const auto other = apply(*live, sparse, "y");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(plain(*other), plain(*live));
  EXPECT_FALSE(apply(*other, R"({"metadata":{"name":"d"},"spec":{"strategy":"Recreate"}})", "z")) << "not empty, and another value";
}

TEST_F(Apply, AnEmptyListIsAnotherValueOfOneThatIsReplaced) {
  const auto with = [](const std::string& tolerations) {
    return R"({"metadata":{"name":"d"},"spec":{"template":{"spec":{"tolerations":)" + tolerations + "}}}}";
  };
  const auto live = apply(Tree::map(), with(R"([{"key":"a"}])").c_str(), "x");
  const auto refused = apply(*live, with("[]").c_str(), "y");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "Apply failed with 1 conflict: conflict with \"x\": .spec.template.spec.tolerations");
  const auto forced = apply(*live, with("[]").c_str(), "y", OnConflict::kTakeOver);
  ASSERT_TRUE(forced);
  EXPECT_EQ(forced->at("spec.template.spec.tolerations")->text(), "[]");
}

TEST_F(Apply, ListsWithKeysAreSharedItemByItem) {
  const char* two =
      R"({"metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}}}})";
  const char* one = R"({"metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[{"name":"a","image":"1"}]}}}})";
  const char* other = R"({"metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[{"name":"c","image":"1"}]}}}})";
  auto live = apply(Tree::map(), two, "x");
  live = apply(*live, other, "y");
  ASSERT_TRUE(live);
  EXPECT_EQ(live->at("spec.template.spec.containers")->as_list()->size(), 3U);
  live = apply(*live, one, "x");
  EXPECT_EQ(live->at("spec.template.spec.containers")->text(), R"([{"name":"a","image":"1"},{"name":"c","image":"1"}])");
}

TEST_F(Apply, PortsAreToldApartByNumberAndProtocol) {
  const char* dns = R"({"metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[{"name":"a","ports":[)"
                    R"({"containerPort":53,"protocol":"UDP"},{"containerPort":53,"protocol":"TCP"}]}]}}}})";
  auto live = apply(Tree::map(), dns, "x");
  live = apply(*live, dns, "x");
  ASSERT_TRUE(live);
  const auto ports = [&] { return live->at("spec.template.spec.containers")->as_list()->front().find("ports")->text(); };
  EXPECT_EQ(ports(), R"([{"containerPort":53,"protocol":"UDP"},{"containerPort":53,"protocol":"TCP"}])");
  live = apply(*live,
               R"({"metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[{"name":"a","ports":[)"
               R"({"containerPort":53,"name":"tcp"}]}]}}}})",
               "y");
  ASSERT_TRUE(live);
  EXPECT_EQ(ports(), R"([{"containerPort":53,"protocol":"UDP"},{"containerPort":53,"protocol":"TCP","name":"tcp"}])")
      << "TCP, where it does not say so";
  live = apply(*live,
               R"({"metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[{"name":"a","ports":[)"
               R"({"containerPort":53}]}]}}}})",
               "x");
  EXPECT_EQ(ports(), R"([{"containerPort":53,"name":"tcp"}])") << "x wants one of them, and does not say its protocol any more";

  const auto& services = kind_named("", "services");
  const auto service = applied_onto(services, json(R"({"spec":{"ports":[{"port":53,"nodePort":30053}]}})"),
                                    json(R"({"spec":{"ports":[{"port":53,"protocol":"UDP"},{"port":53,"protocol":"TCP"}]}})"),
                                    {"x", "2026-01-01T00:00:00Z"}, OnConflict::kRefuse);
  ASSERT_TRUE(service);
  EXPECT_EQ(service->at("spec.ports")->text(), R"([{"port":53,"nodePort":30053,"protocol":"TCP"},{"port":53,"protocol":"UDP"}])");
}

TEST_F(Apply, SomeListsAreMergedByItAlone) {
  const auto& claims = kind_named("resource.k8s.io", "resourceclaims");
  const auto by = [&](const Tree& live, const std::string& manager, const std::string& device) {
    return applied_onto(claims, live,
                        json(R"({"status":{"devices":[{"device":")" + device + R"(","driver":"d","pool":"p","data":"x"}]}})"),
                        {manager, "2026-01-01T00:00:00Z", "status"}, OnConflict::kRefuse);
  };
  auto live = by(Tree::map(), "x", "gpu-0");
  live = by(*live, "y", "gpu-1");
  ASSERT_TRUE(live);
  EXPECT_EQ(live->at("status.devices")->as_list()->size(), 2U);
}

TEST_F(Apply, ASubresourceIsAWriterOfItsOwn) {
  const auto& deployments = kind_named("apps", "deployments");
  auto live = apply(Tree::map(), R"({"metadata":{"name":"d"},"spec":{"replicas":1,"paused":true}})", "x");
  live = applied_onto(deployments, *live, json(R"({"metadata":{"name":"d"},"status":{"replicas":1}})"),
                      {"x", "2026-01-01T00:00:00Z", "status"}, OnConflict::kRefuse);
  ASSERT_TRUE(live);
  EXPECT_EQ(live->integer_at("spec.replicas"), 1) << "the status says nothing of it";
  live = apply(*live, R"({"metadata":{"name":"d"},"spec":{"replicas":2}})", "x");
  ASSERT_TRUE(live);
  EXPECT_EQ(plain(*live), R"({"metadata":{"name":"d"},"spec":{"replicas":2},"status":{"replicas":1}})");
  const auto& entries = *live->at("metadata.managedFields")->as_list();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].find("subresource"), nullptr);
  EXPECT_EQ(entries[1].text_at("subresource"), "status");

  auto edited = *live;
  edited["status"]["replicas"] = Tree(std::int64_t{5});
  note_update(deployments, *live, edited, {"controller", "2026-01-02T00:00:00Z", "status"});
  const auto refused = applied_onto(deployments, edited, json(R"({"metadata":{"name":"d"},"status":{"replicas":1}})"),
                                    {"x", "2026-01-03T00:00:00Z", "status"}, OnConflict::kRefuse);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "Apply failed with 1 conflict: conflict with \"controller\" with subresource \"status\" using apps/v1 at "
            "2026-01-02T00:00:00Z: .status.replicas");
}

TEST_F(Apply, OtherWritesTakeOverWhatTheyChange) {
  const auto live = apply(Tree::map(), R"({"metadata":{"name":"d"},"spec":{"replicas":1,"paused":true}})", "x");
  auto edited = *live;
  edited["spec"]["replicas"] = Tree(std::int64_t{5});
  note_update(kind_named("apps", "deployments"), *live, edited, {"kubectl-edit", "2026-01-02T00:00:00Z"});
  const auto again = apply(edited, R"({"metadata":{"name":"d"},"spec":{"replicas":1,"paused":true}})", "x");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message,
            "Apply failed with 1 conflict: conflict with \"kubectl-edit\" using apps/v1 at 2026-01-02T00:00:00Z: .spec.replicas");
}

}  // namespace
}  // namespace muster::sim
