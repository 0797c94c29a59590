// Random histories of a store, with connections that break, pages and watches that expire, faults and full queues: the consumer
// ends with what the store has, and every change it hears of is possible after the one before.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/reflector.h"
#include "unit/kube/fake_api.h"

namespace muster::kube {
namespace {

// What someone knows who believes every change.
class Believer {
 public:
  void hear(const Change& change) {
    const auto state = change.id.uid + "@" + change.id.resource_version;
    switch (change.type) {
      case ChangeType::kAdded:
        RC_ASSERT(!known.contains(change.id.name));
        RC_ASSERT(change.object.has_value());
        known[change.id.name] = state;
        break;
      case ChangeType::kModified:
        RC_ASSERT(known.contains(change.id.name));
        RC_ASSERT(known[change.id.name] != state);
        RC_ASSERT(known[change.id.name].substr(0, change.id.uid.size() + 1) == change.id.uid + "@");
        known[change.id.name] = state;
        break;
      case ChangeType::kDeleted:
        RC_ASSERT(known.contains(change.id.name));
        RC_ASSERT(known[change.id.name].substr(0, change.id.uid.size() + 1) == change.id.uid + "@");
        known.erase(change.id.name);
        break;
      case ChangeType::kUnchanged: RC_ASSERT(known[change.id.name] == state); break;
      case ChangeType::kSynced: RC_ASSERT(!std::exchange(synced, true)); break;
    }
  }
  std::map<std::string, std::string> known;
  bool synced = false;
};

class World {
 public:
  World(bool streams_lists, bool server_streams_lists) {
    api.streams_lists = server_streams_lists;
    ReflectorSettings settings;
    settings.page = 2;
    settings.streams_lists = streams_lists;
    queue.on_room([this] { reflector->on_room(); });
    reflector = std::make_unique<Reflector>(loop, resource_kinds().front(), queue, settings, [] { return 0.5; });
    reflector->start();
  }

  void step(int what, int which) {
    const auto name = "n" + std::to_string(which % 6);
    switch (what) {
      case 0:
      case 1: api.create(name); break;
      case 2: api.change(name); break;
      case 3: api.remove(name); break;
      case 4: api.compact(); break;
      case 5:
      case 6:
      case 7: with_call([&](CallId id) { api.serve(id, static_cast<std::size_t>(which)); }); break;
      case 8: with_call([&](CallId id) { api.cut(id); }); break;
      case 9: with_call([&](CallId id) { fault(id, which); }); break;
      case 10: loop.advance(std::chrono::milliseconds(which * 700)); break;
      default: drain(static_cast<std::size_t>(which % 4)); break;
    }
  }
  void settle() {
    for (int i = 0; i < 60; ++i) {
      with_call([&](CallId id) { api.serve(id, 100); });
      drain(1000);
      loop.advance(std::chrono::seconds(40));
    }
  }
  void drain(std::size_t most) {
    for (const auto& change : queue.take(most, Duration(0))) believer.hear(change);
  }

  FakeLoop loop;
  FakeApi api{loop};
  EventQueue queue{5};
  std::unique_ptr<Reflector> reflector;
  Believer believer;

 private:
  template <class F>
  void with_call(F&& f) {
    if (!loop.calls.empty() && !loop.calls.begin()->second.paused) f(loop.calls.begin()->first);
  }
  void fault(CallId id, int which) {
    if (loop.calls.at(id).head_told) return loop.end(id);
    switch (which % 4) {
      case 0: return loop.answer(id, 500, "{}");
      case 1: return loop.answer(id, 429, "slow down", "2");
      case 2: return loop.answer(id, 504, "{}", "1");
      default: return loop.end(id, "refused");
    }
  }
};

RC_GTEST_PROP(ReflectorHistory, ConsumerEndsWithTheStore, ()) {
  World world(*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>());
  const auto steps =
      *rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(rc::gen::inRange(0, 12), rc::gen::inRange(0, 12)));
  for (const auto& [what, which] : steps) world.step(what, which);
  world.settle();
  RC_ASSERT(world.believer.synced);
  RC_ASSERT(world.believer.known == world.api.state());
}

}  // namespace
}  // namespace muster::kube
