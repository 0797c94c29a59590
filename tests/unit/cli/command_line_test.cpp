// The program as users meet it: arguments and files in, text and an exit status out.

#include "cli/command_line.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace muster::cli {
namespace {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

Outcome muster(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "muster");
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.status = run(static_cast<int>(argv.size()), argv.data());
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("muster-cli-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& content) const {
    const auto path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  static std::string example(const std::string& name) { return std::string(MUSTER_SOURCE_DIR) + "/examples/" + name; }

  std::filesystem::path folder_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// ---------------------------------------------------------------------------------------------------- good input

TEST_F(CommandLine, AnswersWhatIf) {
  const std::vector<std::string> question = {"whatif",
                                             "-f",
                                             example("whatif/pretrain.yaml"),
                                             "--cluster",
                                             example("first-cluster"),
                                             "--config",
                                             example("first-cluster.conf")};
  const auto text = muster(question);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "It would start at once if\n  spec.minMember were 1 and not 3\n")) << text.out;
  auto as_json = question;
  as_json.insert(as_json.end(), {"-o", "json"});
  EXPECT_TRUE(muster(as_json).out.starts_with("{\"jobs\":[{\"job\":\"research/pretrain\",\"verdict\":\"waits\""));
  EXPECT_EQ(muster({"whatif"}).status, 2);
  EXPECT_EQ(muster({"whatif", "-f", "-", "--cluster", "-"}).status, 2);
  EXPECT_EQ(muster({"whatif", "-f", example("whatif/pretrain.yaml"), "--config", "x", "--server", "y"}).status, 2);
  EXPECT_EQ(muster({"whatif", "-f", example("whatif/pretrain.yaml"), "--cluster", "x", "--server", "y"}).status, 2);
  EXPECT_EQ(muster({"whatif", "-f", example("whatif/pretrain.yaml"), "--server", "127.0.0.1:1"}).status, 1);
}

TEST_F(CommandLine, AnswersWhatIfOfAWorkload) {
  const auto asked = [&](const std::string& job, std::vector<std::string> more) {
    more.insert(more.begin(), {"whatif", "-f", file("job.yaml", job), "--now", "2026-01-01T00:10:00Z"});
    const auto ran = muster(more);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.out;
  };
  const std::vector<std::string> volcano = {"--cluster", example("first-cluster"), "--config", example("first-cluster.conf")};
  const auto job = muster({"whatif", "-f", example("whatif/train-job.yaml"), volcano[0], volcano[1], volcano[2], volcano[3]});
  EXPECT_EQ(job.status, 0) << job.err;
  EXPECT_TRUE(job.out.starts_with("research/train would wait")) << job.out;
  EXPECT_TRUE(contains(job.err, "Job research/train is asked about as the 4 pods")) << job.err;
  EXPECT_TRUE(contains(job.out, "spec.minAvailable were 2 and not 4, and spec.tasks[name=worker].minAvailable 1 and not 3\n"))
      << job.out;
  const auto as_json =
      muster({"whatif", "-f", example("whatif/train-job.yaml"), volcano[0], volcano[1], volcano[2], volcano[3], "-o", "json"});
  EXPECT_TRUE(contains(
      as_json.out, R"("path":"spec.minAvailable","from":4,"to":2,"also":[{"path":"spec.tasks[name=worker].minAvailable","from":3)"
                   R"(,"to":1}]})"))
      << as_json.out;
  EXPECT_TRUE(contains(as_json.out, R"("path":"spec.tasks[*].template.spec.containers[*].resources.requests.nvidia.com/gpu")"))
      << as_json.out;
  const std::string small =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: research, labels: {kai.scheduler/queue: research}}\nspec:\n"
      "  parallelism: 2\n  completions: 2\n  template:\n    spec:\n      schedulerName: ";
  const std::string rest = "\n      containers: [{name: c, resources: {requests: {cpu: '1'}}}]\n";
  EXPECT_TRUE(asked(small + "volcano" + rest, volcano).starts_with("research/j would start at once"));
  EXPECT_TRUE(asked(small + "kai-scheduler" + rest, {"--dialect", "kai", "--cluster", example("kai-cluster/nodes.yaml"),
                                                     "--cluster", example("kai-cluster/queues.yaml")})
                  .starts_with("research/j would start at once"));
  const auto other = muster({"whatif", "-f", file("other.yaml", small + "default-scheduler" + rest), volcano[0], volcano[1]});
  EXPECT_EQ(other.status, 1);
  EXPECT_TRUE(contains(other.err,
                       "this scheduler places pods of volcano: set spec.schedulerName: volcano of a pod, or "
                       "spec.template.spec.schedulerName: volcano of a workload\n"))
      << other.err;
  EXPECT_FALSE(contains(other.err, "is asked about as")) << "nothing was asked about: " << other.err;
}

