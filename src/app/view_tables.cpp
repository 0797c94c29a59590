#include "app/view_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "app/bar_text.h"
#include "app/job_states.h"
#include "app/printable_text.h"
#include "app/schedule_report.h"
#include "model/workload.h"

namespace muster {
namespace {

constexpr std::size_t kBarOfPods = 8;
constexpr std::size_t kLeastOfSentence = 24;
constexpr std::size_t kLongestBar = 24;

TextTable::Cell head(const char* text, bool right = false) { return {text, Tone::kHeading, right}; }

Tone tone_of_state(const std::string& state) {
  for (const auto known : kJobStates)
    if (state == name_of(known)) return tone_of(known);
  return Tone::kPlain;
}

std::string counted_states(const ViewList& list) {
  std::map<std::string, std::size_t> counts;
  for (const auto* job : list.items()) ++counts[text_at(job, "state")];
  std::string text;
  for (const auto state : kJobStates)
    if (const auto found = counts.find(std::string(name_of(state))); found != counts.end())
      text.append(text.empty() ? ": " : ", ").append(fmt::format("{} {}", found->second, found->first));
  return text;
}

double done_of(const Json* pods) { return number_at(pods, "succeeded") + number_at(pods, "failed"); }

bool has_done_pods(const Json* job) { return done_of(job->find("pods")) > 0; }

// How many of its pods are done and how many have a node, with a mark at the minimum of a gang that waits and has not reached it,
// also where it has lost pods and there are fewer.
std::string bar_of_pods(const Json* pods) {
  const auto minimum = number_at(pods, "minimum");
  const auto placed = number_at(pods, "placed");
  const auto done = done_of(pods);
  const BarPart parts[] = {{done, '='}, {done + placed, '#'}};
  const auto total = number_at(pods, "total");
  const bool waits = number_at(pods, "pending") > 0 || (placed > 0 && total < minimum);
  const bool is_short = minimum > 1 && waits && placed + number_at(pods, "succeeded") < minimum;
  return bar_text(kBarOfPods, is_short ? std::max(total, minimum) : total, parts, is_short ? std::optional(minimum) : std::nullopt);
}

// What the page has room for, and the jobs something to say in.
struct JobColumns {
  bool done = false;
  bool bars = false;
};

std::vector<TextTable::Cell> job_row(const Json* job, JobColumns columns) {
  const auto* pods = job->find("pods");
  const auto state = text_at(job, "state");
  const auto queue = text_at(job, "queue");
  std::vector<TextTable::Cell> row = {
      with_workload(text_at(job, "job"), text_at(job, "workload")), queue.empty() ? "-" : queue,
      TextTable::Cell(state, tone_of_state(state)),
      TextTable::Cell(fmt::format("{}/{}", number_at(pods, "placed"), number_at(pods, "total")), Tone::kPlain, true)};
  if (columns.done) row.emplace_back(fmt::format("{}", done_of(pods)), Tone::kPlain, true);
  if (columns.bars) row.emplace_back(bar_of_pods(pods));
  row.emplace_back(text_at(job->find("reason"), "text"));
  return row;
}

bool has_fraction(const Json* decision) { return text_at(decision, "time").find('.') != std::string::npos; }

// So that the times of a column are equally wide.
std::string to_the_millisecond(std::string time) {
  if (!time.ends_with('Z')) return time;
  time.pop_back();
  const auto dot = time.find('.');
  auto fraction = dot == std::string::npos ? std::string() : time.substr(dot + 1);
  fraction.resize(3, '0');
  return time.substr(0, dot) + "." + fraction + "Z";
}

// "for research/train: …" where the sentence does not say for whom itself.
std::string whom_and_why(const Json* decision) {
  auto whom = text_at(decision, "for_pod");
  if (whom.empty()) whom = text_at(decision, "for_job");
  const auto why = text_at(decision, "why");
  const bool said = why.find(text_at(decision, "for_job")) != std::string::npos;
  if (whom.empty() || (said && !why.empty())) return why;
  return "for " + whom + (why.empty() ? "" : ": " + why);
}

}  // namespace

double number_at(const Json* parent, std::string_view key) {
  const auto* found = parent == nullptr ? nullptr : parent->find(key);
  return found == nullptr ? 0 : found->as_double().value_or(0);
}

std::size_t text_width(std::string_view text) {
  std::size_t widest = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    widest = std::max(widest, display_width(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return widest;
}

std::string cut_to(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::size_t bytes = 0;
  for (std::size_t characters = 0; bytes < text.size(); ++bytes) {
    const bool begins = (static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80;
    if (begins && ++characters == width) break;
  }
  return text.substr(0, bytes) + "…";
}

std::optional<TextTable> widest_fit(Page page, const std::function<TextTable(std::size_t bar)>& make) {
  for (const std::size_t bar : {kLongestBar, kLongestBar / 2, kLongestBar / 4, std::size_t{0}}) {
    auto table = make(bar);
    if (!page.width || text_width(table.text(Paint::none())) <= *page.width) return table;
  }
  return std::nullopt;
}

std::string with_cut_sentences(std::vector<std::vector<TextTable::Cell>> rows, Page page) {
  const auto table_of = [](const std::vector<std::vector<TextTable::Cell>>& all) {
    TextTable table;
    for (const auto& row : all) table.add(row);
    return table;
  };
  if (!page.width) return table_of(rows).text(page.paint);
  auto bare = rows;
  for (auto& row : bare) row.back().text = "…";
  const auto before = text_width(table_of(bare).text(Paint::none())) - 1;
  if (before + kLeastOfSentence <= *page.width)
    for (auto& row : rows) row.back().text = cut_to(row.back().text, *page.width - before);
  return table_of(rows).text(page.paint);
}

std::string chosen_of_all(const ViewList& list, std::string_view thing) {
  if (list.items().size() == list.all().size()) return count_of(list.all().size(), thing);
  return fmt::format("{} of {}", list.items().size(), count_of(list.all().size(), thing));
}

std::string jobs_table(const ViewList& list, Page page) {
  const bool done = std::ranges::any_of(list.items(), has_done_pods);
  const auto rows_with = [&](bool bars) {
    std::vector<std::vector<TextTable::Cell>> rows;
    rows.push_back({head("JOB"), head("QUEUE"), head("STATE"), head("PODS", true)});
    if (done) rows.back().push_back(head("DONE", true));
    if (bars) rows.back().push_back(head(""));
    rows.back().push_back(head("REASON"));
    for (const auto* job : list.items()) rows.push_back(job_row(job, {.done = done, .bars = bars}));
    return rows;
  };
  if (list.items().empty()) return chosen_of_all(list, "job") + "\n";
  auto rows = rows_with(true);
  const auto fits = !page.width || text_width(with_cut_sentences(rows, {Paint::none(), page.width})) <= *page.width;
  const auto table = with_cut_sentences(fits ? std::move(rows) : rows_with(false), page);
  return table + "\n" + chosen_of_all(list, "job") + counted_states(list) + "\n";
}

std::string decisions_table(const ViewList& list, Page page) {
  std::vector<std::vector<TextTable::Cell>> rows;
  rows.push_back(
      {head("TIME"), head("CYCLE", true), head("WHAT"), head("POD"), head("NODE"), head("BY"), head("FOR WHOM AND WHY")});
  const bool fractions = std::ranges::any_of(list.items(), has_fraction);
  std::size_t evicted = 0;
  for (const auto* decision : list.items()) {
    const auto kind = text_at(decision, "kind");
    const bool evicts = kind == "evict";
    evicted += evicts ? 1 : 0;
    const auto time = text_at(decision, "time");
    rows.push_back({fractions ? to_the_millisecond(time) : time,
                    TextTable::Cell(fmt::format("{}", number_at(decision, "cycle")), Tone::kPlain, true),
                    TextTable::Cell(kind, evicts ? Tone::kWaiting : Tone::kGood), text_at(decision, "pod"),
                    text_at(decision, "node"), text_at(decision, "rule"), whom_and_why(decision)});
  }
  if (list.items().empty()) return chosen_of_all(list, "decision") + "\n";
  return with_cut_sentences(std::move(rows), page) + "\n" + chosen_of_all(list, "decision") +
         fmt::format(": {} bound, {} evicted\n", list.items().size() - evicted, evicted);
}

}  // namespace muster
