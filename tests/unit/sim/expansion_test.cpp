// What a workload is taken for before it is submitted is what the embedded cluster makes of it.

#include "sim/workloads/expansion.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "sim/custom_admission.h"
#include "unit/sim/controlled_cluster.h"

namespace muster::sim {
namespace {

const std::string kSets = "/apis/apps/v1/namespaces/default/";
const std::string kGroupsOfKai = "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups";

struct MadeObjects {
  std::vector<Tree> groups;
  std::vector<Tree> pods;
};

Result<Expansion> expansion_of(const std::string& text, const Surroundings& surroundings) {
  const auto tree = json(text);
  return expand({{std::string(tree.text_at("apiVersion")), std::string(tree.text_at("kind")), text}}, surroundings);
}

MadeObjects expanded(const std::string& text, const Surroundings& surroundings) {
  const auto made = expansion_of(text, surroundings);
  EXPECT_TRUE(made) << made.error().text();
  MadeObjects out;
  if (!made) return out;
  for (const auto& object : made->objects) {
    auto tree = json(object);
    if (const auto* kind = kind_of_object(tree.text_at("apiVersion"), tree.text_at("kind")))
      shape_custom(*kind, tree);  // as the server does when it is written
    auto& list = tree.text_at("kind") == "Pod" ? out.pods : out.groups;
    list.push_back(std::move(tree));
  }
  return out;
}

MadeObjects submitted(const std::string& path, const std::string& text, Grouper grouper) {
  ControlledCluster cluster;
  cluster.create("/apis/scheduling.k8s.io/v1/priorityclasses",
                 R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"high"},"value":100})");
  cluster.create(path, text);
  cluster.enqueue();
  cluster.pass(1);
  return {cluster.list(grouper == Grouper::kKai ? kGroupsOfKai : kVolcanoGroups), cluster.list(kPods)};
}

Surroundings surroundings_of(Grouper grouper) {
  Surroundings out{.grouper = grouper, .scheduler_names = {grouper == Grouper::kKai ? "kai-scheduler" : "volcano"}};
  auto& high = out.priority_classes.emplace_back();
  high.meta.name = "high";
  high.value = 100;
  return out;
}

// What schedulers look at of a pod, and which role it has.
std::string seen_of(const Tree& pod) {
  std::string out(pod.text_at("spec.schedulerName"));
  for (const std::string_view field : {"containers", "initContainers", "nodeSelector", "priority", "priorityClassName"})
    if (const auto* value = pod.find("spec")->find(field)) out += " " + value->text();
  for (const std::string_view key : {"volcano.sh/task-spec", "volcano.sh/task-index"})
    if (const auto* value = pod.at("metadata.annotations") == nullptr ? nullptr : pod.at("metadata.annotations")->find(key))
      out += " " + value->text();
  return out;
}

std::multiset<std::string> seen_in(const std::vector<Tree>& pods) {
  std::multiset<std::string> out;
  for (const auto& pod : pods) out.insert(seen_of(pod));
  return out;
}

// Groups that want the same, and the same number of pods in each.
std::multiset<std::string> gangs_in(const MadeObjects& made, std::string_view key) {
  std::multiset<std::string> out;
  for (const auto& group : made.groups) {
    const auto in_it = std::ranges::count_if(made.pods, [&](const Tree& pod) {
      const auto* named = pod.at("metadata.annotations") == nullptr ? nullptr : pod.at("metadata.annotations")->find(key);
      return named != nullptr && named->scalar_text() == group.text_at("metadata.name");
    });
    std::set<std::string> fields;  // in the order of names, not of who wrote them
    for (const auto& [name, value] : *group.find("spec")->as_map()) {
      std::set<std::string> parts;
      if (value.is_map())
        for (const auto& [part, amount] : *value.as_map()) parts.insert(part + "=" + amount.text());
      std::string text = name + ":" + (value.is_map() ? "" : value.text());
      for (const auto& part : parts) text += " " + part;
      fields.insert(text);
    }
    std::string gang = std::to_string(in_it) + " pods";
    for (const auto& field : fields) gang += ", " + field;
    out.insert(gang);
  }
  return out;
}

struct Case {
  std::string path;
  std::string text;
  std::size_t pods;
};

