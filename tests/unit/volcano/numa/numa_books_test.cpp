#include "policy/volcano/numa/numa_books.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

// Nodes may get other ids between two cycles, and a pod may go before the next one begins.
TEST(NumaBooks, CpusOfAPodThatGoesAreFreeAlsoAfterNodesWereRenumbered) {
  Books books(volcano_accounting());
  NumaBooks numa(books);
  const auto node = books.intern_node("n1");
  NodeRecord object;
  object.name = "n1";
  books.set_node(node, object, {});
  numa.set(a_numatopology("n1").numa_nodes(1, 4).object());
  numa.begin_cycle();
  const auto all = numa.available(node);
  PodRecord record;
  record.name = "p";
  record.uid = "uid-p";
  record.ns = books.symbols().intern("ns");
  record.shape = books.intern_shape({});
  record.labels = books.intern_labels(record.ns, {});
  record.node = node;
  const auto pod = books.add_pod(record);
  numa.keep(node, pod, all);
  numa.begin_cycle();
  EXPECT_EQ(numa.available(node).size(), 0u);
  numa.renumber();
  numa.pod_gone(pod);
  numa.begin_cycle();
  EXPECT_EQ(numa.available(node).size(), 4u);
}

}  // namespace
}  // namespace muster::volcano
