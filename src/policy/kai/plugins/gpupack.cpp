#include "policy/kai/plugins/gpupack.h"

#include "policy/kai/session.h"

namespace muster::kai {

double GpuPack::gpu_score(PodId, NodeId node, const GpuGroup* group) {
  if (group == nullptr) return 0;
  return static_cast<double>(group->used) / static_cast<double>(session().cluster().node_info(node).gpu_memory);
}

}  // namespace muster::kai