// What was passed over may be what was meant; it is no error of its own.
TEST_F(CommandLine, TellsNotesOfAQuestionThatIsRefusedFirst) {
  const auto cron = file("cron.yaml", "apiVersion: example.com/v1\nkind: Cron\nmetadata: {name: c}\n");
  const auto ran = muster({"whatif", "-f", cron, "--cluster", example("first-cluster"), "--config", example("first-cluster.conf")});
  EXPECT_EQ(ran.status, 1);
  const auto passed_over = ran.err.find("note: 1 object of kinds");
  const auto refused = ran.err.find("muster: the question holds no pod");
  ASSERT_NE(passed_over, std::string::npos) << ran.err;
  ASSERT_NE(refused, std::string::npos) << ran.err;
  EXPECT_LT(passed_over, refused) << ran.err;
  EXPECT_FALSE(contains(ran.err, "muster: 1 object")) << ran.err;
}

TEST_F(CommandLine, TellsMistypedFieldsOfAWorkload) {
  const auto asked = [&](const std::string& scheduler) {
    const auto job = file("job.yaml",
                          "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: research}\nspec:\n  paralelism: 3\n"
                          "  template: {spec: {" +
                              scheduler + ": volcano, containers: [{name: c, resources: {requests: {cpu: '1'}}}]}}\n");
    return muster({"whatif", "-f", job, "--cluster", example("first-cluster"), "--config", example("first-cluster.conf")});
  };
  const std::string note =
      "note: Job research/j: spec.paralelism is no field of a Job and is passed over; did you mean \"parallelism\"?\n";
  const auto answered = asked("schedulerName");
  EXPECT_EQ(answered.status, 0);
  EXPECT_TRUE(contains(answered.err, note)) << answered.err;
  const auto refused = asked("schedulrName");
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err, note)) << refused.err;
  EXPECT_TRUE(contains(refused.err, "did you mean \"schedulerName\"?\n")) << refused.err;
  EXPECT_FALSE(contains(refused.err, "is asked about as")) << refused.err;
}

TEST_F(CommandLine, SaysWhatMayBeMissingWhereNoSchedulerAnswers) {
  const auto question = muster({"whatif", "-f", example("whatif/job.yaml"), "--server", "127.0.0.1:1"});
  EXPECT_EQ(question.status, 1);
  EXPECT_TRUE(
      contains(question.err, "only with --enable-metrics (docs/api.md); --server says where it is, and --cluster has files"))
      << question.err;
  const auto list = muster({"jobs", "--server", "127.0.0.1:1"});
  EXPECT_TRUE(contains(list.err, "--server says where it is, and -f has files")) << list.err;
}

TEST_F(CommandLine, HintsAtPatternsForTheBeginningOfAName) {
  const auto ran = muster({"jobs", "train", "-f", example("first-cluster"), "--config", example("first-cluster.conf")});
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(contains(ran.err, "no job is called \"train\"; 'train*' chooses all that begin so")) << ran.err;
}

TEST_F(CommandLine, SchedulesTheExample) {
  const auto ran = muster({"schedule", "-f", example("first-cluster"), "--config", example("first-cluster.conf")});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "6 jobs: 3 placed, 2 running, 1 waiting; 6 pods bound")) << ran.out;
  EXPECT_FALSE(contains(ran.out, "\x1b"));  // no colours where nobody sees them
}

TEST_F(CommandLine, ExplainsTheJobOfTheExampleThatWaits) {
  const auto ran =
      muster({"explain", "research/train-large", "-f", example("first-cluster"), "--config", example("first-cluster.conf")});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "research/train-large waits: only 1 of the 2 pods that have to start together finds a node"))
      << ran.out;
  EXPECT_TRUE(contains(ran.out, "ahead: research/train-small (placed)")) << ran.out;
}

TEST_F(CommandLine, SpeaksKai) {
  const std::vector<std::string> cluster = {"--dialect", "kai", "-f", example("kai-cluster"), "--now", "2026-01-01T00:10:00Z"};
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), cluster.begin(), cluster.end());
    return muster(std::move(arguments));
  };
  const auto scheduled = with({"schedule"});
  EXPECT_EQ(scheduled.status, 0) << scheduled.err;
  EXPECT_TRUE(contains(scheduled.out, "3 jobs: 1 running, 1 pipelined, 1 waiting")) << scheduled.out;
  EXPECT_TRUE(contains(scheduled.err, "the built-in default of KAI is in force"));
  EXPECT_EQ(with({"schedule", "-o", "json", "--search", "index"}).out,
            with({"schedule", "-o", "json", "--search", "reference"}).out);
  const auto explained = with({"explain", "product/notebook"});
  EXPECT_EQ(explained.status, 0) << explained.err;
  EXPECT_TRUE(contains(explained.out, "product/notebook waits: ")) << explained.out;
  EXPECT_EQ(with({"explain", "product/notebok"}).status, 1);
  EXPECT_EQ(muster({"check", "--dialect", "kai", file("a.yaml", "actions: allocate\n")}).status, 0);
  EXPECT_EQ(muster({"check", file("b.yaml", "actions: allocate, consolidaton\nqueueDepthPerAction: {}\n")}).status, 1);
  EXPECT_TRUE(contains(muster({"plugins", "--dialect", "kai"}).out, "stalegangeviction"));
}

