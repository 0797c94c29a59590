#include "policy/volcano/plugins/overcommit.h"

#include "policy/volcano/plugins/queue_refusal.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {
constexpr double kDefaultFactor = 1.2;
}

Overcommit::Overcommit(Session& session, const PluginOption& option)
    : Plugin(session), factor_(option.arguments.get_float("overcommit-factor", kDefaultFactor)) {
  if (factor_ < 1) factor_ = kDefaultFactor;
}

void Overcommit::open() {
  idle_ = Resource(session().books().total_allocatable());
  idle_.scale(factor_).subtract(Resource(session().books().total_used()));
  inqueue_ = Resource(session().cluster().overcommitted());
}

Vote Overcommit::job_enqueueable(const Job& job) {
  if (!job.min_resources) return Vote::kPermit;
  auto wanted = inqueue_;
  wanted.add(*job.min_resources);
  const auto exceeded = exceeded_dimensions(wanted, idle_, *job.min_resources, session().books());
  if (exceeded.empty()) return Vote::kPermit;
  refuse_enqueue(session(), job, "resource in cluster is overused", "overused", exceeded);
  return Vote::kReject;
}

void Overcommit::job_enqueued(const Job& job) {
  if (job.min_resources) inqueue_.add(Resource(without_gated(session().cluster(), job, job.min_amounts)));
}

}  // namespace muster::volcano
