#include "app/decision_list.h"

#include <ranges>
#include <set>
#include <vector>

#include "app/kai_eviction_text.h"
#include "app/named_decision.h"
#include "app/schedule_report.h"

namespace muster {
namespace {

std::string kai_job_name(const kai::Cluster& cluster, GroupId group) {
  if (!group) return {};
  const auto& job = cluster.job(group);
  return job.ns + "/" + job.name;
}

// As a running scheduler lists them: the binds of a cycle first, and no pod evicted twice.
template <class Session, class Tell>
std::string told(const Session& session, std::uint64_t cycle, Tell tell) {
  std::vector<DecisionEntry> entries;
  for (const auto kind : {Decision::Kind::kBind, Decision::Kind::kEvict}) {
    std::set<PodId> seen;
    for (const auto& decision : session.outbox()) {
      if (decision.kind != kind || !seen.insert(decision.pod).second) continue;
      const auto is = kind == Decision::Kind::kEvict ? DecisionEntry::Kind::kEvict : DecisionEntry::Kind::kBind;
      DecisionEntry entry{.cycle = cycle, .time = session.now(), .kind = is, .decision = {}};
      entry.decision = tell(decision);
      entries.push_back(std::move(entry));
    }
  }
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("decisions").begin_array();
  for (const auto& entry : std::views::reverse(entries)) write_decision(json, entry);
  json.end_array().end_object();
  return out;
}

}  // namespace

void write_decision(JsonWriter& json, const DecisionEntry& entry) {
  const auto& decision = entry.decision;
  json.begin_object();
  if (entry.number != 0) json.member("number", entry.number);
  json.member("time", entry.time.rfc3339()).member("cycle", entry.cycle);
  json.member("kind", entry.kind == DecisionEntry::Kind::kEvict ? "evict" : "bind")
      .member("pod", decision.pod)
      .member("job", decision.job);
  json.member("node", decision.node).member("rule", decision.rule);
  if (!decision.for_job.empty()) json.member("for_job", decision.for_job);
  if (!decision.for_pod.empty()) json.member("for_pod", decision.for_pod);
  if (!decision.why.empty()) json.member("why", decision.why);
  json.end_object();
}

std::string decisions_json(const volcano::Session& session, std::uint64_t cycle) {
  return told(session, cycle, [&](const Decision& decision) {
    auto named = named_decision(session.books(), decision);
    if (decision.kind == Decision::Kind::kEvict) named.why = why_evicted(decision.rule);
    return named;
  });
}

std::string decisions_json(const kai::Session& session, std::uint64_t cycle) {
  const auto why = kai_eviction_texts(session);
  const auto& cluster = session.cluster();
  const auto& books = session.books();
  return told(session, cycle, [&](const Decision& decision) {
    Eviction named;
    named.pod = books.pod_key(decision.pod);
    named.job = kai_job_name(cluster, books.pod(decision.pod).group);
    named.rule = decision.rule;
    if (decision.node) named.node = books.node(decision.node).name;
    named.for_job = kai_job_name(cluster, decision.for_whom.group);
    if (decision.for_whom.pod) named.for_pod = books.pod_key(decision.for_whom.pod);
    const auto words = why.find(named.pod);
    if (decision.kind == Decision::Kind::kEvict)
      named.why = words == why.end() || words->second.empty() ? std::string(why_evicted(decision.rule)) : words->second;
    return named;
  });
}

}  // namespace muster
