// Plugins and actions from outside, without a library: tables that the test makes itself.

#include <gtest/gtest.h>
#include <set>

#include "engine/extension/host.h"
#include "policy/volcano/actions/backfill.h"
#include "policy/volcano/actions/extension_action.h"
#include "policy/volcano/plugins/extension_plugin.h"
#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

const muster_host* host = nullptr;
std::vector<std::string> log;
std::string started_with;

std::string text(muster_text text) { return text.data == nullptr ? "(none)" : std::string(text.data, text.length); }

muster_status initialise(const muster_host* given, const muster_arguments* arguments, void** self, muster_text*) {
  host = given;
  *self = nullptr;
  started_with.clear();
  for (std::size_t i = 0; i < arguments->count; ++i) {
    const auto& item = arguments->items[i];
    started_with +=
        text(item.key) + "=" + (item.kind == MUSTER_ARGUMENT_TEXT ? text(item.text) : std::to_string(item.number)) + ";";
  }
  return MUSTER_OK;
}
void close(void*) { log.push_back("closed"); }

muster_extension_table a_table(const muster_plugin* plugin, const muster_action* action) {
  return {sizeof(muster_extension_table),
          MUSTER_EXTENSION_VERSION,
          muster_text_of("mine"),
          muster_text_of("a test"),
          plugin,
          action,
          initialise,
          close};
}

std::shared_ptr<ExtensionInstance> instance(const muster_plugin* plugin, const muster_action* action,
                                            std::vector<ExtensionInstance::Argument> arguments = {}) {
  const auto table = a_table(plugin, action);
  auto extension = read_extension(&table, "mine.so", nullptr);
  EXPECT_TRUE(extension) << extension.error().text();
  auto started = ExtensionInstance::start(std::make_shared<const Extension>(std::move(*extension)), arguments);
  EXPECT_TRUE(started);
  return *started;
}

VolcanoWorld& furnish(VolcanoWorld& world) {
  world.add(a_volcano_queue("default"));
  world.add(a_volcano_node("n1").cpu("8").label("disk", "ssd"));
  world.add(a_volcano_node("n2").cpu("4"));
  world.add(a_pod_group("train").minimum(2).phase("Inqueue"));
  world.add(a_volcano_pod("train-0").group("train").cpu("2"));
  world.add(a_volcano_pod("train-1").group("train").cpu("2"));
  world.add(a_pod_group("old").minimum(1).phase("Running"));
  world.add(a_volcano_pod("old-0").group("old").cpu("3").on("n2"));
  return world;
}

TEST(Extension, GetsItsArgumentsLaidFlat) {
  muster_action action{sizeof(muster_action), [](void*, muster_session*, muster_text*) { return MUSTER_OK; }};
  log.clear();
  (void)instance(nullptr, &action,
                 {{"zone", value_of("a")},
                  {"limits", map_value({{"cpu", value_of(2)}, {"gpu", value_of(0.5)}})},
                  {"names", list_value({value_of("x"), value_of("y")})}});
  EXPECT_EQ(started_with, "zone=a;limits.cpu=2.000000;limits.gpu=0.500000;names[0]=x;names[1]=y;");
  EXPECT_EQ(log, std::vector<std::string>{"closed"}) << "with the last configuration that names it";
}

