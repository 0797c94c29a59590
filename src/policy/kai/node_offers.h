#pragma once

#include <vector>

#include "engine/ids.h"
#include "policy/kai/quantities.h"

namespace muster::kai {

class Cluster;

// What nodes have for queues to share: everything on nodes that may take pods, less what pods of other schedulers hold. Kept from
// cycle to cycle: only nodes that changed are looked at.
class NodeOffers {
 public:
  explicit NodeOffers(const Cluster& cluster) : cluster_(cluster) {}

  // Over all nodes, as they are now.
  Quantities total();

 private:
  struct Offer {
    bool ready = false;
    Quantities allocatable;
    std::vector<Quantities> taken;  // by each pod of others
  };
  void refresh();
  void look_at(NodeId node);

  const Cluster& cluster_;
  bool built_ = false;
  std::uint64_t seen_ = 0;  // place in the change log
  IdVector<NodeId, Offer> offers_;
};

}  // namespace muster::kai
