// What the embedded cluster takes no more of: depth, size, numbers, history, pods at once.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/field_managers.h"
#include "sim/fields.h"
#include "unit/sim/controlled_cluster.h"

namespace muster::sim {
namespace {

constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

std::string nested(std::size_t levels) {
  std::string out = "1";
  for (std::size_t i = 0; i < levels; ++i) out = R"({"b":)" + out + "}";
  return out;
}

// A ConfigMap with so many levels in all.
std::string deep_config(std::size_t levels) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"data":{"x":)" + nested(levels - 2) + "}}";
}

std::string steps(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += "/b";
  return out;
}

TEST(Depth, OfNewObjectsHasAnEnd) {
  TestCluster cluster;
  EXPECT_EQ(cluster.post(kConfigs, deep_config(kMostLevels)).status, 201);
  EXPECT_EQ(cluster.get(kConfigs, std::string(kTable)).status, 200);
  EXPECT_EQ(cluster.remove(kConfigs + "/deep").status, 200);
  const auto refused = cluster.post(kConfigs, deep_config(kMostLevels + 1));
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.message().find("nested deeper than 100 levels"), std::string::npos) << refused.message();
  EXPECT_EQ(cluster.post(kConfigs + "?dryRun=All", deep_config(kMostLevels + 1)).status, 422);
}

TEST(Depth, PatchesDoNotAddToItForEver) {
  TestCluster cluster;
  ASSERT_EQ(cluster.post(kConfigs, config_text("c")).status, 201);
  const auto add = [&](const std::string& path) {
    return cluster.patch("json-patch+json", kConfigs + "/c",
                         R"([{"op":"add","path":")" + path + R"(","value":)" + nested(60) + "}]");
  };
  EXPECT_EQ(add("/data/x").status, 200);
  EXPECT_EQ(add("/data/x" + steps(60)).status, 422);
  EXPECT_EQ(cluster.merge(kConfigs + "/c", R"({"data":{"y":)" + nested(150) + "}}").status, 422);
  EXPECT_EQ(cluster.patch("apply-patch+yaml", kConfigs + "/deep?fieldManager=m", deep_config(kMostLevels)).status, 422)
      << "who owns what is nested as deep, and a little more";
  EXPECT_EQ(cluster.get(kConfigs, std::string(kTable)).status, 200);
}

TEST(Depth, CopiesDoNotDoubleIt) {
  TestCluster cluster;
  ASSERT_EQ(cluster.post(kConfigs, config_text("c")).status, 201);
  std::string patch = R"([{"op":"add","path":"/x","value":)" + nested(1) + "}";
  for (std::size_t depth = 1; depth < (std::size_t{1} << 16U); depth *= 2)
    patch += R"(,{"op":"copy","from":"/x","path":"/x)" + steps(depth) + "\"}";
  EXPECT_EQ(cluster.patch("json-patch+json", kConfigs + "/c", patch + "]").status, 422);
  EXPECT_EQ(cluster.get(kConfigs + "/c").body.find("x"), nullptr);
}

TEST(Yaml, HasNoNumbersThatJsonDoesNotKnow) {
  TestCluster cluster;
  for (const std::string number : {".inf", "-.inf", ".nan"}) {
    const auto text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: [" + number + "]}}";
    EXPECT_EQ(cluster.ask(server::Method::kPost, kConfigs, text, "application/yaml").status, 400) << number;
    EXPECT_EQ(cluster.patch("apply-patch+yaml", kConfigs + "/a?fieldManager=m", text).status, 400) << number;
  }
  EXPECT_EQ(cluster
                .ask(server::Method::kPost, kConfigs, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: 1.5}}",
                     "application/yaml")
                .status,
            201);
}

TEST(FieldSets, StepsThatAreNoneLeadNowhere) {
  const auto document = json(R"({"spec":{"containers":[{"name":"a"}]}})");
  for (const std::string step : {"", "x", "k", "k:", "v:", "v:{"}) {
    const FieldPath path{"f:spec", "f:containers", step};
    auto copy = document;
    erase_fields(copy, {path}, ListKeys::kTyped);
    EXPECT_EQ(copy, document) << step;
    EXPECT_TRUE(path_text(path).starts_with(".spec.containers")) << step;
  }
}

TEST(FieldSets, PartsOfAFieldAreOfIt) {
  const FieldSet fields{{"f:a", "f:b"}, {"f:l", R"(k:{"name":"x"})", "f:image"}};
  EXPECT_TRUE(has_any_below(fields, {"f:a"}));
  EXPECT_TRUE(has_any_below(fields, {"f:l", R"(k:{"name":"x"})", "."}));
  EXPECT_FALSE(has_any_below(fields, {"f:a", "f:b", "f:c"}));
  EXPECT_FALSE(has_any_below(fields, {"f:"}));
  EXPECT_EQ(read_fields_v1(fields_v1(fields)), fields);
}