std::string deployed(const std::string& kind, const std::string& more, const std::string& pod_spec) {
  return R"({"apiVersion":"apps/v1","kind":")" + kind +
         R"(","metadata":{"name":"w","annotations":{"scheduling.volcano.sh/group-min-member":"2"},"labels":{"kai.scheduler/queue":"q"}},)"
         R"("spec":{"replicas":3,)" +
         more + R"("selector":{"matchLabels":{"app":"w"}},"template":{"metadata":{"labels":{"app":"w"},)" +
         R"("annotations":{"scheduling.volcano.sh/queue-name":"team"}},)" +
         R"("spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"2"}}}])" + pod_spec + "}}}}";
}

std::vector<Case> cases_for(const std::string& scheduler) {
  const auto named = R"(,"schedulerName":")" + scheduler + R"(")";
  const auto task = [](const std::string& name, int replicas, const std::string& more) {
    return R"({"name":")" + name + R"(","replicas":)" + std::to_string(replicas) + more +
           R"(,"template":{"spec":{"priorityClassName":"high","restartPolicy":"Never","containers":[{"name":"c","image":"i",)"
           R"("resources":{"requests":{"cpu":"1"}}}]}}})";
  };
  return {
      {kJobs, job_text(R"("parallelism":3,"completions":5,)", "", named + R"(,"priorityClassName":"high")"), 3},
      {kJobs, job_text(R"("parallelism":4,"completions":2,"completionMode":"Indexed",)", "", named), 2},
      {kSets + "deployments", deployed("Deployment", "", named), 3},
      {kSets + "replicasets", deployed("ReplicaSet", "", named), 3},
      {kSets + "statefulsets", deployed("StatefulSet", R"("podManagementPolicy":"Parallel",)", named), 3},
      {kVolcanoJobs,
       R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"j"},"spec":{"minAvailable":3,"queue":"team",)"
       R"("schedulerName":")" +
           scheduler + R"(","tasks":[)" + task("ps", 1, "") + "," + task("worker", 3, R"(,"minAvailable":2)") + "," +
           task("later", 1, R"(,"minAvailable":0,"dependsOn":{"name":["ps"]})") + "]}}",
       4},
  };
}

void compare_with_the_cluster(Grouper grouper, const std::string& scheduler, std::string_view group_key) {
  for (const auto& one : cases_for(scheduler)) {
    SCOPED_TRACE(one.text);
    const auto here = expanded(one.text, surroundings_of(grouper));
    const auto there = submitted(one.path, one.text, grouper);
    EXPECT_EQ(here.pods.size(), one.pods);
    EXPECT_FALSE(here.groups.empty());
    EXPECT_EQ(seen_in(here.pods), seen_in(there.pods));
    EXPECT_EQ(gangs_in(here, group_key), gangs_in(there, group_key));
  }
}

TEST(Expansion, IsWhatTheControllersOfVolcanoMake) {
  compare_with_the_cluster(Grouper::kVolcano, "volcano", "scheduling.k8s.io/group-name");
}

TEST(Expansion, IsWhatTheControllersOfKaiMake) { compare_with_the_cluster(Grouper::kKai, "kai-scheduler", "pod-group-name"); }

TEST(Expansion, CallsThingsLikeTheWorkload) {
  const auto volcano = expanded(cases_for("volcano").back().text, surroundings_of(Grouper::kVolcano));
  ASSERT_EQ(volcano.groups.size(), 1u);
  EXPECT_EQ(volcano.groups.front().text_at("metadata.name"), "j");
  EXPECT_EQ(volcano.groups.front().text_at("metadata.namespace"), "default");
  EXPECT_EQ(volcano.pods.front().text_at("metadata.name"), "j-ps-0");
  const auto kai = expanded(deployed("Deployment", "", R"(,"schedulerName":"kai-scheduler")"), surroundings_of(Grouper::kKai));
  ASSERT_EQ(kai.groups.size(), 3u);
  EXPECT_EQ(kai.groups.front().text_at("metadata.name"), "w-0");
  EXPECT_EQ(kai.groups.front().text_at("spec.queue"), "q");
}

std::string refusal_of(const std::string& text) {
  const auto made = expansion_of(text, surroundings_of(Grouper::kVolcano));
  return made ? "" : made.error().text();
}

