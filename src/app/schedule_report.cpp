#include "app/schedule_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "app/job_states.h"
#include "app/kai_rule_texts.h"
#include "app/printable_text.h"
#include "model/workload.h"

namespace muster {
namespace {

std::string where_or_why(const JobOutlook& job) {
  auto text = nodes_text(job.nodes);
  if (text.empty() && job.state == JobState::kRunning) return "on no node";
  if (job.sentence.empty()) return text;
  return text.empty() ? job.sentence : text + "; " + job.sentence;
}

std::size_t count_state(const std::vector<JobOutlook>& jobs, JobState state) {
  return static_cast<std::size_t>(std::ranges::count(jobs, state, &JobOutlook::state));
}

std::string summary(const std::vector<JobOutlook>& jobs, const RunTotals& totals) {
  std::string text = count_of(jobs.size(), "job") + ":";
  std::string_view separator = " ";
  for (const auto state : kJobStates) {
    const auto count = count_state(jobs, state);
    if (count == 0) continue;
    text.append(separator).append(fmt::format("{} {}", count, name_of(state)));
    separator = ", ";
  }
  if (jobs.empty()) text = "no jobs";
  return text + fmt::format("; {} bound to {}, {} evicted, {}\n", count_of(totals.bound, "pod"), count_of(totals.nodes, "node"),
                            totals.evicted, count_of(totals.cycles, "cycle"));
}

std::string evictions_table(const std::vector<Eviction>& evictions, Paint paint) {
  if (evictions.empty()) return "";
  TextTable table;
  const auto heading = [](const char* text) { return TextTable::Cell(text, Tone::kHeading); };
  table.add({heading("EVICTED"), heading("FROM"), heading("BY"), heading("FOR WHOM AND WHY")});
  for (const auto& eviction : evictions) table.add({eviction.pod, eviction.node, eviction.rule, eviction_text(eviction)});
  return table.text(paint) + "\n";
}

}  // namespace

Tone tone_of(JobState state) {
  switch (state) {
    case JobState::kRunning:
    case JobState::kPlaced: return Tone::kGood;
    case JobState::kPartial:
    case JobState::kPipelined: return Tone::kWaiting;
    case JobState::kWaiting: return Tone::kBad;
    case JobState::kEnding:
    case JobState::kFinished: return Tone::kFaint;
  }
  return Tone::kPlain;
}

std::string nodes_text(const std::vector<std::pair<std::string, std::size_t>>& nodes) {
  std::vector<std::string> names;
  for (const auto& [name, pods] : nodes) names.push_back(pods == 1 ? name : fmt::format("{} ({})", name, pods));
  return listed(names, kNodesNamed);
}

std::string schedule_table(const std::vector<JobOutlook>& jobs, const std::vector<VolcanoCycle>& cycles, Paint paint) {
  RunTotals totals;
  std::vector<Eviction> evictions;
  std::set<std::string> nodes;
  for (const auto& cycle : cycles) {
    totals.bound += cycle.binds.size();
    totals.evicted += cycle.evicted.size();
    for (const auto& [pod, node] : cycle.binds) nodes.insert(node);
    evictions.insert(evictions.end(), cycle.evictions.begin(), cycle.evictions.end());
  }
  totals.nodes = nodes.size();
  totals.cycles = cycles.size();
  return schedule_table(jobs, evictions, totals, paint);
}

std::string schedule_table(const std::vector<JobOutlook>& jobs, const std::vector<Eviction>& evictions, const RunTotals& totals,
                           Paint paint) {
  TextTable table;
  const auto heading = [](const char* text) { return TextTable::Cell(text, Tone::kHeading); };
  table.add({heading("JOB"), heading("QUEUE"), heading("STATE"), heading("PODS"), heading("NODES OR REASON")});
  for (const auto& job : jobs)
    table.add({with_workload(job.name, job.workload), job.queue.empty() ? "-" : job.queue,
               TextTable::Cell(std::string(name_of(job.state)), tone_of(job.state)), fmt::format("{}/{}", job.holding, job.pods),
               where_or_why(job)});
  return (jobs.empty() ? "" : table.text(paint) + "\n") + evictions_table(evictions, paint) + summary(jobs, totals);
}

std::string_view why_evicted(std::string_view rule) {
  const auto text = volcano_rule_text(rule);
  return text.empty() ? kai_rule_text(rule) : text;
}

std::string eviction_text(const Eviction& eviction) {
  if (!eviction.why.empty()) return eviction.why;
  const std::string why(why_evicted(eviction.rule));
  const auto& whom = eviction.for_pod.empty() ? eviction.for_job : eviction.for_pod;
  if (whom.empty()) return why;
  return "for " + whom + (why.empty() ? "" : ": " + why);
}

}  // namespace muster
