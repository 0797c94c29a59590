#include "app/job_outlook.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "app/printable_text.h"
#include "app/reason_finder.h"

namespace muster {
namespace {

using volcano::Job;
using volcano::JobNotes;
using volcano::Phase;
using volcano::Session;

// The pod whose refusals tell most: the one that was asked for, or the first that nodes were asked about.
std::optional<JobNotes::Task> refused_task(const Session& session, const Job& job, PodId wanted) {
  std::optional<JobNotes::Task> chosen;
  if (job.still_stuck) chosen = JobNotes::Task{job.stuck->pod, job.stuck->errors, std::nullopt};  // the attempt was not repeated
  if (!job.notes) return chosen;
  for (const auto& note : job.notes->tasks()) {
    if (!note.errors || session.books().pod(note.pod).state != PodState::kPending) continue;
    const bool tells_more = !chosen || note.pod == wanted || (chosen->errors->nodes == 0 && note.errors->nodes != 0);
    if (tells_more) chosen = note;
    if (note.pod == wanted) break;
  }
  return chosen;
}

// A reason that names the node that it is about is the same reason on every node: "… on node gpu-1" is "… on the node".
std::string without_node_names(const Session& session, const std::string& reason) {
  constexpr std::string_view kBefore = "node ";
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.'; };
  std::string out;
  for (std::size_t at = 0; at < reason.size();) {
    auto end = at;
    while (end < reason.size() && is_name(reason[end])) ++end;
    const auto word = std::string_view(reason).substr(at, end - at);
    const auto node = out.ends_with(kBefore) && !word.empty() ? session.books().find_node(word) : NodeId();
    if (node && session.books().node(node).known) {
      out.resize(out.size() - kBefore.size());
      out += "the node";
    } else {
      out += word;
    }
    if (end < reason.size()) out += reason[end++];
    at = end;
  }
  return out;
}

NodeRefusals refusals_of(const Session& session, const Job& job, PodId wanted) {
  NodeRefusals out;
  const auto task = refused_task(session, job, wanted);
  if (!task) return out;
  out.id = task->pod;
  out.pod = session.books().pod_key(task->pod);
  out.nodes = task->errors->nodes;
  if (!task->errors->head.empty()) out.reasons.emplace_back(task->errors->head, out.nodes);
  std::map<std::string, std::size_t> counts;
  for (const auto& [reason, count] : task->errors->reasons)
    if (const auto& text = session.cluster().fits().text(reason); !text.empty()) counts[without_node_names(session, text)] += count;
  out.reasons.insert(out.reasons.end(), counts.begin(), counts.end());
  std::sort(out.reasons.begin(), out.reasons.end(),
            [](const auto& l, const auto& r) { return l.second != r.second ? l.second > r.second : l.first < r.first; });
  return out;
}

JobState state_of(const Session& session, const Job& job, const JobOutlook& out) {
  const auto counts = session.counts(job);
  // A cycle that ends without its pods takes the word from its PodGroup again, as in Volcano.
  if (out.pods == 0 && job.status.phase == Phase::kCompleted) return JobState::kFinished;
  if (out.pods != 0 && out.succeeded + out.failed == out.pods) return JobState::kFinished;
  if (out.leaving != 0 && out.succeeded + out.failed + out.leaving == out.pods) return JobState::kEnding;
  const bool placed_now = counts.of(PodState::kBinding) + counts.of(PodState::kAllocated) != 0;
  const bool has_minimum = out.holding != 0 && counts.is_ready() && counts.roles_ready();
  if (job.schedulable() && has_minimum && out.pending == 0 && counts.waiting() == 0)
    return placed_now ? JobState::kPlaced : JobState::kRunning;
  if (has_minimum) return JobState::kPartial;
  if (job.schedulable() && counts.waiting() != 0) return JobState::kPipelined;
  return JobState::kWaiting;
}

void count_pods(const Session& session, const Job& job, JobOutlook& out) {
  const auto& books = session.books();
  std::map<NodeId, std::size_t> nodes;
  for (const auto pod : books.group(job.id).pods) {
    const auto& record = books.pod(pod);
    if (kHoldingStates.contains(record.state) && record.node) ++nodes[record.node];
    if (record.state != PodState::kPending) continue;
    out.gated += record.gated && !session.cluster().task(pod).only_own_gate;
    const auto* note = job.notes ? job.notes->find(pod) : nullptr;
    out.would_fit += note != nullptr && note->last && note->last->had_room;
  }
  for (const auto& [node, count] : nodes) out.nodes.emplace_back(books.node(node).name, count);
}

// Their gates are none that anybody has set.
void take_refused(const Session& session, const Job& job, const OutlookFacts& facts, JobOutlook& out) {
  if (!facts.knows_refused()) return;
  const auto& books = session.books();
  for (const auto pod : books.group(job.id).pods) {
    const auto& record = books.pod(pod);
    if (record.state != PodState::kPending || !record.gated || facts.why_refused(books.pod_key(pod)) == nullptr) continue;
    ++out.refused;
    --out.gated;
  }
}

}  // namespace

std::string_view name_of(JobState state) {
  switch (state) {
    case JobState::kRunning: return "running";
    case JobState::kPlaced: return "placed";
    case JobState::kPartial: return "partial";
    case JobState::kPipelined: return "pipelined";
    case JobState::kWaiting: return "waiting";
    case JobState::kEnding: return "ending";
    case JobState::kFinished: return "finished";
  }
  return "";
}

std::string ended_text(const JobOutlook& out) {
  std::string text;
  const auto say = [&](std::int64_t count, const std::string& what) {
    if (count == 0) return;
    const auto number = static_cast<std::size_t>(count);
    text.append(text.empty() ? count_of(number, "pod") : ", " + std::to_string(count)).append(what);
  };
  say(out.succeeded, " succeeded");
  say(out.failed, " failed");
  if (out.pods == 0) return "its pods have ended and were deleted";
  say(out.leaving, out.leaving == 1 ? " is being deleted" : " are being deleted");
  return text;
}

JobOutlook standing_of(const Session& session, const Job& job) {
  const auto counts = session.counts(job);
  JobOutlook out;
  out.name = session.books().group(job.id).name;
  out.workload = job.workload.text();
  out.queue = job.queue_name;
  out.minimum = job.min_available;
  out.pods = counts.tasks();
  out.holding = counts.holding();
  out.pending = counts.of(PodState::kPending);
  out.leaving = counts.of(PodState::kReleasing);
  out.succeeded = counts.of(PodState::kSucceeded);
  out.failed = counts.of(PodState::kFailed);
  count_pods(session, job, out);
  out.state = state_of(session, job, out);
  return out;
}

JobOutlook outlook_of(Session& session, const Job& job, const OutlookFacts& facts, PodId pod) {
  auto out = standing_of(session, job);
  take_refused(session, job, facts, out);
  out.phase = name_of(job.status.phase);
  out.refusals = refusals_of(session, job, pod);
  switch (out.state) {
    case JobState::kRunning:
    case JobState::kPlaced: break;
    case JobState::kEnding:
    case JobState::kFinished: out.sentence = ended_text(out); break;
    case JobState::kPartial:
    case JobState::kPipelined:
    case JobState::kWaiting: find_reason(session, job, facts, out); break;
  }
  return out;
}

std::vector<JobOutlook> outlooks_of(Session& session, const RefusedBinds& refused) {
  const OutlookFacts facts(session, refused);
  std::vector<JobOutlook> out;
  out.reserve(session.cluster().job_count());
  for (const auto id : IdRange<GroupId>(session.cluster().job_count()))
    if (session.books().exists(id)) out.push_back(outlook_of(session, session.cluster().job(id), facts));
  return out;
}

}  // namespace muster
