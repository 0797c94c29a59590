#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "app/bar_text.h"
#include "app/name_filter.h"
#include "app/units_text.h"
#include "app/view_tables.h"

namespace muster {
namespace {

constexpr int kPercent = 100;

const Json* amounts_of(const Json* node, const std::string& resource) {
  const auto* all = node->find("resources");
  return all == nullptr ? nullptr : all->find(resource);
}

// Processors, memory and devices: what jobs compete for. The rest is there for who asks for it.
bool is_shown_by_itself(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.find('/') != std::string_view::npos;
}

std::vector<std::string> resources_in(const ViewList& list, const std::vector<std::string>& wanted) {
  const NameFilter filter(wanted);
  std::set<std::string> found;
  for (const auto* node : list.items())
    if (const auto* all = node->find("resources"))
      for (const auto& [resource, amounts] : all->members)
        if (wanted.empty() ? is_shown_by_itself(resource) : filter.chooses(resource)) found.insert(resource);
  return {found.begin(), found.end()};
}

std::string used_of_all(const std::string& resource, double used, double all) {
  return units_text(resource, used) + "/" + units_text(resource, all);
}

std::string used_bar(const Json& amounts, std::size_t width) {
  const auto used = number_at(&amounts, "used");
  const auto allocatable = number_at(&amounts, "allocatable");
  const auto leaving = std::min(number_at(&amounts, "releasing"), used);
  const BarPart parts[] = {{used - leaving, '#'}, {used, '-'}};
  return bar_text(width, allocatable, parts);
}

// Why it takes no pods.
std::string closed_text(const Json* node) {
  if (const auto* ready = node->find("ready"); ready != nullptr && ready->raw == "false") return "not ready";
  const auto* cordoned = node->find("unschedulable");
  return cordoned != nullptr && cordoned->raw == "true" ? "cordoned" : "";
}

TextTable::Cell right_cell(std::string text, Tone tone = Tone::kPlain) { return {std::move(text), tone, true}; }

class NodeTable {
 public:
  NodeTable(const ViewList& list, std::vector<std::string> resources) : list_(list), resources_(std::move(resources)) {
    for (const auto* node : list.items()) some_closed_ |= !closed_text(node).empty();
  }

  // A row for each node.
  TextTable wide(std::size_t bar) const {
    TextTable table;
    auto cells = first_headings();
    for (const auto& resource : resources_) {
      cells.push_back(right_cell(resource, Tone::kHeading));
      if (bar != 0 && resource != resources_.back()) cells.emplace_back("");
    }
    table.add(std::move(cells));
    for (const auto* node : list_.items()) {
      cells = first_cells(node);
      for (const auto& resource : resources_) {
        const auto* amounts = amounts_of(node, resource);
        cells.push_back(right_cell(amounts == nullptr ? "-" : text_of(resource, *amounts)));
        if (bar != 0) cells.emplace_back(amounts == nullptr ? "" : used_bar(*amounts, bar));
      }
      table.add(std::move(cells));
    }
    return table;
  }

  // A row for each resource of a node, for terminals that are too narrow for more.
  TextTable tall(std::size_t bar) const {
    TextTable table;
    auto cells = first_headings();
    cells.insert(cells.end(), {TextTable::Cell("RESOURCE", Tone::kHeading), right_cell("USED", Tone::kHeading)});
    table.add(std::move(cells));
    for (const auto* node : list_.items()) {
      auto first = first_cells(node);
      for (const auto& resource : resources_) {
        const auto* amounts = amounts_of(node, resource);
        if (amounts == nullptr) continue;
        cells = first;
        cells.insert(cells.end(), {resource, right_cell(text_of(resource, *amounts))});
        if (bar != 0) cells.emplace_back(used_bar(*amounts, bar));
        table.add(std::move(cells));
        for (auto& cell : first) cell.text.clear();
      }
      if (!first.front().text.empty()) table.add(std::move(first));
    }
    return table;
  }

  // "cpu 58/320 (18 %), memory …"
  std::string totals() const {
    std::string out;
    for (const auto& resource : resources_) {
      double used = 0;
      double all = 0;
      for (const auto* node : list_.items()) {
        used += number_at(amounts_of(node, resource), "used");
        all += number_at(amounts_of(node, resource), "allocatable");
      }
      out += out.empty() ? "" : ", ";
      out += resource + " " + used_of_all(resource, used, all);
      if (all > 0) out += fmt::format(" ({:.0f} %)", used / all * kPercent);
    }
    return out;
  }

 private:
  static std::string text_of(const std::string& resource, const Json& amounts) {
    return used_of_all(resource, number_at(&amounts, "used"), number_at(&amounts, "allocatable"));
  }
  std::vector<TextTable::Cell> first_headings() const {
    std::vector<TextTable::Cell> cells = {TextTable::Cell("NODE", Tone::kHeading)};
    if (some_closed_) cells.emplace_back("STATE", Tone::kHeading);
    cells.push_back(right_cell("PODS", Tone::kHeading));
    return cells;
  }
  std::vector<TextTable::Cell> first_cells(const Json* node) const {
    std::vector<TextTable::Cell> cells = {text_at(node, "node")};
    if (some_closed_) cells.emplace_back(closed_text(node), Tone::kWaiting);
    cells.push_back(right_cell(fmt::format("{}", number_at(node, "pods"))));
    return cells;
  }

  const ViewList& list_;
  const std::vector<std::string> resources_;
  bool some_closed_ = false;
};

}  // namespace

std::string nodes_table(const ViewList& list, const std::vector<std::string>& resources, Page page) {
  if (list.items().empty()) return chosen_of_all(list, "node") + "\n";
  const NodeTable nodes(list, resources_in(list, resources));
  auto table = widest_fit(page, [&](std::size_t bar) { return nodes.wide(bar / 2); });
  if (!table) table = widest_fit(page, [&](std::size_t bar) { return nodes.tall(bar); });
  const auto text = table.value_or(nodes.tall(0)).text(page.paint);
  const auto totals = nodes.totals();
  return text + "\n" + chosen_of_all(list, "node") + (totals.empty() ? "" : ": " + totals + " used") + "\n";
}

}  // namespace muster