TEST_F(CommandLine, RefusesTheFlagsOfTheOtherScheduler) {
  const auto kai = muster({"schedule", "-f", example("kai-cluster"), "--full-hierarchy-fairness=false"});
  EXPECT_EQ(kai.status, 2);
  EXPECT_TRUE(contains(kai.err, "--full-hierarchy-fairness: belongs to KAI's scheduler: give --dialect kai with it")) << kai.err;
  EXPECT_EQ(muster({"schedule", "--dialect", "kai", "-f", example("kai-cluster"), "--default-queue", "q"}).status, 2);
  EXPECT_EQ(muster({"schedule", "--dialect", "kai", "-f", example("kai-cluster"), "--full-hierarchy-fairness=false"}).status, 0);
  EXPECT_EQ(muster({"schedule", "--dialect", "kai", "-f", example("kai-cluster"), "--max-consolidation-preemptees", "-1"}).status,
            0);
  EXPECT_EQ(muster({"schedule", "--dialect", "kai", "-f", example("kai-cluster"), "--max-consolidation-preemptees", "many"}).status,
            2);
  EXPECT_EQ(
      muster({"schedule", "--dialect", "kai", "-f", example("kai-cluster"), "--default-staleness-grace-period", "soon"}).status, 2);
  EXPECT_TRUE(contains(muster({"schedule", "-f", example("kai-cluster")}).err, "see --dialect kai"));
  EXPECT_TRUE(contains(muster({"schedule", "--dialect", "kai", "-f", example("first-cluster")}).err, "see --dialect volcano"));
}

TEST_F(CommandLine, SaysWhatIsWrongWithASnapshot) {
  const auto ran = muster({"schedule", "--dialect", "kai", "-f", file("s.zip", "PK\x03\x04 and no more")});
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(contains(ran.err, "s.zip: is a broken zip archive: it ends before its directory, so it is probably not whole"))
      << ran.err;
}

TEST_F(CommandLine, GivesTheSameBytesForBothSearchesAndEveryFormat) {
  for (const std::string output : {"table", "json", "yaml"}) {
    const auto with = [&](const std::string& search) {
      return muster(
          {"schedule", "-f", example("first-cluster"), "-o", output, "--search", search, "--now", "2026-01-01T00:00:00Z"});
    };
    EXPECT_EQ(with("index").out, with("reference").out);
    EXPECT_FALSE(with("index").out.empty());
  }
}

