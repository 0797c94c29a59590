#include "daemon/leadership.h"

#include <gtest/gtest.h>

#include "unit/kube/fake_loop.h"

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

// Who is told that we lead lists what another may have decided: nothing may be decided before it has begun to.
TEST(Leadership, NothingMayBeWrittenBeforeThoseWhoHaveToKnowAreTold) {
  kube::FakeLoop loop;
  Log log({}, loop, [](std::string_view) {});
  kube::ElectionSettings settings;
  settings.identity = "me";
  std::unique_ptr<Leadership> leadership;
  int told = 0, lost = 0;
  leadership = std::make_unique<Leadership>(Leadership::By::kLease, settings, log,
                                            Leadership::Events{.on_leading =
                                                                   [&] {
                                                                     ++told;
                                                                     EXPECT_FALSE(leadership->may_write());
                                                                   },
                                                               .on_lost =
                                                                   [&] {
                                                                     ++lost;
                                                                     EXPECT_FALSE(leadership->may_write());
                                                                   }});
  EXPECT_FALSE(leadership->may_write());
  leadership->begin(loop);
  loop.advance(0ms);
  loop.answer(loop.only(), 404, "{}");
  loop.advance(0ms);
  const auto asked = loop.request(loop.only());
  ASSERT_EQ(asked.method, kube::Method::kPost);
  EXPECT_EQ(told, 0);
  loop.answer(loop.only(), 201, asked.body);
  loop.advance(0ms);
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(leadership->may_write());
  EXPECT_EQ(leadership->leader(), "me");
  loop.advance(settings.lease_duration);  // nobody answers
  EXPECT_EQ(lost, 1);
  EXPECT_FALSE(leadership->may_write());
  leadership->end();
}

TEST(Leadership, WithoutALeaseItIsDecidedFromTheBeginning) {
  kube::FakeLoop loop;
  Log log({}, loop, [](std::string_view) {});
  EXPECT_TRUE(Leadership(Leadership::By::kNature, {}, log, {}).may_write());
  EXPECT_FALSE(Leadership(Leadership::By::kNever, {}, log, {}).may_write());
}

}  // namespace
}  // namespace muster::daemon
