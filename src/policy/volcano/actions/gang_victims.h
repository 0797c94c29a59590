#pragma once

#include <vector>

#include "policy/volcano/actions/victim_bundles.h"

namespace muster::volcano {

// Who might leave for the gang of one job, and together with whom.
class GangVictims {
 public:
  // Whether gangs may be broken.
  enum class Gangs { kMayGo, kStay };
  GangVictims(Session& session, const GangDemand& demand, Gangs gangs) : session_(session), demand_(demand), gangs_(gangs) {}

  // Those on the nodes whom the action may ask about.
  std::vector<PodId> on(const std::vector<NodeId>& nodes) const;
  bool may_go(PodId pod) const { return may_go(session_.cluster().job(demand_.job), pod); }

  enum class Order { kByLoser, kByNode };
  struct Bundles {
    std::vector<VictimBundle> all;  // in the order in which they go
    bool refused = false;           // plugins did not permit all of them
  };
  // Those of them whom the plugins permit. If it is known where room helps, single pods that their jobs can do without are bundles
  // of their own; only then can they come node by node.
  Bundles bundle(std::vector<PodId> candidates, const Amounts& need, const GangRoom* room, Order order = Order::kByLoser);

 private:
  bool may_go(const Job& taker, PodId pod) const;

  Session& session_;
  GangDemand demand_;
  Gangs gangs_;
};

}  // namespace muster::volcano