TEST_F(CommandLine, RunsSeveralCyclesInWhichBoundPodsRun) {
  const auto ran =
      muster({"schedule", "-f", example("first-cluster"), "-o", "json", "--cycles", "2", "--between", "bound-pods-run"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(contains(ran.out, "\"per_cycle\":["));
  EXPECT_TRUE(contains(ran.out, "\"product/etl\":\"Running\""));
}

TEST_F(CommandLine, SaysWhichConfigurationIsInForceWhenNoneIsGiven) {
  EXPECT_TRUE(contains(muster({"schedule", "-f", example("first-cluster")}).err, "the built-in default of Volcano is in force"));
}

TEST_F(CommandLine, ChecksAConfiguration) {
  EXPECT_EQ(muster({"check", example("first-cluster.conf")}).status, 0);
  const auto bad = muster({"check", file("bad.conf", "actions: \"alocate\"\n"), "-o", "json"});
  EXPECT_EQ(bad.status, 1);
  EXPECT_TRUE(contains(bad.out, "\"suggestion\":\"allocate\""));
}

TEST_F(CommandLine, KnowsKubernetesObjectsFromAConfiguration) {
  const auto says = "objects (the first is a PodGroup), and not a scheduler's configuration";
  for (const std::string dialect : {"volcano", "kai"}) {
    const auto several = muster({"check", example("first-cluster/training.yaml"), "--dialect", dialect});
    EXPECT_EQ(several.status, 1);
    EXPECT_TRUE(contains(several.out, says)) << several.out;
    const auto one = muster({"check", file("one.yaml", "apiVersion: x/v1\nkind: PodGroup\n"), "--dialect", dialect});
    EXPECT_TRUE(contains(one.out, says)) << one.out;
  }
  EXPECT_TRUE(contains(muster({"check", file("two.conf", "actions: allocate\n---\nactions: allocate\n")}).out,
                       "a second document, where one is expected"));
  EXPECT_TRUE(contains(muster({"check", file("bad.yaml", "kind: \xff\n---\nkind: b\n")}).err, "is not UTF-8"));
}

TEST_F(CommandLine, PointsAtTheOptionForTheVersion) {
  const auto ran = muster({"version"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(contains(ran.err, "unknown command version; muster --version tells it")) << ran.err;
}

TEST_F(CommandLine, LenientConfigurationGoesOnLoudly) {
  const auto conf = file("loose.conf", "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: ganng\n");
  EXPECT_EQ(muster({"schedule", "-f", example("first-cluster"), "--config", conf}).status, 1);
  const auto lenient = muster({"schedule", "-f", example("first-cluster"), "--config", conf, "--lenient-config"});
  EXPECT_EQ(lenient.status, 0);
  EXPECT_TRUE(contains(lenient.err, ":4:11: unknown plugin \"ganng\"; did you mean \"gang\"?"));
}

TEST_F(CommandLine, ListsPlugins) {
  EXPECT_TRUE(contains(muster({"plugins"}).out, "proportion"));
  EXPECT_TRUE(muster({"plugins", "-o", "json"}).out.starts_with("{\"actions\":["));
}

// ------------------------------------------------------------------------------------- plugins and actions from outside

std::string built(const std::string& name) { return std::string(MUSTER_BUILD_DIR) + "/" + name; }

class Extensions : public CommandLine {
 protected:
  Outcome schedule(const std::string& conf, const std::string& search = "index", const std::string& folder = "examples/plugins") {
    return muster({"schedule", "-f", example("plugins/cluster"), "--config", conf, "--plugins-dir", built(folder), "-o", "json",
                   "--now", "2026-01-02T00:00:00Z", "--search", search});
  }
};

TEST_F(Extensions, ChangeDecisions) {
  const auto plain = file("plain.conf",
                          "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"
                          "  - name: proportion\n  - name: nodeorder\n");
  const auto without = schedule(plain);
  EXPECT_EQ(without.status, 0) << without.err;
  // Whoever came first gets the large nodes, in maintenance or not.
  EXPECT_TRUE(contains(without.out, "\"binds\":{\"default/fix-0\":\"a\",\"default/nightly-0\":\"a\",\"default/nightly-1\":\"b\","))
      << without.out;
  for (const std::string search : {"index", "reference"}) {
    const auto with = schedule(example("plugins/site.conf"), search);
    EXPECT_EQ(with.status, 0) << with.err;
    // express goes first, nobody goes to node a, and c is preferred as long as it has room.
    EXPECT_TRUE(contains(with.out, "\"binds\":{\"default/fix-0\":\"c\",\"default/report-0\":\"b\"}")) << with.out;
    EXPECT_TRUE(contains(with.out, "node(s) are in maintenance")) << with.out;
  }
}

TEST_F(Extensions, SearchesAgree) {
  const auto conf = example("plugins/site.conf");
  EXPECT_EQ(schedule(conf, "index").out, schedule(conf, "reference").out);
}

TEST_F(Extensions, AreCheckedAndListed) {
  const auto conf = example("plugins/site.conf");
  EXPECT_EQ(muster({"check", conf}).status, 1);
  EXPECT_EQ(muster({"check", conf, "--plugins-dir", built("examples/plugins")}).status, 0);
  const auto typo = file("typo.conf", "actions: \"expres\"\n");
  EXPECT_TRUE(contains(muster({"check", typo, "--plugins-dir", built("examples/plugins")}).out, "did you mean \"express\"?"));
  const auto wrong =
      file("wrong.conf", "actions: \"express\"\nconfigurations:\n- name: express\n  arguments:\n    max-pods: many\n");
  const auto refused = muster({"check", wrong, "--plugins-dir", built("examples/plugins")});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.out, "express.so does not start: \"max-pods\" must be a whole number of at least 1")) << refused.out;
  EXPECT_TRUE(contains(muster({"plugins", "--plugins-dir", built("examples/plugins")}).out, "no pods to nodes in maintenance"));
  EXPECT_TRUE(contains(muster({"plugins", "-o", "json", "--plugins-dir", built("examples/plugins")}).out, "\"extensions\":["));
}

TEST_F(Extensions, AreRefusedByEveryCommand) {
  const auto folder = built("tests/extensions/wrong_version");
  const auto conf = example("plugins/site.conf");
  const auto says = "broken.so: was built for version 2 of muster's extensions: expected version 1";
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"plugins"},
                                             {"check", conf},
                                             {"schedule", "-f", example("plugins/cluster"), "--config", conf},
                                             {"explain", "nightly", "-f", example("plugins/cluster"), "--config", conf},
                                             {"schedule", "--batch", file("b.jsonl", "")}}) {
    auto full = arguments;
    full.insert(full.end(), {"--plugins-dir", folder});
    const auto ran = muster(full);
    EXPECT_EQ(ran.status, 1) << arguments[0];
    EXPECT_TRUE(contains(ran.err, says)) << ran.err;
  }
}

TEST_F(Extensions, ThatDoNotStartRefuseTheConfiguration) {
  const auto conf = file("start.conf", "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: broken\n");
  const auto ran = schedule(conf, "index", "tests/extensions/does_not_start");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(contains(ran.err, "start.conf:4:11: \"broken\" of ")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "does not start: out of licences")) << ran.err;
}

TEST_F(Extensions, ThatMisbehaveDoNoHarm) {
  const auto conf = file("misbehaves.conf",
                         "actions: \"enqueue, broken, allocate\"\ntiers:\n- plugins:\n  - name: broken\n  - name: gang\n"
                         "  - name: predicates\n");
  const auto ran = schedule(conf, "index", "tests/extensions/misbehaves");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(contains(ran.err, "the action \"broken\" left a statement open, which was taken back")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "the action \"broken\" failed: as planned")) << ran.err;
  EXPECT_TRUE(contains(ran.out, "\"default/nightly-1\":")) << ran.out;
}

// ------------------------------------------------------------------------------------------------------------- services