TEST(Extension, PluginFiltersAndScores) {
  muster_plugin table{};
  table.size = sizeof table;
  table.predicate = [](void*, muster_session* s, muster_pod, muster_node node, muster_text* why) {
    if (text(host->node_label(s, node, muster_text_of("disk"))) == "ssd") return MUSTER_FITS;
    *why = muster_text_of("no fast disk");
    return MUSTER_NEVER;
  };
  table.score = [](void*, muster_session* s, muster_pod, const muster_node* nodes, std::size_t count, double* scores) {
    for (std::size_t i = 0; i < count; ++i)
      scores[i] = static_cast<double>(host->node_amount(s, nodes[i], MUSTER_NODE_IDLE, muster_text_of("cpu")));
  };
  const auto mine = instance(&table, nullptr);
  VolcanoWorld world;
  furnish(world).open();
  ExtensionPlugin plugin(world.session(), *mine);
  EXPECT_EQ(world.refusal(plugin, "train-0", "n1"), "");
  EXPECT_EQ(world.refusal(plugin, "train-0", "n2"), "no fast disk");
  EXPECT_EQ(world.left_by_others(plugin, "train-0"), std::vector<std::string>{"n1"});
  EXPECT_EQ(world.scores(plugin, "train-0"), (std::vector<double>{8000, 1000}));
  EXPECT_EQ(plugin.predicate_dependence(world.pod("train-0")), Dependence::kOthers) << "always right when nothing is declared";
  EXPECT_TRUE(plugin.points().contains(Point::kPredicate));
  EXPECT_FALSE(plugin.points().contains(Point::kJobOrder));
}

TEST(Extension, DeclaredDependencesCount) {
  muster_plugin table{};
  table.size = sizeof table;
  table.predicate = [](void*, muster_session*, muster_pod, muster_node, muster_text*) { return MUSTER_NOT_NOW; };
  table.predicate_dependence = [](void*, muster_session* s, muster_pod pod) {
    return text(host->pod_name(s, pod)) == "default/train-0" ? MUSTER_DEPENDS_ON_NODE : MUSTER_DEPENDS_ON_NOTHING;
  };
  const auto mine = instance(&table, nullptr);
  VolcanoWorld world;
  furnish(world).open();
  ExtensionPlugin plugin(world.session(), *mine);
  EXPECT_EQ(plugin.predicate_dependence(world.pod("train-0")), Dependence::kNode);
  Verdict verdict;
  plugin.predicate(world.pod("train-0"), world.node("n1"), Dependence::kNode, verdict);
  ASSERT_EQ(verdict.size(), 1u);
  EXPECT_EQ(verdict[0].code, FitCode::kUnschedulable);
  EXPECT_EQ(world.cluster().fits().text(verdict[0].reason), "node(s) refused by plugin mine");
  verdict.clear();
  plugin.predicate(world.pod("train-1"), world.node("n1"), Dependence::kOthers, verdict);
  EXPECT_TRUE(verdict.empty());
}

TEST(Extension, PluginVotesOrdersAndHearsOfPlacements) {
  muster_plugin table{};
  table.size = sizeof table;
  table.group_rank = [](void*, muster_session* s, muster_group group) {
    return -static_cast<double>(host->group_minimum(s, group));
  };
  table.group_valid = [](void*, muster_session* s, muster_group group) {
    return text(host->group_name(s, group)) != "default/old";
  };
  table.group_admissible = [](void*, muster_session* s, muster_group group) {
    return host->group_waiting(s, group, muster_text_of("cpu")) > 1000 ? MUSTER_REJECT : MUSTER_PERMIT;
  };
  table.compare_pods = [](void*, muster_session* s, muster_pod left, muster_pod right) {
    return -text(host->pod_name(s, left)).compare(text(host->pod_name(s, right)));
  };
  table.preemptable = [](void*, muster_session* s, muster_pod, const muster_pod* pods, std::size_t count, bool* gives_up) {
    for (std::size_t i = 0; i < count; ++i) gives_up[i] = host->pod_state(s, pods[i]) == MUSTER_RUNNING;
    return MUSTER_PERMIT;
  };
  table.on_allocate = [](void*, muster_session* s, muster_pod pod) {
    log.push_back("+" + text(host->pod_name(s, pod)));
    return text(host->pod_name(s, pod)) == "default/train-1" ? MUSTER_REFUSED : MUSTER_OK;
  };
  table.on_deallocate = [](void*, muster_session* s, muster_pod pod) { log.push_back("-" + text(host->pod_name(s, pod))); };
  auto option = an_option("mine");
  option.extension = instance(&table, nullptr);
  VolcanoWorld world(a_config({option}));
  auto& session = furnish(world).open();
  EXPECT_LT(session.compare_jobs(world.job("train").id, world.job("old").id), 0);
  EXPECT_TRUE(session.job_valid(world.job("train")));
  EXPECT_FALSE(session.job_valid(world.job("old")));
  EXPECT_FALSE(session.job_enqueueable(world.job("train")));
  EXPECT_TRUE(session.job_enqueueable(world.job("old")));
  EXPECT_TRUE(session.task_before(world.pod("train-1"), world.pod("train-0")));
  EXPECT_EQ(world.names(session.preemptable(world.pod("train-0"), world.pods({"old-0", "train-1"}))),
            std::vector<std::string>{"old-0"});
  EXPECT_FALSE(session.undoes_cleanly());
  log.clear();
  Statement statement(session);
  EXPECT_TRUE(statement.allocate(world.pod("train-0"), world.node("n1")));
  EXPECT_FALSE(statement.allocate(world.pod("train-1"), world.node("n1"))) << "refused";
  EXPECT_EQ(session.books().pod(world.pod("train-1")).state, PodState::kPending);
  statement.discard();
  EXPECT_EQ(log, (std::vector<std::string>{"+default/train-0", "+default/train-1", "-default/train-1", "-default/train-0"}));
}

