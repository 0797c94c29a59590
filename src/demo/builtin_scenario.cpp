#include "demo/scenario.h"

namespace muster::demo {

std::string_view builtin_scenario() {
  return R"(# What `muster demo` shows; `muster demo --scenario FILE` shows another one. Times are in seconds.
seed: 1
nodes: 240
nodesPerRack: 16
racksPerZone: 5
pools:
- {name: h100, share: 10, cpu: 96, memoryGi: 1024, gpus: 8, product: NVIDIA-H100}
- {name: l40, share: 3, cpu: 64, memoryGi: 512, gpus: 4, product: NVIDIA-L40}
- {name: cpu, share: 2, cpu: 128, memoryGi: 512}

# What a queue deserves is a share of everything; it may use what others leave idle, until they want it back.
queues:
- {name: research, share: 0.6}
- {name: llm, parent: research, share: 0.4}
- {name: vision, parent: research, share: 0.2}
- {name: product, share: 0.4}
- {name: serving, parent: product, share: 0.25}
- {name: sweeps, parent: product, share: 0.15}

jobs:
# There from the beginning.
- {name: chat, queue: serving, count: 6, pods: [12, 16], least: 1, cpu: 8, memoryGi: 64, gpus: 1, priority: inference}
- {name: warm, queue: llm, count: 10, pods: [2, 4, 8], cpu: 80, memoryGi: 800, gpus: 8, run: [20, 150], rack: preferred}
- {name: start, queue: vision, count: 16, pods: [1, 2, 4], cpu: 32, memoryGi: 128, gpus: 4, run: [20, 120]}

# Takes everything that is idle, and gives it back pod by pod: the reclaim to watch.
- {name: tune, queue: sweeps, at: 4, every: 100, pods: [160, 220], least: 4, cpu: 16, memoryGi: 64, gpus: 4, run: [60, 120]}
- {name: flagship, queue: llm, at: 30, every: 160, pods: 24, cpu: 80, memoryGi: 800, gpus: 8, run: [50, 80]}

# What comes and goes.
- {name: pretrain, queue: llm, at: 10, every: 22, pods: [4, 8, 16], cpu: 80, memoryGi: 800, gpus: 8, run: [40, 150], rack: required}
- {name: finetune, queue: llm, at: 6, every: 9, pods: [1, 2, 4], cpu: 40, memoryGi: 256, gpus: 4, run: [20, 90]}
- {name: segment, queue: vision, at: 8, every: 7, pods: [1, 2, 4], cpu: 32, memoryGi: 128, gpus: 4, run: [20, 120]}
- {name: notebook, queue: vision, at: 3, every: 11, cpu: 4, memoryGi: 32, gpus: 1, run: [30, 200], priority: build}
- {name: prepare, queue: vision, pool: cpu, at: 2, every: 10, pods: [4, 8, 16], least: 1, cpu: 16, memoryGi: 32, run: [10, 60]}

# These wait, and have reason to: no node has sixteen GPUs, and no rack twenty nodes.
- {name: wants-16-gpus, queue: vision, at: 5, pods: 1, cpu: 1, memoryGi: 4, gpus: 16, run: 60}
- {name: wants-20-in-a-rack, queue: llm, at: 5, pods: 20, cpu: 80, memoryGi: 800, gpus: 8, run: 60, rack: required}
)";
}

}  // namespace muster::demo
