#include "engine/filters/node_ports.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/fit_text.h"

namespace muster {
namespace {

constexpr auto kTaken = "unschedulable: node(s) didn't have free ports for the requested pod ports";

TEST(NodePortsFilter, ComparesPortProtocolAndAddress) {
  struct Row {
    const char* what;
    PodBuilder there;
    PodBuilder comes;
    std::string answer;
  };
  const Row rows[] = {
      {"same port", a_pod("a").host_port(80), a_pod("b").host_port(80), kTaken},
      {"another port", a_pod("a").host_port(80), a_pod("b").host_port(81), ""},
      {"another protocol", a_pod("a").host_port(80), a_pod("b").host_port(80, "UDP"), ""},
      {"no protocol means TCP", a_pod("a").host_port(80, ""), a_pod("b").host_port(80, "TCP"), kTaken},
      {"two addresses", a_pod("a").host_port(80, "TCP", "10.0.0.1"), a_pod("b").host_port(80, "TCP", "10.0.0.2"), ""},
      {"the same address", a_pod("a").host_port(80, "TCP", "10.0.0.1"), a_pod("b").host_port(80, "TCP", "10.0.0.1"), kTaken},
      {"all addresses are there", a_pod("a").host_port(80, "TCP", "0.0.0.0"), a_pod("b").host_port(80, "TCP", "10.0.0.2"), kTaken},
      {"all addresses are wanted", a_pod("a").host_port(80, "TCP", "10.0.0.1"), a_pod("b").host_port(80), kTaken},
      {"one of several", a_pod("a").host_port(80).host_port(90), a_pod("b").host_port(70).host_port(90), kTaken},
  };
  for (const auto& [what, there, comes, answer] : rows) {
    TestCluster cluster;
    const auto node = cluster.add(a_node("n"));
    const auto other = cluster.add(a_node("m"));
    cluster.place(there, node);
    NodePortsFilter filter(cluster.books, cluster.fits);
    const auto pod = cluster.add(comes);
    EXPECT_EQ(ask(cluster.fits, filter, pod, node), answer) << what;
    EXPECT_EQ(ask(cluster.fits, filter, pod, other), "") << what;
  }
}

TEST(NodePortsFilter, FollowsPodsThatComeAndGo) {
  TestCluster cluster;
  const auto node = cluster.add(a_node("n"));
  NodePortsFilter filter(cluster.books, cluster.fits);
  const auto pod = cluster.add(a_pod("p").host_port(80));
  EXPECT_EQ(filter.dependence(pod), Dependence::kNode);
  EXPECT_EQ(filter.dependence(cluster.add(a_pod("q"))), Dependence::kNothing);
  const auto first = cluster.place(a_pod("a").host_port(80), node);
  const auto second = cluster.place(a_pod("b").host_port(80), node);
  EXPECT_FALSE(filter.check(pod, node).ok());
  cluster.books.depart(first);
  EXPECT_FALSE(filter.check(pod, node).ok());
  cluster.books.depart(second);
  EXPECT_TRUE(filter.check(pod, node).ok());
}

}  // namespace
}  // namespace muster
