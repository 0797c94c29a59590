#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/view_list.h"

namespace muster {

// The tables of the lists, each with what it comes to in a last line. Resources are patterns; none: those that matter to most.
std::string jobs_table(const ViewList& list, Page page);
std::string queues_table(const ViewList& list, const std::vector<std::string>& resources, Page page);
std::string nodes_table(const ViewList& list, const std::vector<std::string>& resources, Page page);
std::string decisions_table(const ViewList& list, Page page);

// The number of a member, or 0.
double number_at(const Json* parent, std::string_view key);

// The width of the widest line.
std::size_t text_width(std::string_view text);
// The text in at most so many characters: the last is "…" when something is missing.
std::string cut_to(const std::string& text, std::size_t width);

// The table with the longest bars with which it fits, or without bars; none: it fits in no way.
std::optional<TextTable> widest_fit(Page page, const std::function<TextTable(std::size_t bar)>& make);

// Rows whose last cells are sentences, which are cut where the page ends. They stay whole where hardly anything would be left.
std::string with_cut_sentences(std::vector<std::vector<TextTable::Cell>> rows, Page page);

// "6 jobs", or "2 of 6 jobs" where not all were chosen.
std::string chosen_of_all(const ViewList& list, std::string_view thing);

}  // namespace muster
