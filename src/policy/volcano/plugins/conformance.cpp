#include "policy/volcano/plugins/conformance.h"

#include "policy/volcano/session.h"

namespace muster::volcano {

Ballot Conformance::without_system_pods(std::span<const PodId> candidates) const {
  const auto& books = session().books();
  Ballot ballot{Vote::kPermit, {}};
  for (const auto pod : candidates)
    if (!session().cluster().task(pod).system_critical && books.symbols().text(books.pod(pod).ns) != "kube-system")
      ballot.victims.push_back(pod);
  return ballot;
}

}  // namespace muster::volcano
