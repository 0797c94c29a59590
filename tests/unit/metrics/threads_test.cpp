// Writers and a reader at the same time; the thread sanitizer watches.

#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "metrics/registry.h"

namespace muster::metrics {
namespace {

constexpr int kWriters = 3;
constexpr int kRounds = 5000;

double sample(const std::string& text, const std::string& series) {
  const auto at = text.find("\n" + series + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
}

TEST(Threads, NothingIsLost) {
  Registry registry;
  auto& total = registry.counter("total", "T.");
  auto& level = registry.gauge("level", "L.");
  auto& sizes = registry.histogram("sizes", "S.", {1, 10, 100});
  auto& jobs = registry.gauges({"jobs", "J.", {"job"}});

  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer)
    writers.emplace_back([&, writer] {
      for (int i = 0; i < kRounds; ++i) {
        total.increment();
        level.add(i % 2 == 0 ? 1 : -1);
        sizes.observe(i % 200);
        const auto job = std::to_string(writer) + "-" + std::to_string(i % 7);
        jobs.with({job}).set(i);
        if (i % 5 == 0) jobs.remove({job});
      }
    });
  std::atomic<bool> stopped = false;
  std::thread reader([&] {
    for (double before = 0; !stopped;) {
      const auto text = registry.text();
      const double now = sample(text, "total");
      EXPECT_GE(now, before);
      before = now;
      EXPECT_EQ(sample(text, "sizes_bucket{le=\"+Inf\"}"), sample(text, "sizes_count"));
    }
  });
  for (auto& writer : writers) writer.join();
  stopped = true;
  reader.join();

  EXPECT_EQ(total.value(), kWriters * kRounds);
  EXPECT_EQ(level.value(), 0);
  const auto reading = sizes.read();
  EXPECT_EQ(reading.cumulative.back(), kWriters * kRounds);
  EXPECT_EQ(reading.sum, kWriters * (kRounds / 200) * (199 * 200 / 2));
}

}  // namespace
}  // namespace muster::metrics