// Members of maps and items of lists, of which an object has as many as a request holds: work is counted, not timed.
TEST(FieldSets, WorkGrowsWithTheObject) {
  const auto object = [](int count, char value) {
    std::string items;
    std::string texts;
    for (int i = 0; i < count; ++i) {
      const std::string comma = i == 0 ? "" : ",";
      items += fmt::format(R"({}{{"name":"c{}","image":"{}"}})", comma, i, value);
      texts += fmt::format(R"({}"a{}":"{}")", comma, i, value);
    }
    return json(fmt::format(R"({{"metadata":{{"name":"p","annotations":{{{}}}}},"spec":{{"containers":[{}]}}}})", texts, items));
  };
  // Two managers share everything, another one takes all of it over, one changes all of it, one removes half.
  const auto work = [&](int count) {
    const auto& pods = kind_named("", "pods");
    const std::string now = "2026-01-01T00:00:00Z";
    const auto before = fields_looked_at();
    auto live = applied_onto(pods, Tree::map(), object(count, '1'), {"x", now}, OnConflict::kRefuse);
    live = applied_onto(pods, *live, object(count, '1'), {"y", now}, OnConflict::kRefuse);
    live = applied_onto(pods, *live, object(count, '2'), {"z", now}, OnConflict::kTakeOver);
    auto edited = *live;
    merge_fields(edited, object(count, '3'), ListKeys::kTyped);
    note_update(pods, *live, edited, {"w", now});
    live = applied_onto(pods, edited, object(count / 2, '3'), {"z", now}, OnConflict::kTakeOver);
    EXPECT_TRUE(live.has_value());
    return fields_looked_at() - before;
  };
  const auto few = work(100);
  EXPECT_GT(few, 100 * 10);
  EXPECT_LE(work(1600), 16 * few);
}

TEST(FieldSets, ANewObjectDoesNotSayWhoOwnsIt) {
  ControlledCluster cluster;
  cluster.create(
      kPods,
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","managedFields":[{"manager":"m","operation":"Apply",)"
      R"("fieldsV1":{"f:spec":{"f:containers":{"x":{}}}}}]},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]}})");
  EXPECT_EQ(cluster.get(kPods + "/p").body.at("metadata.managedFields"), nullptr);
  cluster.pass(1);
  EXPECT_EQ(cluster.count("Running"), 1);
}

TEST(Size, PatchesDoNotAddToItForEver) {
  TestCluster cluster;
  ASSERT_EQ(cluster.post(kConfigs, config_text("c")).status, 201);
  const std::string large(std::size_t{1} << 20, 'x');
  EXPECT_EQ(cluster.merge(kConfigs + "/c", R"({"data":{"b":")" + large + "\"}}").status, 200);
  EXPECT_EQ(cluster.merge(kConfigs + "/c", R"({"data":{"c":")" + large + "\"}}").status, 200);
  const auto refused = cluster.merge(kConfigs + "/c", R"({"data":{"d":")" + large + "\"}}");
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.reason(), "RequestEntityTooLarge");
}

TEST(History, IsBoundedByBytesToo) {
  constexpr std::size_t kBytes = 2000;
  Store store(8192, kBytes);
  const auto& kind = kind_named("", "configmaps");
  auto object = json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"default"}})");
  object["data"]["a"] = Tree(std::string(500, 'x'));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(store.put(kind, store.draft(kind, object)).has_value());
  EXPECT_FALSE(store.changes_after(kind, store.revision() - 10).has_value());
  const auto last = store.changes_after(kind, store.revision() - 2);
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->size(), 2);
}

