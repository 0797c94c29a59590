#include "policy/volcano/plugins/priority.h"

#include "policy/volcano/session.h"

namespace muster::volcano {

int Priority::compare_tasks(PodId left, PodId right) {
  const auto l = session().books().pod(left).priority;
  const auto r = session().books().pod(right).priority;
  return l == r ? 0 : l > r ? -1 : 1;
}

Ballot Priority::preemptable(PodId preemptor, std::span<const PodId> candidates) {
  const auto& books = session().books();
  const auto& taker = books.pod(preemptor);
  const auto job_priority = session().cluster().job(taker.group).priority;
  Ballot ballot{Vote::kPermit, {}};
  for (const auto pod : candidates) {
    const auto& record = books.pod(pod);
    const bool below = record.group == taker.group ? record.priority < taker.priority
                                                   : session().cluster().job(record.group).priority < job_priority;
    if (below) ballot.victims.push_back(pod);
  }
  return ballot;
}

Ballot Priority::gang_evictable(const GangDemand& demand, std::span<const PodId> candidates) {
  Ballot ballot{Vote::kPermit, {}};
  const auto priority = session().cluster().job(demand.job).priority;
  for (const auto pod : candidates)
    if (demand.kind == GangDemand::Kind::kReclaim || session().cluster().job_of(pod).priority < priority)
      ballot.victims.push_back(pod);
  return ballot;
}

bool Priority::job_starving(const Job& job) {
  const auto counts = session().counts(job);
  return counts.ready() + counts.waiting() < counts.tasks();
}

int Priority::compare_sub_jobs(const SubJob& left, const SubJob& right) {
  return left.priority == right.priority ? 0 : left.priority > right.priority ? -1 : 1;
}

}  // namespace muster::volcano
