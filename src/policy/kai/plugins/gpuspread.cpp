#include "policy/kai/plugins/gpuspread.h"

#include "policy/kai/session.h"

namespace muster::kai {

double GpuSpread::gpu_score(PodId, NodeId node, const GpuGroup* group) {
  if (group == nullptr) return 1;
  return 1 - static_cast<double>(group->used) / static_cast<double>(session().cluster().node_info(node).gpu_memory);
}

}  // namespace muster::kai
