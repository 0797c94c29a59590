// Documents that repeat what a table in the code says are compared with it.

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "app/pending_reason.h"
#include "policy/kai/behaviour.h"
#include "policy/volcano/behaviour.h"

namespace muster {
namespace {

std::string document(const std::string& name) {
  std::ifstream file(std::string(MUSTER_SOURCE_DIR) + "/docs/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The rows of all tables in a document, without their two lines of heading.
std::vector<std::string> table_rows(const std::string& text) {
  std::vector<std::string> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| "))
      rows.push_back(line);
    else if (line.starts_with("|-") && !rows.empty())
      rows.pop_back();
  return rows;
}

std::string row(std::initializer_list<std::string_view> cells) {
  std::string out = "|";
  for (const auto cell : cells) out.append(" ").append(cell).append(" |");
  return out;
}

TEST(Documentation, DifferencesAreThoseOfTheTable) {
  std::vector<std::string> rows;
  const auto add = [&](const auto& d) { rows.push_back(row({"`" + std::string(d.name) + "`", d.original, d.why, d.instead})); };
  for (const auto& difference : volcano::differences()) add(difference);
  for (const auto& difference : kai::differences()) add(difference);
  EXPECT_EQ(table_rows(document("differences.md")), rows);
}

TEST(Documentation, ReasonsArePrintedAsTheTableHasThem) {
  std::vector<std::string> rows;
  for (const auto& r : pending_reasons())
    if (r.reason != PendingReason::kNone) rows.push_back(row({"`" + std::string(r.code) + "`", r.meaning, r.hint}));
  EXPECT_EQ(table_rows(document("why-pending.md")), rows);
}

}  // namespace
}  // namespace muster
