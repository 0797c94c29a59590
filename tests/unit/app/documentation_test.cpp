// Documents that repeat what a table in the code says are compared with it.

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "app/pending_reason.h"
#include "policy/volcano/behaviour.h"

namespace muster {
namespace {

std::string document(const std::string& name) {
  std::ifstream file(std::string(MUSTER_SOURCE_DIR) + "/docs/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The rows of the only table in a document, without its two lines of heading.
std::vector<std::string> table_rows(const std::string& text) {
  std::vector<std::string> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| ") || line.starts_with("|-")) rows.push_back(line);
  if (rows.size() >= 2) rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

std::string row(std::initializer_list<std::string_view> cells) {
  std::string out = "|";
  for (const auto cell : cells) out.append(" ").append(cell).append(" |");
  return out;
}

TEST(Documentation, DifferencesAreThoseOfTheTable) {
  std::vector<std::string> rows;
  for (const auto& d : volcano::differences()) rows.push_back(row({"`" + std::string(d.name) + "`", d.original, d.why, d.instead}));
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