TEST_F(CommandLine, ABatchAndACheckAskNobody) {
  const std::string conf =
      "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: extender\n    arguments:\n      extender.urlPrefix: "
      "http://127.0.0.1:1\n"
      "      extender.predicateVerb: filter\n";
  EXPECT_EQ(muster({"check", file("extender.conf", conf)}).status, 0);
  std::string line = R"({"id":"x","dialect":"volcano","now":"2026-01-01T00:00:00Z","objects":[],"config":")";
  for (const char c : conf) line += c == '\n' ? "\\n" : c == '"' ? "\\\"" : std::string(1, c);
  const auto ran = muster({"schedule", "--batch", file("extender.jsonl", line + "\"}\n")});
  EXPECT_EQ(ran.status, 3) << ran.err;
  EXPECT_TRUE(contains(ran.out, "a batch asks nobody")) << ran.out;
}

// Two equal nodes, one of them busy: the plugin `usage` decides.
TEST_F(CommandLine, TakesTheRealLoadOfNodesFromAFile) {
  const std::string node = "apiVersion: v1\nkind: Node\nmetadata: {name: ";
  const std::string amounts = "{cpu: '8', memory: 16Gi, pods: '10'}";
  const auto status = "}\nstatus: {allocatable: " + amounts + ", capacity: " + amounts + "}\n---\n";
  const auto cluster =
      file("cluster.yaml",
           node + "n1" + status + node + "n2" + status +
               "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: j}\nspec: {minMember: 1}\n---\n"
               "apiVersion: v1\nkind: Pod\nmetadata: {name: j-0, annotations: {scheduling.k8s.io/group-name: j}}\n"
               "spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: '1'}}}]}\n");
  const auto conf =
      file("usage.conf", "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: predicates\n  - name: usage\n");
  const auto with = [&](const std::string& usage) {
    return muster({"schedule", "-f", cluster, "--config", conf, "--usage", file("usage.yaml", usage), "-o", "json"});
  };
  EXPECT_TRUE(
      contains(with("nodes: {n1: {cpu: 70, memory: 20}, n2: {cpu: 10, memory: 20}}\n").out, "\"binds\":{\"default/j-0\":\"n2\"}"));
  EXPECT_TRUE(
      contains(with("nodes: {n1: {cpu: 10, memory: 20}, n2: {cpu: 70, memory: 20}}\n").out, "\"binds\":{\"default/j-0\":\"n1\"}"));
  EXPECT_TRUE(contains(with("nodes: {n1: {cpu: 90, memory: 20}, n2: {cpu: {10m: 81}, memory: 20}}\n").out, "\"binds\":{}"));
  const auto bad = with("nodes: {n1: {cpu: 900, memory: 20}}\n");
  EXPECT_EQ(bad.status, 1);
  EXPECT_TRUE(contains(bad.err, "usage.yaml:1:19: node n1: cpu: must be between 0 and 100, not 900")) << bad.err;
  EXPECT_TRUE(
      contains(muster({"schedule", "-f", cluster, "--config", conf}).err, "note: the configuration looks at the nodes' real load"));
  EXPECT_TRUE(
      contains(muster({"explain", "j", "-f", cluster, "--usage", file("u.yaml", "nodes: {}")}).err, "note: --usage has no effect"));
}

TEST_F(CommandLine, TellsForWhomAndWhyAPodIsEvicted) {
  const auto pod = [](const std::string& name, const std::string& job, const std::string& spec, const std::string& status) {
    return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", annotations: {scheduling.k8s.io/group-name: " + job +
           ", volcano.sh/preemptable: 'true'}}\nspec: {schedulerName: volcano, " + spec +
           " containers: [{name: c, resources: {requests: {cpu: '2'}}}]}\nstatus: {phase: " + status + "}\n";
  };
  const auto group = [](const std::string& name, const std::string& spec) {
    return "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: " + name + "}\nspec: {minMember: 1" +
           spec + "}\nstatus: {phase: Inqueue}\n";
  };
  const auto cluster = file("cluster.yaml",
                            "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '4', pods: '10'}}\n"
                            "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n" +
                                group("low", "") + pod("low-0", "low", "nodeName: n1,", "Running") +
                                pod("low-1", "low", "nodeName: n1,", "Running") + group("urgent", ", priorityClassName: high") +
                                pod("urgent-0", "urgent", "priorityClassName: high, priority: 1000,", "Pending"));
  const auto conf = file("preempt.conf",
                         "actions: \"enqueue, allocate, preempt\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n"
                         "  - name: conformance\n- plugins:\n  - name: predicates\n  - name: nodeorder\n");
  const std::string why = "a job of the same queue needs the room, and the plugins let this pod go for it";
  const auto table = muster({"schedule", "-f", cluster, "--config", conf});
  EXPECT_TRUE(contains(table.out, "default/low-1  n1    preempt  for default/urgent-0: " + why)) << table.out;
  const auto json = muster({"schedule", "-f", cluster, "--config", conf, "-o", "json"});
  EXPECT_TRUE(contains(json.out,
                       "\"evictions\":[{\"pod\":\"default/low-1\",\"node\":\"n1\",\"rule\":\"preempt\","
                       "\"for_job\":\"default/urgent\",\"for_pod\":\"default/urgent-0\",\"why\":\"" +
                           why + "\"}]"))
      << json.out;
  EXPECT_TRUE(
      contains(muster({"explain", "urgent", "-f", cluster, "--config", conf}).out, "Evicted for it\n  default/low-1  by preempt"));
  EXPECT_TRUE(contains(muster({"explain", "low", "-f", cluster, "--config", conf}).out, "Evicted\n  default/low-1  by preempt"));
}