TEST(Expansion, SaysWhatItCannotExpand) {
  const auto has = [](const std::string& text, const std::string& part) {
    return refusal_of(text).find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(job_text(R"("suspend":true,)"), "Job default/j: spec.suspend: it is suspended"));
  EXPECT_TRUE(has(job_text(R"("parallelism":0,)"), "it asks for no pods"));
  EXPECT_TRUE(has(job_text(R"("parallelism":2000000,)"), "20000 at most"));
  EXPECT_TRUE(has(job_text(R"("parallelism":"2",)"), R"(spec.parallelism: "2" is no whole number)"));
  EXPECT_TRUE(has(job_text(R"("completions":-2,)"), "spec.completions: -2 is no whole number"));
  EXPECT_TRUE(has(R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"j"},"spec":{"replicas":"400"}})",
                  R"(StatefulSet default/j: spec.replicas: "400" is no whole number)"));
  EXPECT_TRUE(has(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"j"},"spec":{"replicas":1e3}})",
                  "spec.replicas: 1e3 is no whole number"));
  EXPECT_TRUE(
      has(R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"j"},"spec":{"tasks":[{"replicas":"2"}]}})",
          R"(spec.tasks.replicas: "2" is no whole number)"));
  EXPECT_TRUE(has(job_text("", "", R"(,"priorityClassName":"none")"), "there is no PriorityClass none"));
  EXPECT_TRUE(has(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{}})", "its pods have no containers"));
  EXPECT_TRUE(
      has(R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"j"},"spec":{"minAvailable":3,"tasks":)"
          R"([{"replicas":1,"template":{"spec":{"containers":[{"name":"c"}]}}}]}})",
          "Volcano refuses that"));
  EXPECT_TRUE(has(R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"j"},"spec":{"template":)"
                  R"({"spec":{"containers":[{"name":"c"}]}}}})",
                  "apps/v1 DaemonSet is not known here: give the pods"));
  EXPECT_TRUE(has(R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{},"spec":{"template":{"spec":{"containers":[{}]}}}})",
                  "metadata.name: it has none"));
  EXPECT_TRUE(has(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":123},"spec":{}})",
                  "Job: metadata.name: must be a string, not a number"));
  EXPECT_TRUE(has(R"({"apiVersion":"ray.io/v1","kind":"RayJob","metadata":{"name":true},"spec":{}})",
                  "RayJob: metadata.name: must be a string, not a boolean"));
  EXPECT_TRUE(has(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","namespace":[]},"spec":{}})",
                  "Job: metadata.namespace: must be a string, not a list"));
  EXPECT_TRUE(has(R"({"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"j"},"spec":{"jobTemplate":{"spec":{"template":)"
                  R"({"spec":{"containers":[{"name":"c"}]}}}}}})",
                  "spec.jobTemplate"));
}

std::vector<std::string> passed_over(const std::string& text) {
  const auto made = expansion_of(text, surroundings_of(Grouper::kVolcano));
  EXPECT_TRUE(made) << made.error().text();
  return made ? made->passed_over : std::vector<std::string>();
}

// Who mistypes a field gets another workload, and a verdict about that.
TEST(Expansion, TellsFieldsThatTheKindDoesNotHave) {
  using Notes = std::vector<std::string>;
  const std::string pods = R"("template":{"spec":{"containers":[{"name":"c","resources":{"request":{"cpu":"1"}}}]}})";
  const std::string request = R"(containers[0].resources.request is no field of )";
  EXPECT_EQ(passed_over(job_text("")), Notes());
  EXPECT_EQ(passed_over(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"paralelism":3,"completion":3,)" +
                        pods + "}}"),
            (Notes{R"(Job default/j: spec.completion is no field of a Job and is passed over; did you mean "completions"?)",
                   R"(Job default/j: spec.paralelism is no field of a Job and is passed over; did you mean "parallelism"?)",
                   "Job default/j: spec.template.spec." + request + R"(a Job and is passed over; did you mean "requests"?)"}));
  EXPECT_EQ(
      passed_over(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","zzz":1},"spec":{"replica":3,)"
                  R"("template":{"spec":{"containers":[{"name":"c"}]}}}})"),
      (Notes{"Deployment default/d: metadata.zzz is no field of a Deployment and is passed over",
             R"(Deployment default/d: spec.replica is no field of a Deployment and is passed over; did you mean "replicas"?)"}));
  EXPECT_EQ(
      passed_over(R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"v"},"spec":{"minAvalable":1,)"
                  R"("tasks":[{"name":"t","replicas":1,"replica":2,)" +
                  pods + "}]}}"),
      (Notes{R"(Job default/v: spec.minAvalable is no field of a Job and is passed over; did you mean "minAvailable"?)",
             R"(Job default/v: spec.tasks[0].replica is no field of a Job and is passed over; did you mean "replicas"?)",
             "Job default/v: spec.tasks[0].template.spec." + request + R"(a Job and is passed over; did you mean "requests"?)"}));
  // What definitions of operators say is not known here, but for metadata and what pods are.
  EXPECT_EQ(passed_over(R"({"apiVersion":"kubeflow.org/v1","kind":"MPIJob","metadata":{"name":"m","label":{}},"spec":{"any":1,)"
                        R"("mpiReplicaSpecs":{"Worker":{"replicas":1,)" +
                        pods + "}}}}"),
            (Notes{R"(MPIJob default/m: metadata.label is no field of an MPIJob and is passed over; did you mean "labels"?)",
                   "MPIJob default/m: spec.mpiReplicaSpecs.Worker.template.spec." + request +
                       R"(an MPIJob and is passed over; did you mean "requests"?)"}));
}

