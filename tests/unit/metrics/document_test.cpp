// docs/metrics.md lists what is registered, with the same words, and nothing else.

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "metrics/kai_metrics.h"
#include "metrics/own_metrics.h"
#include "metrics/process_metrics.h"
#include "metrics/volcano_metrics.h"

namespace muster::metrics {
namespace {

std::string row_of(const AnyFamily& family) {
  const auto& description = family.description();
  std::string labels;
  for (const auto& label : description.labels) labels += (labels.empty() ? "`" : ", `") + label + "`";
  return "| `" + description.name + "` | " + std::string(text_of(family.kind())) + " | " + labels + " | " + description.help + " |";
}

TEST(Document, ListsEveryFamily) {
  Registry registry;
  const OwnMetrics own(registry);
  const ProcessMetrics process(registry);
  const VolcanoMetrics volcano(registry);
  const KaiMetrics kai(registry);
  std::set<std::string> wanted;
  for (const auto* family : registry.families()) wanted.insert(row_of(*family));

  std::ifstream document(MUSTER_SOURCE_DIR "/docs/metrics.md");
  std::set<std::string> found;
  for (std::string line; std::getline(document, line);)
    if (line.starts_with("| `")) found.insert(line);
  for (const auto& row : wanted) EXPECT_TRUE(found.contains(row)) << "not in docs/metrics.md: " << row;
  for (const auto& row : found) EXPECT_TRUE(wanted.contains(row)) << "no such family: " << row;
}

// By which the panels of the dashboard are checked.
TEST(Document, TheDashboardKnowsEveryFamily) {
  Registry registry;
  const OwnMetrics own(registry);
  const VolcanoMetrics volcano(registry);
  const KaiMetrics kai(registry);
  std::set<std::string> wanted, listed;
  for (const auto* family : registry.families()) wanted.insert(family->description().name);
  std::ifstream list(MUSTER_SOURCE_DIR "/deploy/grafana/metrics.txt");
  for (std::string name; list >> name;) listed.insert(name);
  EXPECT_EQ(listed, wanted);
}

}  // namespace
}  // namespace muster::metrics