// --------------------------------------------------------------------------------------------------------- batch

TEST_F(CommandLine, ABatchSaysWhetherAllOfItCouldBeRun) {
  const auto line = [](const std::string& id, const std::string& config) {
    return R"({"id":")" + id + R"(","dialect":"volcano","now":"2026-01-01T00:00:00Z","config":")" + config + R"(","objects":[]})" +
           "\n";
  };
  const auto good = line("a", "");
  const auto refused = line("b", "actions: frobnicate");
  EXPECT_EQ(muster({"schedule", "--batch", file("good.jsonl", good)}).status, 0);
  const auto some = muster({"schedule", "--batch", file("some.jsonl", good + refused)});
  EXPECT_EQ(some.status, 3);
  EXPECT_TRUE(contains(some.out, "{\"id\":\"b\",\"error\":"));
  EXPECT_TRUE(contains(some.err, "note: 1 case of 2 could not be run"));
  for (const std::string garbage : {"hello\n", "{\"x\":1}\n", "[]\n", "{\"id\":\"c\"}\n"}) {
    const auto broken = muster({"schedule", "--batch", file("broken.jsonl", good + garbage)});
    EXPECT_EQ(broken.status, 1) << garbage;
    EXPECT_TRUE(contains(broken.err, "broken.jsonl:2:1")) << broken.err;
    EXPECT_TRUE(contains(broken.err, "1 line is no case")) << broken.err;
    EXPECT_TRUE(contains(broken.out, "\"id\":\"a\"")) << garbage;
  }
  EXPECT_EQ(muster({"schedule", "--batch", file("empty.jsonl", "\n")}).status, 1);
  EXPECT_EQ(muster({"schedule", "--batch", file("good.jsonl", good), "-o", "json"}).status, 0);
}

// --------------------------------------------------------------------------------------------------------- usage

struct Mistake {
  std::vector<std::string> arguments;
  const char* says;
  const char* help;
};

TEST_F(CommandLine, HelpsWithMistypedCommandsAndOptions) {
  const Mistake mistakes[] = {
      {{}, "no command is given", "muster --help"},
      {{"schedul"}, "unknown command schedul; did you mean schedule?", "muster --help"},
      {{"schedul", "--help"}, "unknown command schedul; did you mean schedule?", "muster --help"},
      {{"simulate", "-h"}, "unknown command simulate", "muster --help"},
      {{"--hlep"}, "unknown option --hlep; did you mean --help?", "muster --help"},
      {{"schedule", "--confg", "x"}, "unknown option --confg; did you mean --config?", "muster schedule --help"},
      {{"schedule", "--zzz"}, "unknown option --zzz", "muster schedule --help"},
      {{"schedule", "-f", "a", "b"},
       "unexpected argument b; -f takes one path, so give -f before each: -f b",
       "muster schedule --help"},
      {{"plugins", "more"}, "unexpected argument more", "muster plugins --help"},
      {{"help", "schedle"}, "unknown command schedle; did you mean schedule?", "muster help --help"},
      {{"explain", "-f", "x", "a", "b"}, "unexpected argument b; explain takes one NAME, and that is a", "muster explain --help"},
      {{"explain", "mine/e*", "-f", "x"},
       "NAME: is one name; muster jobs 'mine/e*' lists those that a pattern chooses",
       "muster explain --help"},
      {{"explain", "a", "-f", "x", "b"},
       "unexpected argument b; -f takes one path, so give -f before each: -f b",
       "muster explain --help"},
      {{"jobs", "--limit", "0"}, "--limit: \"0\" is not a whole number of at least 1", "muster jobs --help"},
      {{"demo", "--speed", "0"}, "--speed: \"0\" is not a number from 0.1 to 100", "muster demo --help"},
      {{"demo", "--nodes", "abc"}, "--nodes: \"abc\" is not a whole number from 1 to 20000", "muster demo --help"},
      {{"scheduler", "--qps", "inf"}, "--qps: \"inf\" is not a number of at least 0", "muster scheduler --help"},
      {{"jobs", "--state", "waitng"},
       "--state: \"waitng\" is none of placed, running, partial, pipelined, waiting, ending, finished; did you mean waiting?",
       "muster jobs --help"},
      {{"demo", "--dialect", "kia"}, "--dialect: \"kia\" is none of volcano, kai; did you mean kai?", "muster demo --help"},
      {{"schedule", "-f", "x", "--config", "a", "--config", "b"}, "--config: is given more than once", "muster schedule --help"},
      {{"schedule", "-f"}, "-f: needs a value", "muster schedule --help"},
      {{"schedule", "--filename"}, "--filename: needs a value", "muster schedule --help"},
      {{"whatif"}, "-f is required", "muster whatif --help"},
      {{"whatif", "job.yaml"}, "unexpected argument job.yaml; -f is required: -f job.yaml", "muster whatif --help"},
      {{"whatif", "--fliename", "job.yaml"}, "unknown option --fliename; did you mean --filename?", "muster whatif --help"},
      {{"schedule", "--batch", "x", "-o", "yaml"}, "-o: cannot be yaml with --batch", "muster schedule --help"},
      {{"schedule", "--batch", "x", "--usage", "y"}, "--usage: cannot be used with --batch", "muster schedule --help"},
  };
  for (const auto& mistake : mistakes) {
    const auto ran = muster(mistake.arguments);
    EXPECT_EQ(ran.status, 2) << mistake.says;
    EXPECT_EQ(ran.err.substr(0, ran.err.find('\n')).find(std::string("muster: ") + mistake.says), 0u) << ran.err;
    EXPECT_TRUE(ran.err.ends_with(std::string("muster: see ") + mistake.help + "\n")) << ran.err;
  }
}

