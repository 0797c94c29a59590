// docs/plugins.md lists what the settings table knows, with the status that the flag `implemented` allows.

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "policy/volcano/settings_table.h"

namespace muster::volcano {
namespace {

using Cells = std::vector<std::string>;

// "| `a` | b | |" as {"a", "b", ""}
Cells cells_of(const std::string& line) {
  Cells cells;
  for (std::size_t from = 1, to; (to = line.find('|', from)) != std::string::npos; from = to + 1) {
    auto cell = line.substr(from, to - from);
    cell.erase(0, std::min(cell.find_first_not_of(' '), cell.size()));
    cell.erase(cell.find_last_not_of(' ') + 1);
    const bool is_name = cell.size() > 2 && cell.find('`', 1) == cell.size() - 1 && cell.front() == '`';
    cells.push_back(is_name ? cell.substr(1, cell.size() - 2) : cell);
  }
  return cells;
}

// The rows of the table below a heading, without its two lines of heading.
std::vector<Cells> rows_below(const std::string& heading) {
  std::ifstream file(std::string(MUSTER_SOURCE_DIR) + "/docs/plugins.md");
  std::vector<Cells> rows;
  bool below = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) below = line == "## " + heading;
    if (below && line.starts_with("|")) rows.push_back(cells_of(line));
  }
  if (rows.size() >= 2) rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

// What a row of the page has to say. Whoever builds an action or a plugin corrects its line and those of its arguments.
struct Wanted {
  std::string name;  // "gangpreempt maxDomains": all cells before the status
  std::string meaning;
  bool may_be_not;   // a part of something that is built may still be missing
  bool must_be_not;  // nothing of what is not built is there
};

// A `<` that Markdown would take for a tag.
std::string as_markdown(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : std::string(1, c);
  return out;
}

void check_row(const Wanted& wanted, const std::string& status, const std::string& meaning, const std::string& remark) {
  const auto line = "docs/plugins.md, the line of `" + wanted.name + "`: ";
  EXPECT_TRUE(status == "supported" || status == "differs" || status == "not") << line << "no status is called " << status;
  EXPECT_FALSE(wanted.must_be_not && status != "not")
      << line << "it is not built (`implemented` is false in settings_table.cpp), so the status has to be \"not\"";
  EXPECT_FALSE(!wanted.may_be_not && status == "not")
      << line << "it is built now (`implemented` is true in settings_table.cpp): the status has to become \"supported\" or "
      << "\"differs\", and its arguments and annotations have to be looked through";
  EXPECT_EQ(meaning, as_markdown(wanted.meaning)) << line << "what it does is not what settings_table.cpp says";
  EXPECT_FALSE(status != "supported" && remark.empty()) << line << "the remark has to say why";
}

// Both directions: every wanted row is there once, and no other.
void check_table(const std::string& heading, std::size_t name_cells, const std::vector<Wanted>& wanted) {
  SCOPED_TRACE("docs/plugins.md, section " + heading);
  std::map<std::string, Cells> rows;
  for (const auto& cells : rows_below(heading)) {
    ASSERT_EQ(cells.size(), name_cells + 3) << (cells.empty() ? "" : cells.front());
    auto name = cells[0];
    for (std::size_t i = 1; i < name_cells; ++i) name += " " + cells[i];
    EXPECT_TRUE(rows.try_emplace(name, cells.begin() + static_cast<std::ptrdiff_t>(name_cells), cells.end()).second)
        << "`" << name << "` is listed twice";
  }
  for (const Wanted& row : wanted) {
    const auto found = rows.extract(row.name);
    if (found.empty())
      ADD_FAILURE() << "`" << row.name << "` is missing: add a line with \"" << as_markdown(row.meaning) << "\"";
    else
      check_row(row, found.mapped()[0], found.mapped()[1], found.mapped()[2]);
  }
  for (const auto& [name, cells] : rows) ADD_FAILURE() << "`" << name << "` is listed, but settings_table.cpp does not know it";
}

std::vector<Wanted> components(std::span<const ComponentSetting> settings) {
  std::vector<Wanted> wanted;
  for (const ComponentSetting& row : settings)
    wanted.push_back({std::string(row.name), std::string(row.meaning), !row.implemented, !row.implemented});
  return wanted;
}

// Fields follow what they belong to: `usage thresholds.cpu`, `rescheduling strategies[].name`.
void add_arguments(std::vector<Wanted>& wanted, const std::string& prefix, std::span<const ArgumentSetting> arguments, bool built) {
  for (const ArgumentSetting& row : arguments) {
    const auto name = prefix + std::string(row.name);
    wanted.push_back({name, std::string(row.meaning), true, !built});
    add_arguments(wanted, name + ".", row.fields, built);
    if (row.element != nullptr) add_arguments(wanted, name + "[].", row.element->fields, built);
  }
}

TEST(PluginTable, ListsEveryAction) { check_table("Actions", 1, components(action_settings())); }
TEST(PluginTable, ListsEveryPlugin) { check_table("Plugins", 1, components(plugin_settings())); }

TEST(PluginTable, ListsEveryArgument) {
  std::vector<Wanted> wanted;
  for (const auto settings : {action_settings(), plugin_settings(), other_configurations()})
    for (const ComponentSetting& owner : settings)
      add_arguments(wanted, std::string(owner.name) + " ", owner.arguments, owner.implemented);
  check_table("Arguments", 2, wanted);
}

TEST(PluginTable, ListsEverySwitch) {
  std::vector<Wanted> wanted;
  for (const HookSetting& row : hook_settings()) wanted.push_back({std::string(row.key), std::string(row.meaning), true, false});
  check_table("Switches", 1, wanted);
}

TEST(PluginTable, ListsEveryMetricsKey) {
  std::vector<Wanted> wanted;
  add_arguments(wanted, "", metrics_settings(), true);
  check_table("Metrics", 1, wanted);
}

}  // namespace
}  // namespace muster::volcano
