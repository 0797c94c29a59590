#include "app/kai_eviction_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "app/printable_text.h"
#include "app/schedule_report.h"

namespace muster {
namespace {

using kai::Job;
using kai::Session;
using kai::Status;

class Texts {
 public:
  explicit Texts(const Session& session) : session_(session) {}

  std::string of(const Decision& decision) {
    const auto general = std::string(why_evicted(decision.rule));
    if (!decision.for_whom.group) return general;
    const auto& cluster = session_.cluster();
    const auto& winner = cluster.job(decision.for_whom.group);
    const auto& task = cluster.task(decision.pod);
    const auto& loser = cluster.job_of(decision.pod);
    auto text = "for " + winner.ns + "/" + winner.name + gain_of(winner) + ": ";
    if (task.status == Status::kPipelined && task.node)
      return text + fmt::format("this pod gets {} instead", cluster.books().node(task.node).name);
    if (decision.rule == "reclaim")
      return text + fmt::format("queue {} is within its fair share, and queue {} beyond its own or its quota", winner.queue_name,
                                loser.queue_name);
    if (decision.rule == "preempt")
      return text +
             fmt::format("in queue {} its priority is {}, and this job's {}", winner.queue_name, winner.priority, loser.priority);
    return text + general;
  }

 private:
  // ", which gets n1, n2"
  const std::string& gain_of(const Job& winner) {
    const auto [known, is_new] = gains_.try_emplace(winner.id);
    if (!is_new) return known->second;
    std::vector<std::string> nodes;
    winner.for_each_pod([&](PodId pod) {
      const auto& task = session_.cluster().task(pod);
      if (task.status == Status::kPipelined && task.node) nodes.push_back(session_.books().node(task.node).name);
    });
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    if (!nodes.empty()) known->second = ", which gets " + listed(nodes, 3);
    return known->second;
  }

  const Session& session_;
  std::map<GroupId, std::string> gains_;
};

}  // namespace

std::map<std::string, std::string> kai_eviction_texts(const Session& session) {
  std::map<std::string, std::string> out;
  Texts texts(session);
  for (const auto& decision : session.outbox())
    if (decision.kind == Decision::Kind::kEvict) out[session.books().pod_key(decision.pod)] = texts.of(decision);
  return out;
}

}  // namespace muster