TEST_F(CommandLine, HelpIsACommandToo) {
  EXPECT_EQ(muster({"help"}).out, muster({"--help"}).out);
  EXPECT_EQ(muster({"help", "schedule"}).out, muster({"schedule", "--help"}).out);
  EXPECT_EQ(muster({"help", "help"}).status, 0);
}

TEST_F(CommandLine, HelpIsNoErrorAndHasAnExample) {
  for (const std::string command :
       {"schedule", "explain", "queues", "jobs", "nodes", "decisions", "check", "plugins", "scheduler"}) {
    const auto help = muster({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_TRUE(contains(help.out, "Example:\n  muster " + command)) << help.out;
    EXPECT_TRUE(contains(help.out, "Exit status: 0"));
  }
  const auto record = muster({"record", "--help"}).out;
  EXPECT_TRUE(contains(record, "--kubeconfig")) << record;
  EXPECT_FALSE(contains(record, "--leader-elect")) << record;
  EXPECT_EQ(muster({"--help"}).status, 0);
  EXPECT_TRUE(muster({"--version"}).out.starts_with("muster "));
  EXPECT_TRUE(contains(muster({"--version"}).out, ", commit "));
}

TEST_F(CommandLine, WrongUsageIsStatusTwo) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"frobnicate"},
      {"schedule"},
      {"schedule", "--colour"},
      {"schedule", "-f", "x", "--batch", "y"},
      {"schedule", "-f", "-", "-f", "-"},
      {"schedule", "-f", "x", "-o", "xml"},
      {"schedule", "-f", "x", "--cycles", "0"},
      {"schedule", "-f", "x", "--cycles", "many"},
      {"schedule", "-f", "x", "--behaviour", "wild"},
      {"schedule", "-f", "x", "--between", "lunch"},
      {"schedule", "-f", "x", "--now", "yesterday"},
      {"schedule", "-f", "x", "--node-selector", "nocolon"},
      {"schedule", "-f", "x", "--timing"},
      {"explain", "-f", "x"},
      {"explain", "name", "--config", "x"},
      {"jobs", "--state", "asleep"},
      {"decisions", "--kind", "both"},
      {"nodes", "--limit", "0"},
      {"check"},
  };
  for (const auto& arguments : wrong) {
    const auto ran = muster(arguments);
    EXPECT_EQ(ran.status, 2) << (arguments.empty() ? "nothing" : arguments.back());
    EXPECT_TRUE(ran.err.starts_with("muster: ")) << ran.err;
    EXPECT_TRUE(ran.out.empty());
  }
}

// ----------------------------------------------------------------------------------------------------- bad input

struct BadInput {
  const char* name;
  std::string content;
  const char* says;  // behind the path of the file
};

std::string deep(std::size_t levels, char open) { return std::string(levels, open); }

