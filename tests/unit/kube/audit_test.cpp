#include "kube/audit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "unit/kube/fake_api.h"

namespace muster::kube {
namespace {

using std::chrono::seconds;

// A store, a reflector that follows it and an audit that looks after it, with whoever believes what is told.
class AuditedWorld {
 public:
  explicit AuditedWorld(AuditSettings settings = {.per_second = 10, .slice = 2}) {
    ReflectorSettings following;
    following.streams_lists = false;
    queue.on_room([this] { reflector->on_room(); });
    reflector = std::make_unique<Reflector>(loop, resource_kinds().front(), queue, following, [] { return 0.5; });
    reflector->start();
    audit = std::make_unique<Audit>(
        loop, std::vector<Reflector*>{reflector.get()}, settings,
        Audit::Events{.on_checked = [this](std::size_t objects) { checked += objects; },
                      .on_mismatch = [this](const ResourceKind&, const Identity& id,
                                            std::string_view what) { mismatches.push_back(id.name + " " + std::string(what)); }});
    audit->start();
  }

  // Every open call is answered as far as it can be, and time passes.
  void serve(seconds time = seconds(1)) {
    std::vector<CallId> open;
    for (const auto& [id, call] : loop.calls) open.push_back(id);
    for (const auto id : open)
      if (loop.calls.contains(id)) api.serve(id, 100);
    drain(1000);
    loop.advance(time);
  }
  void rounds(std::uint64_t count) {
    const auto end = audit->rounds() + count;
    for (int i = 0; i < 1000 && audit->rounds() < end; ++i) serve();
    EXPECT_GE(audit->rounds(), end);
    serve();
  }
  void drain(std::size_t most) {
    for (const auto& change : queue.take(most, Duration(0))) {
      if (change.type == ChangeType::kDeleted) known.erase(change.id.name);
      if (change.type == ChangeType::kAdded || change.type == ChangeType::kModified)
        known[change.id.name] = change.id.uid + "@" + change.id.resource_version;
    }
  }

  FakeLoop loop;
  FakeApi api{loop};
  EventQueue queue{100};
  std::unique_ptr<Reflector> reflector;
  std::unique_ptr<Audit> audit;
  std::map<std::string, std::string> known;
  std::size_t checked = 0;
  std::vector<std::string> mismatches;
};

TEST(Audit, WhatIsRightIsCompared) {
  AuditedWorld world;
  for (const auto* name : {"a", "b", "c", "d", "e"}) world.api.create(name);
  world.rounds(2);
  EXPECT_TRUE(world.mismatches.empty());
  EXPECT_GE(world.checked, 10u);
}

TEST(Audit, EveryKindOfLostChangeIsFoundAndMended) {
  AuditedWorld world;
  for (const auto* name : {"a", "b", "c", "d"}) world.api.create(name);
  world.rounds(1);
  world.api.lose_changes(true);
  world.api.create("bb");
  world.api.change("c");
  world.api.remove("d");
  world.api.remove("a");
  world.api.create("a");  // another one of that name
  world.api.lose_changes(false);
  world.api.change("b");
  world.serve();
  EXPECT_NE(world.known, world.api.state());
  world.rounds(2);
  EXPECT_EQ(world.known, world.api.state());
  EXPECT_EQ(world.mismatches.size(), 4u);
  world.rounds(2);
  EXPECT_EQ(world.mismatches.size(), 4u) << "once each";
}

TEST(Audit, ItsCostHasABound) {
  AuditedWorld world({.per_second = 4, .slice = 5});
  for (int i = 0; i < 9; ++i) world.api.create("n" + std::to_string(i));
  world.rounds(1);
  world.checked = 0;
  for (int i = 0; i < 100; ++i) world.serve();
  EXPECT_LE(world.checked, 400u);
  EXPECT_GE(world.checked, 100u);
}

TEST(Audit, NothingIsAskedWithoutARate) {
  AuditedWorld world({.per_second = 0});
  world.api.create("a");
  for (int i = 0; i < 10; ++i) world.serve();
  EXPECT_EQ(world.audit->rounds(), 0u);
  for (const auto& request : world.loop.sent) EXPECT_EQ(request.path.find("Exact"), std::string::npos);
}

// A server that has forgotten the moment of the first slice goes on with the present: all are compared none the less.
TEST(Audit, GoesOnWhereTheMomentIsForgotten) {
  AuditedWorld world;
  for (const auto* name : {"a", "b", "c", "d", "e", "f"}) world.api.create(name);
  world.rounds(1);
  world.api.lose_changes(true);
  world.api.change("e");
  world.api.lose_changes(false);
  world.api.change("a");
  world.checked = 0;
  const auto round = world.audit->rounds();
  for (int i = 0; i < 100 && world.audit->rounds() < round + 3; ++i) {
    world.api.change("a");
    world.serve();
    world.api.compact();
  }
  EXPECT_EQ(world.mismatches.size(), 1u);
  EXPECT_EQ(world.known, world.api.state());
}

// However lists, watches, compaction and faults interleave, what is only late is never called wrong; and what was lost is found
// once everything is quiet.
RC_GTEST_PROP(Audit, NeverCriesWolf, ()) {
  AuditedWorld world;
  const auto steps =
      *rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(rc::gen::inRange(0, 11), rc::gen::inRange(0, 12)));
  for (const auto& [what, which] : steps) {
    const auto name = "n" + std::to_string(which % 6);
    const auto serve_one = [&](std::size_t most) {
      if (world.loop.calls.empty()) return;
      auto at = world.loop.calls.begin();
      std::advance(at, static_cast<std::ptrdiff_t>(static_cast<std::size_t>(which) % world.loop.calls.size()));
      world.api.serve(at->first, most);
    };
    switch (what) {
      case 0:
      case 1: world.api.create(name); break;
      case 2: world.api.change(name); break;
      case 3: world.api.remove(name); break;
      case 4: world.api.compact(); break;
      case 5:
      case 6:
      case 7: serve_one(static_cast<std::size_t>(which)); break;
      case 8:
        if (!world.loop.calls.empty()) world.api.cut(world.loop.calls.begin()->first);
        break;
      case 9: world.loop.advance(std::chrono::milliseconds(which * 300)); break;
      default: world.drain(static_cast<std::size_t>(which % 4)); break;
    }
  }
  RC_ASSERT(world.mismatches.empty());
  for (int i = 0; i < 120; ++i) world.serve();
  RC_ASSERT(world.mismatches.empty());
  RC_ASSERT(world.known == world.api.state());

  world.api.create("n0");
  for (int i = 0; i < 10; ++i) world.serve();
  world.api.lose_changes(true);
  world.api.change("n0");
  world.api.lose_changes(false);
  world.api.create("last");
  for (int i = 0; i < 120; ++i) world.serve();
  RC_ASSERT(world.known == world.api.state());
}

}  // namespace
}  // namespace muster::kube