TEST(Expansion, TellsMistypedFieldsOnceAndWithErrors) {
  const auto object = [](const std::string& name, const std::string& spec) {
    return UnreadObject{
        "apps/v1", "Deployment",
        R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name + R"("},"spec":{)" + spec + "}}"};
  };
  const std::string pods = R"("template":{"spec":{"containers":[{"name":"c"}]}})";
  const std::string what = R"(spec.replica is no field of a Deployment and is passed over; did you mean "replicas"?)";
  const auto made =
      expand({object("a", "\"replica\":2," + pods), object("b", "\"replica\":3," + pods)}, surroundings_of(Grouper::kVolcano));
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->passed_over, std::vector<std::string>{"Deployment default/a and 1 more: " + what});
  EXPECT_EQ(refusal_of(object("a", R"("replica":2,"templat":{})").json),
            "Deployment default/a: template.spec.containers: its pods have no containers\nnote: Deployment default/a: " + what +
                "\nnote: Deployment default/a: spec.templat is no field of a Deployment and is passed over; did you mean "
                "\"template\"?");
}

// However many there are, and however they are called.
TEST(Expansion, TellsNoMoreMistypedFieldsThanCanBeRead) {
  std::vector<UnreadObject> many;
  for (int i = 0; i < 10; ++i) {
    std::string spec = R"("template":{"spec":{"containers":[{"name":"c"}]}})";
    for (int field = 0; field < 200; ++field) spec += ",\"x" + std::to_string(i) + "x" + std::to_string(field) + "\":1";
    const auto name = "d" + std::to_string(i);
    many.push_back({"apps/v1", "Deployment",
                    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name + R"("},"spec":{)" + spec + "}}"});
  }
  const auto made = expand(many, surroundings_of(Grouper::kVolcano));
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->passed_over.size(), 256U);
}

TEST(Expansion, TellsWhereTheWorkloadHasTheFieldsOfItsPodGroup) {
  const std::string job =
      R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"v"},"spec":{"tasks":[{"name":"t","replicas":1,)"
      R"("template":{"spec":{"containers":[{"name":"c"}]}}}]}})";
  const auto places_of = [](const std::string& text, const std::string& group, Grouper grouper) {
    auto made = expansion_of(text, surroundings_of(grouper));
    EXPECT_TRUE(made && made->places.contains(group)) << group;
    return made ? made->places[group] : FieldPlaces();
  };
  FieldPlaces own;
  own["spec.containers[*]"] = "spec.tasks[*].template.spec.containers[*]";
  own["spec.minMember"] = "spec.minAvailable";
  own["spec.minResources"] = "";
  own["spec.minTaskMember.t"] = "spec.tasks[name=t].minAvailable";
  own["spec.networkTopology"] = "spec.networkTopology";
  own["spec.queue"] = "spec.queue";
  EXPECT_EQ(places_of(job, "default/v", Grouper::kVolcano), own);
  FieldPlaces of_template;
  of_template["spec.containers[*]"] = "spec.template.spec.containers[*]";
  EXPECT_EQ(places_of(job_text("", "", R"(,"schedulerName":"volcano")"), "default/j", Grouper::kVolcano), of_template);
  const auto deployment = deployed("Deployment", "", R"(,"schedulerName":"kai-scheduler")");
  EXPECT_EQ(places_of(deployment, "default/w-0", Grouper::kKai), of_template);
}

TEST(Expansion, PassesOverWhatIsNoWorkload) {
  const auto made =
      expansion_of(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{}})", surroundings_of(Grouper::kVolcano));
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->objects.empty() && made->kinds.empty() && made->notes.empty());
}

}  // namespace
}  // namespace muster::sim