TEST_F(CommandLine, BadObjectsAreRefusedWithTheirPlace) {
  const BadInput cases[] = {
      {"broken.yaml", "kind: Pod\n  apiVersion: v1\n", ":1:"},
      {"unclosed.yaml", "{kind: Pod, apiVersion: v1", ":1:"},
      {"broken.json", "{\"kind\": \"Pod\",\n \"apiVersion\" \"v1\"}", ":2:"},
      {"truncated.json", "{\"kind\": \"Pod\", \"apiVersion\": \"v1\"", ":1:"},
      {"scalar.json", "42", ":1:1: must be an object or a list of objects"},
      {"nokind.yaml", "metadata: {name: x}\n", ":1:1: has no kind"},
      {"type.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: 7\n", ":5:15: Pod p: spec.containers: "},
      {"type.json",
       "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"},\n\"spec\":{\"unschedulable\":\"yes\"}}",
       ":2:25: Node n1: spec.unschedulable: "},
      {"quantity.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus:\n  allocatable: {cpu: 12parsecs}\n",
       ":5:22: Node n1: status.allocatable.cpu: "},
      {"time.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n1, creationTimestamp: noon}\n",
       ":3:41: Node n1: metadata.creationTimestamp: "},
      {"nameless.yaml", "apiVersion: v1\nkind: Node\nmetadata: {}\n", "Node: metadata.name: "},
      {"utf8.yaml", "apiVersion: v1\nkind: \xff\n", ":2:7: is not UTF-8"},
      {"deep.json", deep(100'000, '['), ":1:"},
      {"deep.yaml", deep(100'000, '['), ":1:"},
      {"negative.yaml",
       "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: c, resources: {requests: {cpu: '-1'}}}]\n",
       ":5:55: Pod p: spec.containers[0].resources.requests.cpu: must not be negative: -1"},
      {"fraction.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus:\n  allocatable: {nvidia.com/gpu: 1.5}\n",
       ":5:33: Node n1: status.allocatable.nvidia.com/gpu: must be a whole number, not 1500m"},
      {"capability.yaml",
       "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\nspec: {capability: {cpu: -4}}\n",
       ":4:26: Queue q: spec.capability.cpu: must not be negative: -4"},
      {"twice.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\n",
       ":5:1: Node n1: is there twice; the first is at "},
      {"cycle.yaml",
       "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: a}\nspec: {parent: b}\n---\n"
       "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: b}\nspec: {parent: a}\n",
       ":1:1: Queue a: spec.parent: the queue is its own ancestor: a -> b -> a"},
  };
  for (const auto& bad : cases) {
    const auto path = file(bad.name, bad.content);
    const auto ran = muster({"schedule", "-f", path});
    EXPECT_EQ(ran.status, 1) << bad.name;
    EXPECT_TRUE(contains(ran.err, "muster: " + path + ":")) << bad.name << ": " << ran.err;
    EXPECT_TRUE(contains(ran.err, bad.says)) << bad.name << ": " << ran.err;
    EXPECT_TRUE(ran.out.empty()) << bad.name;
  }
}

TEST_F(CommandLine, BadConfigurationsAreRefusedWithTheirPlace) {
  const BadInput cases[] = {
      {"broken.conf", "actions: \"allocate\n", ":1:"},
      {"list.conf", "- allocate\n", ":1:"},
      {"column.conf", "actions: \"enqueue, alocate\"\n", ":1:20: unknown action \"alocate\""},
      {"action.conf", "actions: alocate\n", ":1:10: unknown action \"alocate\"; did you mean \"allocate\"?"},
      {"plugin.conf", "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: priorty\n",
       ":4:11: unknown plugin \"priorty\"; did you mean \"priority\"?"},
      {"argument.conf",
       "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: binpack\n    arguments:\n      binpack.weight: heavy\n", ":6:23: "},
  };
  for (const auto& bad : cases) {
    const auto path = file(bad.name, bad.content);
    const auto ran = muster({"schedule", "-f", example("first-cluster"), "--config", path});
    EXPECT_EQ(ran.status, 1) << bad.name;
    EXPECT_TRUE(contains(ran.err, "muster: " + path + ":")) << bad.name << ": " << ran.err;
    EXPECT_TRUE(contains(ran.err, bad.says)) << bad.name << ": " << ran.err;
    EXPECT_EQ(muster({"check", path}).status, 1) << bad.name;
  }
}

TEST_F(CommandLine, FilesThatCannotBeReadAreNamed) {
  const auto gone = (folder_ / "gone.yaml").string();
  const auto empty = (folder_ / "empty").string();
  std::filesystem::create_directories(empty);
  const auto missing = muster({"schedule", "-f", gone});
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.err.substr(missing.err.rfind("muster: ")), "muster: " + gone + ": cannot be read: No such file or directory\n");
  EXPECT_TRUE(contains(muster({"schedule", "-f", empty}).err, empty + ": cannot be read: the directory holds no"));
  EXPECT_EQ(muster({"check", gone}).status, 1);
  EXPECT_EQ(muster({"check", empty}).status, 1);
  EXPECT_EQ(muster({"schedule", "--batch", gone}).status, 1);
}

TEST_F(CommandLine, NamesInFilesCannotSteerTheTerminal) {
  const auto path =
      file("escape.yaml", "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: \"x\\e[31m\"}\nspec: {}\n");
  const auto ran = muster({"schedule", "-f", path});
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(contains(ran.err, ":3:19: PodGroup x?[31m: metadata.name: has a control character in it: \"x?[31m\"")) << ran.err;
  EXPECT_FALSE(contains(ran.out + ran.err, "\x1b"));
}

TEST_F(CommandLine, NamesInFilesBreakNoLine) {
  const auto path = file(
      "lines.yaml", "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: xy}\nspec: {queue: \"a\\nb\"}\n");
  const auto ran = muster({"schedule", "-f", path});
  EXPECT_TRUE(contains(ran.out, "default/xy  a?b    waiting")) << ran.out;
  EXPECT_TRUE(contains(ran.err, "note: queue a?b does not exist, so this PodGroup waits: default/xy\n")) << ran.err;
  const auto forged = file("forged.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: \"n\\nmuster: fine\"}\n");
  EXPECT_TRUE(contains(muster({"schedule", "-f", forged}).err, "Node n?muster: fine: metadata.name: has a control character"));
}

TEST_F(CommandLine, LegalButUselessThingsAreExplainedNotRefused) {
  const auto path = file("useless.yaml",
                         "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {scheduling.k8s.io/group-name: gone}}\n"
                         "spec: {schedulerName: volcano, priorityClassName: none, containers: [{name: c}]}\n");
  const auto ran = muster({"schedule", "-f", path});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(contains(ran.err, "note: there is no node in the input"));
  EXPECT_TRUE(contains(ran.out, "its PodGroup does not exist, though a pod names it"));
  EXPECT_EQ(muster({"explain", "p", "-f", path}).status, 0);
}

}  // namespace
}  // namespace muster::cli
