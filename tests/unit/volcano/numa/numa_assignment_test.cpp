#include "policy/volcano/numa/numa_assignment.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

std::string cpus_text(const CpuSet& set) {
  std::string text;
  set.for_each([&](std::size_t cpu) { text += (text.empty() ? "" : ",") + std::to_string(cpu); });
  return text;
}

NumaRequest wants(std::vector<std::int64_t> containers, std::string policy) {
  NumaRequest request;
  request.guaranteed = true;
  request.policy = std::move(policy);
  for (const auto cpus : containers) request.containers.push_back({"c" + std::to_string(request.containers.size()), cpus});
  return request;
}

TEST(NumaAssignmentTest, PoliciesAdmitOrNot) {
  struct Case {
    const char* what;
    std::string policy;
    std::string free;
    std::vector<std::int64_t> cpus;
    std::string outcome;  // CPUs, or the reason
  };
  // Two NUMA nodes of four CPUs.
  for (const auto& c : std::vector<Case>{
           {"fits one node", "single-numa-node", "0-7", {3}, "0,1,2"},
           {"the fuller node does not do", "single-numa-node", "0,4-7", {3}, "4,5,6"},
           {"only across", "single-numa-node", "0-1,4-5", {3}, "container c0 cannot be assigned by numa"},
           {"only across", "restricted", "0-1,4-5", {3}, "container c0 cannot be assigned by numa"},
           {"only across", "best-effort", "0-1,4-5", {3}, "0,1,4"},
           {"larger than a node", "restricted", "0-7", {6}, "0,1,2,3,4,5"},
           {"larger than a node", "single-numa-node", "0-7", {6}, "container c0 cannot be assigned by numa"},
           {"too many", "best-effort", "0-1", {3}, ""},
           {"two containers", "single-numa-node", "0-7", {3, 2}, "0,1,2,4,5"},
           {"the second finds nothing", "single-numa-node", "0-3,4", {3, 2}, "container c1 cannot be assigned by numa"},
           {"parts of CPUs", "single-numa-node", "0-7", {0}, ""},
           {"a policy of one's own", "foo", "0-1,4-5", {3}, "0,1,4"},
       }) {
    const auto node = numa_node_of(a_numatopology("n").numa_nodes(2, 4).free(c.free).policy(c.policy).object());
    ASSERT_TRUE(node);
    const auto answer = assign_cpus(wants(c.cpus, c.policy), &*node, node->allocatable);
    EXPECT_EQ(answer.cpus ? cpus_text(*answer.cpus) : answer.reason, c.outcome) << c.what << ", " << c.policy;
    EXPECT_EQ(answer.code, answer.cpus ? FitCode::kSuccess : FitCode::kUnresolvable) << c.what;
  }
}

TEST(NumaAssignmentTest, WhoLooksAtNumaNodes) {
  struct Case {
    std::string wish;
    std::string cpu_policy;
    std::string policy;
    std::string reason;  // "-": nobody looks
  };
  for (const auto& c : std::vector<Case>{
           {"", "static", "restricted", ""},
           {"none", "static", "restricted", ""},
           {"", "none", "restricted", "-"},
           {"", "static", "none", "-"},
           {"", "static", "", "-"},
           {"restricted", "static", "restricted", ""},
           {"restricted", "none", "restricted", "cpu manager policy isn't static"},
           {"restricted", "static", "best-effort", "task topology policy[restricted] is different with node[best-effort]"}}) {
    const auto node = numa_node_of(a_numatopology("n").numa_nodes(2, 4).cpu_policy(c.cpu_policy).policy(c.policy).object());
    const auto answer = assign_cpus(wants({1}, c.wish), &*node, node->allocatable);
    EXPECT_EQ(answer.reason.empty() && !answer.cpus ? "-" : answer.reason, c.reason) << c.wish << c.cpu_policy << c.policy;
    EXPECT_EQ(answer.code, answer.reason.empty() ? FitCode::kSuccess : FitCode::kError);
  }
  EXPECT_EQ(assign_cpus(wants({1}, "restricted"), nullptr, {}).reason, "numa info is empty");
  EXPECT_EQ(assign_cpus(wants({1}, ""), nullptr, {}).reason, "");
  const auto full = numa_node_of(a_numatopology("n").numa_nodes(1, 2).free("").policy("restricted").object());
  EXPECT_EQ(assign_cpus(wants({1}, "restricted"), &*full, full->allocatable).reason, "cpu allocatable map is empty");
}

TEST(NumaAssignmentTest, ReservedCpusAreTakenOut) {
  const auto reserved = [](auto builder) { return cpus_text(numa_node_of(builder.object())->reserved); };
  EXPECT_EQ(reserved(a_numatopology("n").numa_nodes(1, 4).reserved("cpu", "1500m").reserved("memory", "1Gi")), "0,1");
  EXPECT_EQ(reserved(a_numatopology("n").numa_nodes(1, 4).reserved("cpu", "1").reserved("pods", "1")), "");  // voids the list
  EXPECT_EQ(reserved(a_numatopology("n").numa_nodes(1, 4).reserved("cpu", "x")), "");
  EXPECT_EQ(reserved(a_numatopology("n").numa_nodes(1, 4).reserved("cpu", "9")), "");  // more than there are
}

TEST(NumaAssignmentTest, NonsenseIsNoMachine) {
  EXPECT_FALSE(numa_node_of(a_numatopology("n").numa_nodes(40, 1).object()));
  auto odd = a_numatopology("n").numa_nodes(1, 2).object();
  odd.cpus["-3"] = {};
  EXPECT_FALSE(numa_node_of(odd));
}

TEST(NumaRequestTest, OnlyGuaranteedPodsCount) {
  const auto guaranteed = [](const VolcanoPodBuilder& pod) { return numa_request_of(pod.object()).guaranteed; };
  EXPECT_TRUE(guaranteed(a_volcano_pod("p").uses("cpu", "2").uses("memory", "1Gi")));
  EXPECT_TRUE(guaranteed(a_volcano_pod("p").uses("cpu", "2").uses("memory", "1Gi").uses("x/y", "1").limit("x/y", "2")));
  EXPECT_FALSE(guaranteed(a_volcano_pod("p").uses("cpu", "2")));
  EXPECT_FALSE(guaranteed(a_volcano_pod("p").uses("cpu", "2").uses("memory", "1Gi").cpu("1")));
  EXPECT_FALSE(guaranteed(a_volcano_pod("p").uses("cpu", "2").uses("memory", "1Gi").container("b")));
  EXPECT_FALSE(guaranteed(a_volcano_pod("p")));
  const auto request = numa_request_of(
      a_volcano_pod("p").uses("cpu", "1500m").uses("memory", "1").container("b").uses("cpu", "3").uses("memory", "1").object());
  ASSERT_EQ(request.containers.size(), 2u);
  EXPECT_EQ(request.containers[0].cpus, 0);
  EXPECT_EQ(request.containers[1].cpus, 3);
}

}  // namespace
}  // namespace muster::volcano
