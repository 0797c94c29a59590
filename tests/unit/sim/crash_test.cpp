// Controllers whose process ends, or whose disk is full, between any two writes.

#include <gtest/gtest.h>

#include "sim/controllers/controllers.h"
#include "sim/garbage.h"
#include "unit/sim/controlled_cluster.h"

namespace muster::sim {
namespace {

constexpr std::int64_t kPlenty = 1'000'000;

const Kind& crashed_jobs() { return kind_named("batch", "jobs"); }
const Kind& crashed_pods() { return kind_named("", "pods"); }

// What is on the disk: it takes so many writes and no more.
struct Disk {
  Store store;
  std::int64_t room = kPlenty;

  Disk() {
    store.on_persist([this](const Kind&, const Change&) -> Result<void> {
      if (room == 0) return fail("no room");
      --room;
      return {};
    });
  }
};

// The process that has it. Pods are started and ended by the test.
class Process {
 public:
  Process(Disk& disk, std::int64_t now) : store_(disk.store), now_(now) { settle(); }

  Registry& registry() { return registry_; }
  void settle() {
    for (int i = 0; i < 3; ++i) {
      garbage_.run();
      controllers_.run();
    }
  }
  void pass(std::int64_t seconds) {
    now_ += seconds;
    controllers_.tick();
    settle();
  }
  // Ends every pod; how many it were.
  std::int64_t end_pods(std::string_view phase) {
    std::vector<Key> waiting;
    for (const auto& [key, pod] : store_.objects(crashed_pods()))
      if (pod->fields.get("status.phase") == "Pending") waiting.push_back(key);
    std::int64_t ended = 0;
    for (const auto& key : waiting) {
      const auto done = registry_.change(crashed_pods(), key, Part::kStatus, [&](Tree pod) -> Answered<Tree> {
        pod["status"]["phase"] = Tree(phase);
        return pod;
      });
      ended += done.has_value() ? 1 : 0;
    }
    settle();
    return ended;
  }
  Tree job() const {
    const auto found = store_.find(crashed_jobs(), {"default", "j"});
    return found ? found->tree() : Tree();
  }

 private:
  Outside outside() {
    Outside out;
    out.now = [this] { return Timestamp{now_, 0}; };
    // No process gives what another one has given.
    static std::uint64_t count = 0;
    out.random = [] { return ++count * 0x9E3779B97F4A7C15ULL; };
    return out;
  }

  Store& store_;
  std::int64_t now_;
  Registry registry_{store_, outside()};
  Owners owners_{store_};
  Garbage garbage_{registry_, store_, owners_};
  Controllers controllers_{registry_, store_, owners_};
};

// What another process finds.
void copy_to(const Disk& from, Disk& to) {
  for (const auto& kind : kinds())
    for (const auto& [key, object] : from.store.objects(kind)) to.store.restore(kind, object->tree(), object->revision);
  to.store.restore_revision(from.store.revision());
}

void begin_job(Process& process, const std::string& spec) {
  const auto& namespaces = kind_named("", "namespaces");
  ASSERT_TRUE(
      process.registry().create(namespaces, "", json(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}})")));
  ASSERT_TRUE(process.registry().create(crashed_jobs(), "default", json(job_text(spec))));
  process.settle();
}

// Until it has ended; how many pods ended on the way.
std::int64_t run_on(Process& process, std::string_view phase) {
  std::int64_t ended = 0;
  for (int i = 0; i < 50 && !has_condition(process.job(), "Complete") && !has_condition(process.job(), "Failed"); ++i) {
    ended += process.end_pods(phase);
    process.pass(20);
  }
  return ended;
}

constexpr std::int64_t kBegin = 1'700'000'000;

TEST(Crash, NoPodOfAJobIsCountedTwiceOrNever) {
  for (const std::string spec :
       {R"("completions":3,"parallelism":2,)", R"("completions":3,"parallelism":2,"completionMode":"Indexed",)"})
    for (std::int64_t room = 0; room < 14; ++room) {
      Disk disk;
      std::int64_t ended = 0;
      {
        Process process(disk, kBegin);
        begin_job(process, spec);
        disk.room = room;
        ended += process.end_pods("Succeeded");
      }
      Disk found;
      copy_to(disk, found);
      Process again(found, kBegin + 1);
      again.pass(1);
      ended += run_on(again, "Succeeded");
      EXPECT_TRUE(has_condition(again.job(), "Complete")) << spec << room;
      EXPECT_EQ(again.job().integer_at("status.succeeded"), 3) << spec << room;
      EXPECT_EQ(ended, 3) << spec << "killed after " << room << " writes";
      EXPECT_TRUE(again.job().at("status.uncountedTerminatedPods")->as_map()->empty()) << spec << room;
    }
}

TEST(Crash, NoFailureIsCountedTwice) {
  for (std::int64_t room = 0; room < 10; ++room) {
    Disk disk;
    std::int64_t ended = 0;
    {
      Process process(disk, kBegin);
      begin_job(process, R"("backoffLimit":2,)");
      disk.room = room;
      ended += process.end_pods("Failed");
    }
    Disk found;
    copy_to(disk, found);
    Process again(found, kBegin + 1);
    for (int i = 0; i < 50 && !has_condition(again.job(), "Failed"); ++i) {
      again.pass(600);
      ended += again.end_pods("Failed");
    }
    EXPECT_EQ(ended, 3) << "killed after " << room << " writes";
    EXPECT_EQ(again.job().integer_at("status.failed"), 3) << room;
  }
}

TEST(Crash, AFullDiskThatHasRoomAgainStopsNoJob) {
  for (std::int64_t room = 0; room < 10; ++room) {
    Disk disk;
    Process process(disk, kBegin);
    begin_job(process, R"("completions":2,)");
    disk.room = room;
    auto ended = process.end_pods("Succeeded");
    process.pass(1);
    disk.room = kPlenty;
    process.pass(20);
    ended += run_on(process, "Succeeded");
    EXPECT_TRUE(has_condition(process.job(), "Complete")) << room;
    EXPECT_EQ(ended, 2) << "full after " << room << " writes";
  }
}

TEST(Crash, AFullDiskThatHasRoomAgainKeepsNoPodOfALostNode) {
  Disk disk;
  Process process(disk, kBegin);
  const auto& nodes = kind_named("", "nodes");
  ASSERT_TRUE(process.registry().create(kind_named("", "namespaces"), "", json(R"({"metadata":{"name":"default"}})")));
  ASSERT_TRUE(process.registry().create(nodes, "", json(R"({"metadata":{"name":"n"}})")));
  ASSERT_TRUE(process.registry().create(
      crashed_pods(), "default",
      json(R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})")));
  process.settle();
  disk.room = 1;  // for the taint, and not for the deletion
  ASSERT_TRUE(process.registry().change(nodes, {"", "n"}, Part::kServer, [](Tree node) -> Answered<Tree> {
    node["spec"]["taints"] = json(R"([{"key":"broken","effect":"NoExecute"}])");
    return node;
  }));
  process.settle();
  ASSERT_TRUE(disk.store.find(crashed_pods(), {"default", "p"}));
  disk.room = kPlenty;
  process.pass(1);
  EXPECT_FALSE(disk.store.find(crashed_pods(), {"default", "p"}));
}

}  // namespace
}  // namespace muster::sim
