#include "metrics/registry.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace muster::metrics {
namespace {

TEST(Registry, TextOfEveryKind) {
  Registry registry;
  auto& latency = registry.histograms({"b_latency", "How long\nit \\ \"took\".", {"zone", "action"}}, exponential(0.005, 2, 3));
  auto& share = registry.gauges({"a_share", "Share of a queue.", {"queue"}});
  auto& total = registry.counter("c_total", "All.");
  registry.counters({"d_unused_total", "Never.", {"x"}});
  registry.gauge("e_level", "Now.");

  auto& one = latency.with({"z2", "b"});
  for (const double value : {0.005, 0.011, 7.0}) one.observe(value);
  latency.with({"z3", "a"});
  share.with({"alpha"}).set(1e6);
  share.with({"Zeta"}).set(std::numeric_limits<double>::infinity());
  share.with({"a\\b\"c\nd"}).set(1.5);
  share.with({""}).set(std::nan(""));
  total.add(1234567);

  EXPECT_EQ(registry.text(),
            R"(# HELP a_share Share of a queue.
# TYPE a_share gauge
a_share{queue=""} NaN
a_share{queue="Zeta"} +Inf
a_share{queue="a\\b\"c\nd"} 1.5
a_share{queue="alpha"} 1e+06
# HELP b_latency How long\nit \\ "took".
# TYPE b_latency histogram
b_latency_bucket{action="a",zone="z3",le="0.005"} 0
b_latency_bucket{action="a",zone="z3",le="0.01"} 0
b_latency_bucket{action="a",zone="z3",le="0.02"} 0
b_latency_bucket{action="a",zone="z3",le="+Inf"} 0
b_latency_sum{action="a",zone="z3"} 0
b_latency_count{action="a",zone="z3"} 0
b_latency_bucket{action="b",zone="z2",le="0.005"} 1
b_latency_bucket{action="b",zone="z2",le="0.01"} 1
b_latency_bucket{action="b",zone="z2",le="0.02"} 2
b_latency_bucket{action="b",zone="z2",le="+Inf"} 3
b_latency_sum{action="b",zone="z2"} 7.016
b_latency_count{action="b",zone="z2"} 3
# HELP c_total All.
# TYPE c_total counter
c_total 1.234567e+06
# HELP e_level Now.
# TYPE e_level gauge
e_level 0
)");
}

TEST(Registry, HistogramWithoutLabels) {
  Registry registry;
  auto& latency = registry.histogram("latency", "How long.", {1});
  latency.observe(1);
  latency.observe(std::nan(""));
  EXPECT_EQ(registry.text(),
            "# HELP latency How long.\n# TYPE latency histogram\n"
            "latency_bucket{le=\"1\"} 1\nlatency_bucket{le=\"+Inf\"} 2\nlatency_sum NaN\nlatency_count 2\n");
}

TEST(Registry, ValuesKeptElsewhereAreFreshInTheText) {
  Registry registry;
  auto& gauge = registry.gauge("g", "G.");
  registry.before_text([&] { gauge.add(1); });
  EXPECT_EQ(registry.text(), "# HELP g G.\n# TYPE g gauge\ng 1\n");
  EXPECT_EQ(registry.text(), "# HELP g G.\n# TYPE g gauge\ng 2\n");
}

TEST(Counter, OnlyGrows) {
  Counter counter;
  counter.raise_to(5);
  counter.raise_to(3);
  counter.add(0.5);
  EXPECT_EQ(counter.value(), 5.5);
}

TEST(Family, SameValuesSameSeries) {
  Family<Counter> family({"x_total", "X.", {"b", "a"}});
  auto& one = family.with({"1", "2"});
  EXPECT_EQ(&one, &family.with({"1", "2"}));
  EXPECT_NE(&one, &family.with({"2", "1"}));
  EXPECT_EQ(family.size(), 2U);
}

TEST(Family, SeriesGo) {
  Family<Gauge> family({"x", "X.", {"queue", "resource"}});
  const auto fill = [&] {
    for (const auto* queue : {"q1", "q2"})
      for (const auto* resource : {"cpu", "gpu"}) family.with({queue, resource}).set(1);
  };
  fill();
  family.remove({"q1", "cpu"});
  family.remove({"q1", "nothing of the kind"});
  EXPECT_EQ(family.size(), 3U);
  fill();
  family.remove_where("queue", "q2");
  family.remove_where("queue", "cpu");
  EXPECT_EQ(family.size(), 2U);
  family.clear();
  EXPECT_EQ(family.size(), 0U);
  std::string text;
  family.append_text(text);
  EXPECT_EQ(text, "");
}

TEST(Family, ReplacedAsAWhole) {
  Family<Gauge> family({"x", "X.", {"queue"}});
  family.with({"old"}).set(1);
  auto& kept = family.with({"kept"});
  family.replace_all({{{"new"}, 3}, {{"kept"}, 2}});
  std::string text;
  family.append_text(text);
  EXPECT_EQ(text, "# HELP x X.\n# TYPE x gauge\nx{queue=\"kept\"} 2\nx{queue=\"new\"} 3\n");
  EXPECT_EQ(&kept, &family.with({"kept"}));
}

}  // namespace
}  // namespace muster::metrics
