// What queues used in the past, through windows and gaps, as it comes to count in a cycle.

#include <gtest/gtest.h>

#include "policy/kai/usage.h"
#include "support/kai_yaml_cycles.h"

namespace muster::kai {
namespace {

constexpr std::int64_t kHour = 3600 * kSecond;

Timestamp at(std::string_view text) { return *Timestamp::parse_rfc3339(text); }

std::string a_queue(const std::string& name) {
  const std::string free = "{quota: 0, limit: -1, overQuotaWeight: 1}";
  return "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: " + name +
         "}\nspec: {parentQueue: root, resources: {gpu: " + free + ", cpu: " + free + ", memory: " + free + "}}\n---\n";
}

// A job of that queue that would take all of the GPUs.
std::string a_job(const std::string& queue) {
  return "apiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: j" + queue +
         ", namespace: ns}\nspec: {queue: " + queue + ", minMember: 1}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: j" +
         queue + "-0, namespace: ns, uid: j" + queue + ", annotations: {pod-group-name: j" + queue +
         "}}\nspec: {schedulerName: kai-scheduler, containers: [{name: m, resources: {requests: {nvidia.com/gpu: 8}}}]}\n"
         "status: {phase: Pending}\n---\n";
}

// Of two queues that both want all 8 GPUs, the share of "a".
double share_of_a(const QueueUsage& usage) {
  KaiYamlCycles cycles(
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 8, nvidia.com/gpu: 8, pods: 9}}\n---\n" +
      a_queue("a") + a_queue("b") + a_job("a") + a_job("b"));
  cycles.cluster().set_usage(usage);
  cycles.run();
  return cycles.gpu_share("a");
}

// Until the new window begins, the queue "a" had everything.
std::vector<UsagePoint> history() {
  std::vector<UsagePoint> points;
  for (int hour = 0; hour < 10; ++hour) {
    UsagePoint point;
    point.at = Timestamp{at("2026-01-01T00:30:00Z").seconds + hour * 3600, 0};
    for (const auto share : kShares) {
      point.capacity[share] = 8;
      point.allocated[hour < 6 ? "a" : "b"][share] = 8;
    }
    points.push_back(std::move(point));
  }
  return points;
}

TEST(UsageCycle, WhoUsedMoreGetsLess) {
  EXPECT_EQ(share_of_a({}), 4);
  EXPECT_EQ(share_of_a({{"a", {{0, 0, 0.5}}}, {"b", {{0, 0, 0.25}}}}), 3);
  EXPECT_EQ(share_of_a({{"a", {{0, 0, 1}}}}), 0);
}

TEST(UsageCycle, WindowsForget) {
  const auto now = at("2026-01-01T10:00:00Z");
  auto params = default_usage_params();
  params.window_size = 20 * kHour;
  const auto sliding = share_of_a(*usage_of_points(params, history(), now));
  EXPECT_LT(sliding, 4);  // had six hours of ten

  params.window = UsageWindow::kTumbling;
  params.window_size = 6 * kHour;
  params.tumbling_start = at("2026-01-01T00:00:00Z");
  EXPECT_EQ(share_of_a(*usage_of_points(params, history(), now)), 8);  // since six only "b" had anything

  params.window = UsageWindow::kCron;
  params.cron = *CronSchedule::parse("0 0 * * *");
  EXPECT_EQ(share_of_a(*usage_of_points(params, history(), now)), sliding);
  params.cron = *CronSchedule::parse("0 */6 * * *");
  EXPECT_EQ(share_of_a(*usage_of_points(params, history(), now)), 8);
}

TEST(UsageCycle, StaleUsageStillCounts) {
  const auto params = default_usage_params();
  UsageMemory memory;
  EXPECT_EQ(share_of_a(memory.usage()), 4);
  memory.take(QueueUsage{{"a", {{0, 0, 1}}}}, at("2026-01-01T10:00:00Z"));
  EXPECT_EQ(share_of_a(memory.usage()), 0);
  memory.take(std::nullopt, at("2026-01-01T11:00:00Z"));
  EXPECT_TRUE(memory.stale(params, at("2026-01-01T11:00:00Z")));
  EXPECT_EQ(share_of_a(memory.usage()), 0);
  memory.take(QueueUsage{}, at("2026-01-01T12:00:00Z"));
  EXPECT_EQ(share_of_a(memory.usage()), 4);
}

}  // namespace
}  // namespace muster::kai
