#include "property/random_devices.h"

#include <fmt/format.h>
#include <functional>

#include "support/volcano_builders.h"

namespace muster {
namespace {

using volcano::a_numatopology;
using volcano::a_pod_group;
using volcano::a_volcano_node;
using volcano::a_volcano_pod;
using volcano::a_volcano_queue;

// A kind of device: what the configuration says, what a node has of it, what a pod asks for.
struct Kind {
  std::string plugins;
  std::function<void(volcano::VolcanoNodeBuilder&)> node;
  std::function<void(volcano::VolcanoPodBuilder&)> pod;
};

std::string arguments(const std::string& more) {
  const char* policies[] = {"", "binpack", "spread"};
  return fmt::format(
      "  - name: deviceshare\n    arguments:\n      deviceshare.{}: true\n      deviceshare.SchedulePolicy: \"{}\"\n"
      "      deviceshare.ScheduleWeight: {}\n  - name: predicates\n  - name: binpack\n",
      more, policies[pick(3)], pick(2));
}

Kind gpu_share() {
  return {arguments("GPUSharingEnable"),
          [](auto& node) { node.has("volcano.sh/gpu-memory", "16").has("volcano.sh/gpu-number", std::to_string(1 + pick(3))); },
          [](auto& pod) { pod.uses("volcano.sh/gpu-memory", std::to_string(1 + pick(9))); }};
}

Kind vgpu() {
  return {arguments("VGPUEnable"),
          [](auto& node) {
            std::string cards;
            for (int i = 1 + pick(3); i > 0; --i)
              cards += fmt::format("{}-{},{},1000,NVIDIA-{},true,hami-core:", node.object().meta.name, i, 1 + pick(3),
                                   pick(2) ? "T4" : "A100");
            node.has("volcano.sh/vgpu-number", "9").has("volcano.sh/vgpu-memory", "9000").has("volcano.sh/vgpu-cores", "900");
            node.annotation("volcano.sh/node-vgpu-register", cards);
          },
          [](auto& pod) {
            pod.uses("volcano.sh/vgpu-number", std::to_string(1 + pick(2)))
                .uses("volcano.sh/vgpu-memory", std::to_string(200 * (1 + pick(4))));
            if (pick(3) == 0) pod.uses("volcano.sh/vgpu-cores", std::to_string(50 * pick(3)));
            if (pick(4) == 0) pod.annotation("nvidia.com/use-gputype", "T4");
            if (pick(4) == 0) pod.annotation("volcano.sh/vgpu-podgroup-policy", "spread");
          }};
}

Kind npu() {
  return {arguments("AscendHAMiVNPUEnable"),
          [](auto& node) {
            std::string cards;
            for (int i = 1 + pick(3); i > 0; --i)
              cards += fmt::format("{}{{\"id\":\"{}-{}\",\"count\":{},\"devmem\":21527,\"devcore\":8}}", cards.empty() ? "" : ",",
                                   node.object().meta.name, i, 1 + pick(4));
            node.has("huawei.com/Ascend310P", "9").annotation("hami.io/node-register-Ascend310P", "[" + cards + "]");
          },
          [](auto& pod) {
            pod.uses("huawei.com/Ascend310P", std::to_string(1 + pick(2)));
            if (pick(2) == 0) pod.uses("huawei.com/Ascend310P-memory", std::to_string(3000 * (1 + pick(3))));
          }};
}

Kind mindcluster() {
  return {arguments("AscendMindClusterVNPUEnable"),
          [](auto& node) {
            const bool two = pick(2) == 0;
            node.has("huawei.com/npu-core", two ? "16" : "8").label("accelerator", "huawei-Ascend310P");
            node.label("servertype", "Ascend310P-8").label("node.kubernetes.io/npu.chip.name", "310P3");
            node.annotation("huawei.com/Ascend310P", two ? "Ascend310P-0,Ascend310P-1" : "Ascend310P-0");
          },
          [](auto& pod) {
            const char* cores[] = {"1", "2", "4", "8"};
            pod.uses("huawei.com/npu-core", cores[pick(4)]);
            if (pick(2) == 0) pod.label("vnpu-level", "high");
          }};
}

Kind numa() {
  return {"  - name: predicates\n  - name: numa-aware\n  - name: binpack\n", [](auto&) {},
          [](auto& pod) {
            const char* policies[] = {"", "best-effort", "restricted", "single-numa-node"};
            pod.uses("cpu", std::to_string(1 + pick(5))).uses("memory", "1Mi");
            pod.annotation("volcano.sh/numa-topology-policy", policies[pick(4)]);
          }};
}

void add_job(std::vector<Object>& objects, const Kind& kind, int number) {
  const auto name = fmt::format("job-{}", number);
  const int pods = 1 + pick(3);
  objects.emplace_back(a_pod_group(name).created(number).minimum(1 + pick(pods)).object());
  for (int i = 0; i < pods; ++i) {
    auto pod = a_volcano_pod(fmt::format("{}-p-{}", name, i)).group(name).created(number).cpu("1");
    if (pick(5) != 0) kind.pod(pod);
    objects.emplace_back(pod.object());
  }
}

Kind made(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kGpuShare: return gpu_share();
    case DeviceKind::kVgpu: return vgpu();
    case DeviceKind::kHamiNpu: return npu();
    case DeviceKind::kMindClusterNpu: return mindcluster();
    case DeviceKind::kNuma: return numa();
  }
  return gpu_share();
}

}  // namespace

Scenario random_devices() { return random_devices(static_cast<DeviceKind>(pick(5))); }

Scenario random_devices(DeviceKind device) {
  const auto kind = made(device);
  Scenario scenario;
  scenario.config = "actions: \"enqueue, allocate, backfill\"\ntiers:\n- plugins:\n  - name: gang\n" + kind.plugins;
  scenario.objects.emplace_back(a_volcano_queue("default").object());
  for (int i = 1 + pick(5); i > 0; --i) {
    const auto name = fmt::format("n{}", i);
    auto node = a_volcano_node(name).cpu("16").memory("64Gi");
    if (pick(5) != 0) kind.node(node);
    scenario.objects.emplace_back(node.object());
    const char* policies[] = {"none", "best-effort", "restricted", "single-numa-node"};
    if (pick(5) != 0)
      scenario.objects.emplace_back(a_numatopology(name).policy(policies[pick(4)]).numa_nodes(1 + pick(3), 4).object());
  }
  int jobs = 0;
  for (int i = 2 + pick(6); i > 0; --i) add_job(scenario.objects, kind, ++jobs);
  for (int cycle = pick(3); cycle > 0; --cycle) {
    auto& changes = scenario.between.emplace_back();
    if (pick(2) == 0) changes.emplace_back(BoundPodsRun{});
    std::vector<Object> more;
    add_job(more, kind, ++jobs);
    for (auto& object : more) changes.emplace_back(std::move(object));
    if (pick(3) == 0) changes.emplace_back(PodGoes{"default/job-1-p-0"});
  }
  return scenario;
}

}  // namespace muster
