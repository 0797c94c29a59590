#include <algorithm>
#include <fmt/format.h>

#include "app/amount_text.h"
#include "app/explanation.h"
#include "app/printable_text.h"
#include "app/schedule_report.h"
#include "model/workload.h"

namespace muster {
namespace {

constexpr std::size_t kBarWidth = 24;
constexpr std::size_t kRivalsNamed = 5;

std::string verb_of(JobState state) {
  switch (state) {
    case JobState::kRunning: return "runs";
    case JobState::kPlaced: return "is placed";
    case JobState::kPartial: return "is placed in part";
    case JobState::kPipelined:
    case JobState::kWaiting: return "waits";
    case JobState::kEnding: return "is ending";
    case JobState::kFinished: return "has finished";
  }
  return "";
}

// The whole answer in one sentence.
std::string headline(const Explanation& e) {
  const auto job = with_workload(e.job.name, e.job.workload);
  auto text = e.pod_place.empty() ? job : fmt::format("{} {}; its job {}", e.pod, e.pod_place, job);
  text += " " + verb_of(e.job.state);
  if (e.job.state == JobState::kPlaced || e.job.state == JobState::kRunning)
    text += " on " + (e.job.nodes.empty() ? "no node" : nodes_text(e.job.nodes));
  if (!e.job.sentence.empty()) text += ": " + e.job.sentence;
  return printable(text) + ".";
}

std::string pods_line(const Explanation& e) {
  const auto& job = e.job;
  auto text = fmt::format("{} of {} a node", job.holding,
                          count_of(static_cast<std::size_t>(job.pods), "pod") + (job.pods == 1 ? " has" : " have"));
  if (job.minimum > 1) text += fmt::format("; at least {} must start together", job.minimum);
  if (job.would_fit != 0)
    text += fmt::format("; {} {}", job.would_fit, e.room_is_gone ? "found a node, which has gone to others" : "more would fit now");
  if (job.gated != 0) text += fmt::format("; {} held back by gates", job.gated);
  if (job.succeeded != 0) text += fmt::format("; {} succeeded", job.succeeded);
  if (job.failed != 0) text += fmt::format("; {} failed", job.failed);
  if (job.leaving != 0) text += fmt::format("; {} being deleted", job.leaving);
  return text;
}

std::string place_line(const Explanation& e) {
  auto text = fmt::format("number {} of {} in queue {}", e.place, count_of(e.competitors, "job"), e.job.queue);
  if (e.ahead.empty()) return text;
  std::vector<std::string> names;
  for (const auto& rival : e.ahead) names.push_back(fmt::format("{} ({})", rival.job, name_of(rival.state)));
  return text + "; ahead: " + listed(names, kRivalsNamed);
}

// Each action may record the same again.
void add_messages(const std::vector<std::string>& messages, TextTable& facts) {
  for (auto at = messages.begin(); at != messages.end();) {
    const auto next = std::find_if(at, messages.end(), [&](const std::string& other) { return other != *at; });
    const auto times = next - at;
    facts.add({at == messages.begin() ? "recorded" : "", times == 1 ? *at : fmt::format("{} ({} times)", *at, times)});
    at = next;
  }
}

std::string bar(std::size_t part, std::size_t whole) {
  const auto length = whole == 0 ? 0 : std::max<std::size_t>(part * kBarWidth / whole, part == 0 ? 0 : 1);
  return std::string(std::min(length, kBarWidth), '#');
}

TextTable::Cell number(std::string text) { return {std::move(text), Tone::kPlain, true}; }
TextTable::Cell heading(std::string text, bool right) { return {std::move(text), Tone::kFaint, right}; }

std::string refusals_text(const NodeRefusals& refusals, Paint paint) {
  TextTable table("  ");
  for (const auto& [reason, count] : refusals.reasons)
    table.add({TextTable::Cell(bar(count, refusals.nodes), Tone::kWaiting), number(std::to_string(count)), reason});
  return paint(fmt::format("Nodes by reason, {} in all", refusals.nodes), Tone::kHeading) + ", for pod " + printable(refusals.pod) +
         "\n" + table.text(paint);
}

std::string needs_heading(const Explanation& e) {
  const auto pods = static_cast<std::size_t>(e.needing_pods);
  switch (e.needs_of) {
    case JobNeeds::Of::kMinimum: return "What it misses for its minimum, " + count_of(pods, "more pod");
    case JobNeeds::Of::kMinResources: return "What it asks for to be let in, its spec.minResources";
    case JobNeeds::Of::kRest: return "What the rest of it asks for, " + count_of(pods, "pod");
  }
  return "";
}

std::string needs_text(const Explanation& e, Paint paint) {
  TextTable table("  ");
  table.add({heading("resource", false), heading("missing", true), heading("free", true), heading("in cluster", true)});
  for (const auto& row : e.needs)
    table.add({row.resource, number(amount_text(row.resource, row.missing)), number(amount_text(row.resource, row.free)),
               number(amount_text(row.resource, row.total))});
  return paint(needs_heading(e), Tone::kHeading) + ", and what all nodes together have\n" + table.text(paint);
}

// "gpu-2 lacks 4 of nvidia.com/gpu (asks for 8, 4 free); held by product/serve (4)"
std::string closest_line(const ClosestNode& closest) {
  std::vector<std::string> lacking;
  for (const auto& s : closest.shortages)
    lacking.push_back(fmt::format("{} of {} (asks for {}, {} free)", amount_text(s.resource, s.asked - s.free), s.resource,
                                  amount_text(s.resource, s.asked), amount_text(s.resource, s.free)));
  std::vector<std::string> holders;
  for (const auto& [job, amount] : closest.held_by)
    holders.push_back(fmt::format("{} ({})", job, amount_text(closest.shortages.front().resource, amount)));
  auto text = closest.name + " lacks " + listed(lacking, lacking.size());
  return holders.empty() ? text : text + "; held by " + listed(holders, kRivalsNamed);
}

std::string evictions_text(std::string_view heading, const std::vector<Eviction>& evictions, Paint paint) {
  TextTable table("  ");
  for (const auto& eviction : evictions) table.add({eviction.pod, "by " + eviction.rule, eviction_text(eviction)});
  return paint(std::string(heading), Tone::kHeading) + "\n" + table.text(paint);
}

std::string chances_text(const Explanation& e, Paint paint) {
  TextTable table("  ");
  for (const auto& chance : e.chances) table.add({chance.action, chance_text(chance)});
  return paint(e.made_way.empty() ? "Why nobody is evicted for it" : "Why nobody else is evicted for it", Tone::kHeading) + "\n" +
         table.text(paint);
}

std::string queue_text(const std::string& name, const std::vector<QueueRow>& rows, Paint paint) {
  const bool shares = std::ranges::any_of(rows, [](const QueueRow& row) { return row.fair_share.has_value(); });
  const auto or_dash = [](const QueueRow& row, const std::optional<double>& amount) {
    return number(amount ? amount_text(row.resource, *amount) : "-");
  };
  TextTable table("  ");
  const auto add = [&](std::vector<TextTable::Cell> cells) {
    if (!shares) cells.erase(cells.begin() + 2);  // one dialect alone has them
    table.add(std::move(cells));
  };
  add({heading("resource", false), heading("deserved", true), heading("fair share", true), heading("allocated", true),
       heading("promised", true), heading("requested", true), heading("limit", true)});
  for (const auto& row : rows) {
    auto limit = or_dash(row, row.limit);
    if (!row.limit_of.empty()) limit.text += " (of " + row.limit_of + ")";
    add({row.resource, or_dash(row, row.deserved), or_dash(row, row.fair_share), number(amount_text(row.resource, row.allocated)),
         number(amount_text(row.resource, row.promised)), number(amount_text(row.resource, row.requested)), std::move(limit)});
  }
  return paint("Queue " + printable(name), Tone::kHeading) + "\n" + table.text(paint);
}

}  // namespace

std::string hint_line(const std::string& hint) {
  return hint.empty() ? "" : printable("What would help: " + hint) + (hint.ends_with('?') ? "\n" : ".\n");
}

std::string explanation_text(const Explanation& e, Paint paint) {
  std::string out = paint(headline(e), Tone::kHeading) + "\n";
  out += hint_line(e.hint);
  TextTable facts;
  if (!e.pod.empty()) facts.add({"asked for", "pod " + e.pod + " of this job"});
  facts.add({"pods", pods_line(e)});
  if (!e.job.phase.empty()) facts.add({"phase", e.job.phase});
  add_messages(e.messages, facts);
  if (e.competitors != 0) facts.add({"place", place_line(e)});
  if (e.closest) facts.add({"closest", closest_line(*e.closest)});
  out += "\n" + facts.text(paint);
  if (!e.job.refusals.reasons.empty()) out += "\n" + refusals_text(e.job.refusals, paint);
  if (!e.evicted.empty()) out += "\n" + evictions_text("Evicted", e.evicted, paint);
  if (!e.made_way.empty()) out += "\n" + evictions_text("Evicted for it", e.made_way, paint);
  if (!e.chances.empty()) out += "\n" + chances_text(e, paint);
  if (!e.needs.empty()) out += "\n" + needs_text(e, paint);
  if (!e.queue.empty()) out += "\n" + queue_text(e.job.queue, e.queue, paint);
  for (const auto& queue : e.above) out += "\n" + queue_text(queue.name, queue.rows, paint);
  return out;
}

}  // namespace muster