TEST(Disk, ThatIsFullIsToldByDeletionsOfMany) {
  bool is_full = false;
  Store store;
  store.on_persist([&](const Kind&, const Change&) -> Result<void> {
    if (is_full) return fail("no room");
    return {};
  });
  const Outside outside{.now = [] { return Timestamp{1'700'000'000, 0}; },
                        .random = [count = std::uint64_t{0}]() mutable { return ++count; }};
  Registry registry(store, outside);
  Watches watches(store, outside);
  Api api(registry, watches, UnheededWarnings::kNo);
  ASSERT_TRUE(registry.create(kind_named("", "namespaces"), "", json(R"({"metadata":{"name":"default"}})")));
  ASSERT_TRUE(registry.create(kind_named("", "configmaps"), "default", json(config_text("c"))));
  server::Request request;
  request.method = server::Method::kDelete;
  request.path = kConfigs;
  is_full = true;
  EXPECT_EQ(std::get<server::Response>(api.answer(request)).status, 500);
  is_full = false;
  EXPECT_EQ(std::get<server::Response>(api.answer(request)).status, 200);
  EXPECT_TRUE(store.objects(kind_named("", "configmaps")).empty());
}

TEST(Amounts, AreBounded) {
  EXPECT_EQ(bounded_at(json(R"({"a":-3})"), "a"), 0);
  EXPECT_EQ(bounded_at(json(R"({"a":9223372036854775807})"), "a"), kMostAmount);
  EXPECT_EQ(bounded_at(json(R"({"a":"7"})"), "a"), std::nullopt);
  const Tree most("9223372036854775807%");
  EXPECT_GT(count_or_share(&most, 9'223'372'036'854'775'807, Rounding::kUp), kMostAmount);
  const Tree third("34%");
  EXPECT_EQ(count_or_share(&third, 10, Rounding::kUp), 4);
  EXPECT_EQ(count_or_share(&third, 10, Rounding::kDown), 3);
}

// What overflows is seen by the sanitizer.
TEST(Amounts, OfRequestsMayBeAnything) {
  ControlledCluster cluster;
  const std::string most = "9223372036854775807";
  cluster.create(
      kPods,
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"b"},"annotations":{"sim.muster/run-seconds":")" +
          most + R"("}},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]}})");
  cluster.pass(1);
  const std::string budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
  cluster.create(
      budgets, R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"minAvailable":")" + most +
                   R"(%","selector":{"matchLabels":{"a":"b"}}}})");
  EXPECT_EQ(cluster.remove(kPods + "/p?gracePeriodSeconds=" + most).status, 200);
  cluster.create(kJobs, job_text(R"("activeDeadlineSeconds":)" + most + R"(,"ttlSecondsAfterFinished":)" + most + ","));
  cluster.schedule();
  cluster.pass(1);
  for (const auto& name : cluster.pods("Running")) cluster.end_pod(name, "Succeeded");
  EXPECT_TRUE(has_condition(cluster.get(kJobs + "/j").body, "Complete"));
  const auto volcano_job = [](const std::string& count) {
    return R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"v"},"spec":{"tasks":[{"name":"t",)"
           R"("replicas":1,"partitionPolicy":{"totalPartitions":1,"minPartitions":)" +
           count + R"(,"partitionSize":)" + count + R"(},"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}]}})";
  };
  EXPECT_EQ(cluster.post(kVolcanoJobs, volcano_job(most)).status, 422);
  cluster.create(kVolcanoJobs, volcano_job(std::to_string(kMostAmount)));
  EXPECT_EQ(cluster.list(kVolcanoGroups).size(), 1);
}

const std::string kSets = "/apis/apps/v1/namespaces/default/replicasets";

std::string set_text(const std::string& replicas) {
  return R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"s"},"spec":{"replicas":)" + replicas +
         R"(,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})";
}

TEST(Replicas, AreMadeOneHandfulASecond) {
  ControlledCluster cluster;
  cluster.create(kSets, set_text("1000000000"));
  EXPECT_EQ(cluster.count(), Workbench::kMostMadePerSecond);
  cluster.merge(kSets + "/s", R"({"metadata":{"labels":{"x":"y"}}})");
  EXPECT_EQ(cluster.count(), Workbench::kMostMadePerSecond) << "looking again does not make more";
  cluster.pass(1);
  EXPECT_EQ(cluster.count(), 2 * Workbench::kMostMadePerSecond);
  cluster.merge(kSets + "/s", R"({"spec":{"replicas":3}})");
  EXPECT_EQ(cluster.count(), 3);
}

TEST(Replicas, AreNotNegative) {
  ControlledCluster cluster;
  const auto refused = cluster.post(kSets, set_text("-1"));
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.message().find("spec.replicas: Invalid value: -1: must be greater than or equal to 0"), std::string::npos)
      << refused.message();
  cluster.create(kSets, set_text("1"));
  EXPECT_EQ(cluster.merge(kSets + "/s", R"({"spec":{"replicas":-1}})").status, 422);
  EXPECT_EQ(cluster.post(kJobs, job_text(R"("parallelism":-1,)")).status, 422);
  EXPECT_EQ(cluster.post(kJobs, job_text(R"("completions":-1,)")).status, 422);
}

}  // namespace
}  // namespace muster::sim
