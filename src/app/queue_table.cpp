#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "app/bar_text.h"
#include "app/name_filter.h"
#include "app/units_text.h"
#include "app/view_tables.h"

namespace muster {
namespace {

// A queue of the list, below those that are above it.
struct TreeRow {
  const Json* queue;
  std::size_t depth;
};

void add_below(const std::multimap<std::string, const Json*>& children, const Json* queue, std::size_t depth,
               std::vector<TreeRow>& rows) {
  rows.push_back({queue, depth});
  const auto [begin, end] = children.equal_range(text_at(queue, "queue"));
  for (auto child = begin; child != end; ++child) add_below(children, child->second, depth + 1, rows);
}

// Children after their parents, as far as those are in the list; in the order of the list otherwise. What is told may be wrong
// about who is above whom: whoever is in a ring is below nobody, and is not shown by the tree.
std::vector<TreeRow> tree_of(const ViewList& list) {
  std::map<std::string, const Json*> named;
  for (const auto* queue : list.items()) named.emplace(text_at(queue, "queue"), queue);
  std::multimap<std::string, const Json*> children;
  std::vector<const Json*> tops;
  for (const auto* queue : list.items()) {
    const auto parent = text_at(queue, "parent");
    if (named.contains(parent))
      children.emplace(parent, queue);
    else
      tops.push_back(queue);
  }
  std::vector<TreeRow> rows;
  for (const auto* top : tops) add_below(children, top, 0, rows);
  for (const auto* queue : list.items())
    if (std::ranges::find(rows, queue, &TreeRow::queue) == rows.end()) rows.push_back({queue, 0});
  return rows;
}

// Which columns there is something to say in.
struct QueueColumns {
  bool state = false;
  bool promised = false;
  bool fair_share = false;
  std::map<std::string, double> scale;  // by resource: what a full bar stands for
};

QueueColumns columns_of(const ViewList& list, const NameFilter& resources) {
  QueueColumns columns;
  for (const auto* queue : list.items()) {
    columns.state |= queue->find("state") != nullptr;
    const auto* rows = queue->find("resources");
    if (rows == nullptr) continue;
    for (const auto& [resource, row] : rows->members) {
      if (!resources.chooses(resource)) continue;
      columns.promised |= number_at(&row, "promised") != 0;
      columns.fair_share |= row.find("fair_share") != nullptr;
      auto& scale = columns.scale[resource];
      for (const auto* key : {"allocated", "requested", "deserved", "fair_share"}) scale = std::max(scale, number_at(&row, key));
    }
  }
  return columns;
}

TextTable::Cell amount(const std::string& resource, const Json& row, std::string_view key) {
  const bool has = row.find(key) != nullptr;
  auto text = has ? units_text(resource, number_at(&row, key)) : "-";
  if (key == "limit" && row.find("limit_of") != nullptr) text += " (of " + text_at(&row, "limit_of") + ")";
  return {std::move(text), Tone::kPlain, true};
}

std::string bar_of_share(const Json& row, double scale, std::size_t width) {
  const auto allocated = number_at(&row, "allocated");
  const BarPart parts[] = {{allocated, '#'}, {allocated + number_at(&row, "promised"), '+'}, {number_at(&row, "requested"), '.'}};
  const auto* share = row.find("fair_share");
  if (share == nullptr) share = row.find("deserved");
  return bar_text(width, scale, parts, share == nullptr ? std::nullopt : share->as_double());
}

class QueueTable {
 public:
  QueueTable(const ViewList& list, const NameFilter& resources)
      : rows_(tree_of(list)), resources_(resources), columns_(columns_of(list, resources)) {}

  // Then that is where the mark of a bar is.
  bool tells_fair_shares() const { return columns_.fair_share; }

  TextTable with(std::size_t bar) const {
    TextTable table;
    table.add(heading());
    for (const auto& row : rows_) add(table, row, bar);
    return table;
  }

 private:
  std::vector<TextTable::Cell> heading() const {
    const auto left = [](const char* text) { return TextTable::Cell(text, Tone::kHeading); };
    const auto right = [](const char* text) { return TextTable::Cell(text, Tone::kHeading, true); };
    std::vector<TextTable::Cell> cells = {left("QUEUE")};
    if (columns_.state) cells.push_back(left("STATE"));
    cells.insert(cells.end(), {left("RESOURCE"), right("ALLOCATED")});
    if (columns_.promised) cells.push_back(right("PROMISED"));
    cells.insert(cells.end(), {right("REQUESTED"), right("DESERVED")});
    if (columns_.fair_share) cells.push_back(right("FAIR SHARE"));
    cells.push_back(right("LIMIT"));
    return cells;
  }

  void add(TextTable& table, const TreeRow& row, std::size_t bar) const {
    auto name = std::string(2 * row.depth, ' ') + text_at(row.queue, "queue");
    auto state = text_at(row.queue, "state");
    const auto* resources = row.queue->find("resources");
    bool has_rows = false;
    if (resources != nullptr)
      for (const auto& [resource, amounts] : resources->members) {
        if (!resources_.chooses(resource)) continue;
        table.add(cells(std::exchange(name, ""), std::exchange(state, ""), resource, amounts, bar));
        has_rows = true;
      }
    if (!has_rows) table.add(cells(name, state, "-", Json(), 0));
  }

  std::vector<TextTable::Cell> cells(std::string name, std::string state, const std::string& resource, const Json& row,
                                     std::size_t bar) const {
    std::vector<TextTable::Cell> cells = {std::move(name)};
    if (columns_.state) cells.emplace_back(std::move(state));
    cells.insert(cells.end(), {resource, amount(resource, row, "allocated")});
    if (columns_.promised) cells.push_back(amount(resource, row, "promised"));
    cells.insert(cells.end(), {amount(resource, row, "requested"), amount(resource, row, "deserved")});
    if (columns_.fair_share) cells.push_back(amount(resource, row, "fair_share"));
    cells.push_back(amount(resource, row, "limit"));
    if (bar != 0) cells.emplace_back(bar_of_share(row, columns_.scale.at(resource), bar));
    return cells;
  }

  std::vector<TreeRow> rows_;
  const NameFilter& resources_;
  QueueColumns columns_;
};

}  // namespace

std::string queues_table(const ViewList& list, const std::vector<std::string>& resources, Page page) {
  if (list.items().empty()) return chosen_of_all(list, "queue") + "\n";
  const NameFilter wanted(resources);
  const QueueTable queues(list, wanted);
  auto table = widest_fit(page, [&](std::size_t bar) { return queues.with(bar); });
  const auto shown = table.value_or(queues.with(0));
  const auto text = shown.text(page.paint);
  const bool has_bars = shown.text(Paint::none()).find('[') != std::string::npos;
  const auto legend = has_bars ? fmt::format(
                                     "# allocated, + promised, . requested, | {}; a full bar is the largest amount of the "
                                     "resource in the list\n",
                                     queues.tells_fair_shares() ? "its fair share" : "what it deserves")
                               : std::string();
  return text + "\n" + legend + chosen_of_all(list, "queue") + "\n";
}

}  // namespace muster