muster_status make_room(void*, muster_session* s, muster_text*) {
  const auto group = host->find_group(s, muster_text_of("default/train"));
  const auto node = host->find_node(s, muster_text_of("n2"));
  std::vector<muster_pod> there(host->node_pods(s, node, nullptr, 0));
  host->node_pods(s, node, there.data(), there.size());
  std::vector<muster_pod> pods(host->group_pods(s, group, nullptr, 0));
  host->group_pods(s, group, pods.data(), pods.size());
  auto* given_up = host->statement(s);
  EXPECT_EQ(host->allocate(given_up, pods[0], host->find_node(s, muster_text_of("n1"))), MUSTER_OK);
  EXPECT_EQ(host->group_count(s, group, MUSTER_ALLOCATED), 1u);
  EXPECT_EQ(host->discard(given_up), MUSTER_OK);
  EXPECT_EQ(host->pod_state(s, pods[0]), MUSTER_PENDING);
  auto* statement = host->statement(s);
  EXPECT_EQ(host->allocate(statement, pods[0], node), MUSTER_REFUSED) << "no room";
  EXPECT_EQ(host->evict(statement, there.at(0), group), MUSTER_OK);
  EXPECT_EQ(host->allocate(statement, pods[0], node), MUSTER_REFUSED) << "not yet";
  EXPECT_EQ(host->pipeline(statement, pods[0], node), MUSTER_OK);
  EXPECT_EQ(host->commit(statement), MUSTER_OK);
  host->warn(s, muster_text_of("made room"));
  return MUSTER_OK;
}

TEST(Extension, ActionEvictsAndPromises) {
  muster_action action{sizeof(muster_action), make_room};
  const auto mine = instance(nullptr, &action);
  VolcanoWorld world(a_config({an_option("gang")}));
  auto& session = furnish(world).open();
  run_extension_action(*mine, session);
  EXPECT_EQ(world.evicted(), std::vector<std::string>{"old-0"});
  EXPECT_EQ(session.outbox().back().rule, "mine");
  EXPECT_EQ(session.outbox().back().for_whom.group, world.job("train").id);
  EXPECT_EQ(session.books().pod(world.pod("train-0")).state, PodState::kPipelined);
  EXPECT_EQ(session.writes().warnings, std::vector<std::string>{"made room"});
}

// Whatever stands on n2 has to go, and what came of it.
muster_status clear_node(void*, muster_session* s, muster_text*) {
  const auto node = host->find_node(s, muster_text_of("n2"));
  std::vector<muster_pod> there(host->node_pods(s, node, nullptr, 0));
  host->node_pods(s, node, there.data(), there.size());
  auto* statement = host->statement(s);
  log.clear();
  for (const auto pod : there) {
    const auto status = host->evict(statement, pod, muster_group{});
    log.push_back(text(host->pod_name(s, pod)) + (status == MUSTER_OK ? " goes" : status == MUSTER_REFUSED ? " stays" : "?"));
  }
  host->commit(statement);
  return MUSTER_OK;
}

