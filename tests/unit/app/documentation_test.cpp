// Documents that repeat what a table in the code says are compared with it.

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "app/kai_reason.h"
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

// A part of a document, from its heading to the next one of the same rank.
std::string part(const std::string& text, const std::string& heading) {
  const auto begin = text.find("\n## " + heading + "\n");
  if (begin == std::string::npos) return {};
  const auto end = text.find("\n## ", begin + 1);
  return text.substr(begin, end == std::string::npos ? end : end - begin);
}

// The rows of all tables in a text, without their two lines of heading.
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

// A reason that is missing in the document, one too many, or another order: each is a difference.
template <class Reasons>
std::vector<std::string> rows_of_reasons(const Reasons& reasons) {
  std::vector<std::string> rows;
  for (const auto& r : reasons) {
    EXPECT_EQ(text_of(r.reason).code, r.code);
    if (!r.hint.empty()) rows.push_back(row({"`" + std::string(r.code) + "`", r.meaning, r.hint}));
  }
  EXPECT_EQ(rows.size() + 1, reasons.size());  // all but the one that nothing is missing
  return rows;
}

TEST(Documentation, ReasonsOfVolcanoAreThoseOfTheTable) {
  EXPECT_EQ(table_rows(part(document("why-pending.md"), "Volcano")), rows_of_reasons(pending_reasons()));
}

TEST(Documentation, ReasonsOfKaiAreThoseOfTheTable) {
  EXPECT_EQ(table_rows(part(document("why-pending.md"), "KAI")), rows_of_reasons(kai_reasons()));
}

}  // namespace
}  // namespace muster
