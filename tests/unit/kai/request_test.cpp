#include "policy/kai/request.h"

#include <gtest/gtest.h>

namespace muster::kai {
namespace {

Pod a_pod(ResourceList requests, StringMap annotations = {}) {
  Pod pod;
  pod.meta.name = "p";
  pod.meta.annotations = std::move(annotations);
  pod.spec.containers.push_back({});
  pod.spec.containers.back().requests = std::move(requests);
  return pod;
}

GpuRequest gpu_of(const Pod& pod) {
  Books books{Accounting()};
  return request_of(pod, books).gpu;
}

TEST(Request, MigProfilesCountByTheirSlices) {
  EXPECT_EQ(mig_gpus("nvidia.com/mig-1g.5gb"), 1);
  EXPECT_EQ(mig_gpus("nvidia.com/mig-3g.20gb"), 3);
  EXPECT_EQ(mig_gpus("nvidia.com/mig-1g.5gb.me"), 0);
  EXPECT_EQ(mig_gpus("nvidia.com/gpu"), 0);
}

TEST(Request, WholeGpusAreRegular) {
  const auto gpu = gpu_of(a_pod({{"nvidia.com/gpu", Quantity::from_units(2)}}));
  EXPECT_EQ(gpu.kind, GpuKind::kRegular);
  EXPECT_EQ(gpu.gpus(), 2);
}

TEST(Request, AnnotationsAskForParts) {
  struct Row {
    std::vector<std::pair<std::string, std::string>> notes;
    GpuKind kind;
    std::int64_t devices;
    double gpus;
  };
  const Row rows[] = {
      {{{"gpu-fraction", "0.5"}}, GpuKind::kFraction, 1, 0.5},
      {{{"gpu-fraction", "1"}}, GpuKind::kFraction, 1, 1},
      {{{"gpu-fraction", "1.5"}}, GpuKind::kRegular, 0, 0},
      {{{"gpu-fraction", "half"}}, GpuKind::kRegular, 0, 0},
      {{{"gpu-fraction", "0.25"}, {"gpu-fraction-num-devices", "3"}}, GpuKind::kFraction, 3, 0.75},
      {{{"gpu-memory", "2000"}}, GpuKind::kMemory, 1, 0},
      {{{"gpu-memory", "-1"}}, GpuKind::kRegular, 0, 0},
  };
  for (const auto& row : rows) {
    const auto gpu = gpu_of(a_pod({}, StringMap(row.notes)));
    EXPECT_EQ(gpu.kind, row.kind) << row.notes.front().second;
    EXPECT_EQ(gpu.devices, row.devices) << row.notes.front().second;
    EXPECT_EQ(gpu.gpus(), row.gpus) << row.notes.front().second;
  }
}

TEST(Request, SharedGpusAreNotChargedToTheNode) {
  Books books{Accounting()};
  StringMap notes;
  notes.set("gpu-fraction", "0.5");
  const auto pod = a_pod({{"cpu", Quantity::from_units(1)}}, notes);
  const auto request = request_of(pod, books).shape.request;
  EXPECT_EQ(request.get(kCpu), 1000);
  EXPECT_EQ(request.get(books.resource("nvidia.com/gpu")), 0);
  EXPECT_EQ(request.get(kPodCount), 1);
}

}  // namespace
}  // namespace muster::kai