TEST(Extension, ActionMayNotEvictWhomAPluginProtects) {
  muster_action action{sizeof(muster_action), clear_node};
  const auto mine = instance(nullptr, &action);
  for (const auto behaviour : {Behaviour::safe(), Behaviour::exact()}) {
    VolcanoWorld world(a_config({an_option("conformance")}));
    world.memory().behaviour = behaviour;
    furnish(world);
    auto system = a_volcano_pod("old-1").group("old").cpu("1").on("n2").object();
    system.spec.priority_class = "system-node-critical";
    world.cluster().apply(Object(system));
    run_extension_action(*mine, world.open());
    const bool safe = !behaviour.keeps(Quirk::kBypassedProtection);
    EXPECT_EQ(log, (std::vector<std::string>{"default/old-0 goes", safe ? "default/old-1 stays" : "default/old-1 goes"}));
    EXPECT_EQ(world.evicted().size(), safe ? 1u : 2u);
  }
}

TEST(Extension, BackfillObeysARefusal) {
  muster_plugin table{};
  table.size = sizeof table;
  table.on_allocate = [](void*, muster_session*, muster_pod) { return MUSTER_REFUSED; };
  table.on_deallocate = [](void*, muster_session*, muster_pod) {};
  for (const auto behaviour : {Behaviour::safe(), Behaviour::exact()}) {
    auto option = an_option("mine");
    option.extension = instance(&table, nullptr);
    VolcanoWorld world(a_config({option}));
    world.memory().behaviour = behaviour;
    furnish(world).add(a_pod_group("bare").phase("Inqueue")).add(a_volcano_pod("bare-0").group("bare"));
    backfill(world.open());
    const bool obeys = !behaviour.keeps(Quirk::kRefusedAllTheSame);
    EXPECT_EQ(world.session().outbox().size(), obeys ? 0u : 1u);
    EXPECT_EQ(world.session().books().pod(world.pod("bare-0")).state, obeys ? PodState::kPending : PodState::kBinding);
  }
}

TEST(Extension, HostKnowsQueuesAndGroups) {
  muster_action action{sizeof(muster_action), [](void*, muster_session* s, muster_text*) {
                         const auto queue = host->find_queue(s, muster_text_of("default"));
                         EXPECT_EQ(text(host->queue_name(s, queue)), "default");
                         EXPECT_EQ(host->queue_amount(s, queue, MUSTER_QUEUE_ALLOCATED, muster_text_of("cpu")), 3000);
                         EXPECT_EQ(host->queue_amount(s, queue, MUSTER_QUEUE_REQUESTED, muster_text_of("cpu")), 7000);
                         EXPECT_EQ(host->queue_amount(s, queue, MUSTER_QUEUE_LIMIT, muster_text_of("nobody/asks")), 0);
                         const auto group = host->find_group(s, muster_text_of("default/old"));
                         EXPECT_EQ(host->group_queue(s, group).id, queue.id);
                         EXPECT_TRUE(host->group_admitted(s, group));
                         EXPECT_EQ(host->group_held(s, group, muster_text_of("cpu")), 3000);
                         EXPECT_EQ(host->find_group(s, muster_text_of("nobody")).id, MUSTER_NOTHING);
                         EXPECT_EQ(host->groups(s, nullptr, 0), 2u);
                         EXPECT_EQ(host->nodes(s, nullptr, 0), 2u);
                         std::set<std::string> names;
                         for (std::size_t i = 0; i < host->resources(s); ++i) names.insert(text(host->resource_name(s, i)));
                         EXPECT_TRUE(names.contains("cpu") && names.contains("memory") && names.contains("pods"));
                         return MUSTER_OK;
                       }};
  const auto mine = instance(nullptr, &action);
  VolcanoWorld world(a_config({an_option("gang")}));
  run_extension_action(*mine, furnish(world).open());
}

}  // namespace
}  // namespace muster::volcano
