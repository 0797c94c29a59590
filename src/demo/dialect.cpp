#include "demo/dialect.h"

namespace muster::demo {
namespace {

// Queues are a tree and get back what they deserve; jobs sit close together.
constexpr std::string_view kVolcanoConfig = R"(actions: "enqueue, allocate, reclaim, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: capacity
    enableHierarchy: true
  - name: conformance
- plugins:
  - name: predicates
  - name: nodeorder
  - name: binpack
  - name: network-topology-aware
    arguments:
      weight: 10
)";

}  // namespace

std::string_view scheduler_config(Dialect dialect) { return dialect == Dialect::kVolcano ? kVolcanoConfig : std::string_view(); }

}  // namespace muster::demo
