#include "app/offline_views.h"

#include "app/cluster_json.h"
#include "app/decision_list.h"
#include "app/kai_run.h"
#include "app/kai_shared_gpus.h"
#include "app/node_json.h"

namespace muster {
namespace {

NodeKnowledge sharing_in(const volcano::Session&) { return {}; }

NodeKnowledge sharing_in(const kai::Session& session) {
  NodeKnowledge knowledge;
  knowledge.more_used = shared_gpus_used(session.cluster());
  return knowledge;
}

template <class Session>
std::string json_of(ViewKind kind, Session& session, int cycle) {
  switch (kind) {
    case ViewKind::kQueues: return queues_json(queue_views(session));
    case ViewKind::kJobs: return jobs_json(job_views(session));
    case ViewKind::kNodes: return nodes_json(session.books(), sharing_in(session));
    case ViewKind::kDecisions: return decisions_json(session, static_cast<std::uint64_t>(cycle));
  }
  return {};
}

// What the run of one dialect tells; `warnings` are taken from what it comes back with.
template <class Run, class Session, class Warnings>
Result<ToldViews> told_by(const std::vector<ViewKind>& kinds, const OfflineOptions& options, const Progress& progress,
                          Warnings warnings) {
  auto run = Run::prepare(options, progress);
  if (!run) return fail(std::move(run.error()));
  ToldViews told;
  told.notes = run->notes();
  typename Run::Looks looks;
  looks.after_actions = [&](Session& session) {
    for (const auto kind : kinds) told.json[kind] = json_of(kind, session, options.cycles);
  };
  auto more = warnings(run->run(looks, progress));
  if (!more) return fail(std::move(more.error()));
  told.notes.insert(told.notes.end(), more->begin(), more->end());
  return told;
}

}  // namespace

Result<ToldViews> offline_views(const std::vector<ViewKind>& kinds, Dialect dialect, const OfflineOptions& options,
                                const Progress& progress) {
  using Sentences = Result<std::vector<std::string>>;
  if (dialect == Dialect::kKai)
    return told_by<KaiOfflineRun, kai::Session>(kinds, options, progress, [](Result<KaiRunOutcome> outcome) -> Sentences {
      if (!outcome) return fail(std::move(outcome.error()));
      return std::move(outcome->warnings);
    });
  return told_by<OfflineRun, volcano::Session>(
      kinds, options, progress, [](const std::vector<VolcanoCycle>& cycles) -> Sentences { return warnings_of(cycles); });
}

}  // namespace muster
