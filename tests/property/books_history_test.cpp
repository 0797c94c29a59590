// The books over random histories: sums always equal their parts, and a history played backwards leaves no trace.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property/random_scenario.h"
#include "support/books_builder.h"
#include "support/books_snapshot.h"

namespace muster {
namespace {

constexpr PodState kPlacedStates[] = {PodState::kAllocated, PodState::kPipelined, PodState::kBinding, PodState::kBound,
                                      PodState::kRunning,   PodState::kReleasing, PodState::kUnknown};

// Pods that leave and pods that wait for what they free weigh differently from all others.
Accounting three_kinds() {
  Accounting accounting;
  accounting.rules[static_cast<std::size_t>(PodState::kReleasing)] = {true, true, false};
  accounting.rules[static_cast<std::size_t>(PodState::kPipelined)] = {false, false, true};
  return accounting;
}

class History {
 public:
  History() : books(three_kinds()) {
    for (int i = 0; i < 3; ++i) set_node(), books.add_group("default/g" + std::to_string(i));
  }

  void set_node() {
    NodeRecord record;
    record.name = "n" + std::to_string(pick(5));
    Amounts allocatable;
    allocatable.set(kCpu, 1000 * (1 + pick(8)));
    allocatable.set(kPodCount, 1 + pick(10));
    if (chance(2)) allocatable.set(books.resource("nvidia.com/gpu"), 1000 * pick(3));
    const auto id = books.intern_node(record.name);
    books.set_node(id, std::move(record), allocatable);
  }
  void remove_node() { books.remove_node(some_node()); }
  void add_pod() {
    PodShape shape;
    shape.request.add(kCpu, 500 * pick(4));
    shape.request.add(kPodCount, 1);
    if (chance(3)) shape.request.add(books.resource(one_of({"nvidia.com/gpu", "example.com/fpga"})), 1000);
    shape.nonzero_milli_cpu = 100;
    shape.nonzero_memory = 200;
    PodRecord record;
    record.name = "p" + std::to_string(books.pod_count());
    record.ns = books.symbols().intern("default");
    record.shape = books.intern_shape(std::move(shape));
    record.labels = books.intern_labels(record.ns, {});
    if (!chance(4)) record.group = GroupId(static_cast<std::size_t>(pick(3)));
    pods.push_back(books.add_pod(std::move(record)));
  }
  void remove_pod(PodId pod) {
    books.remove_pod(pod);
    std::erase(pods, pod);
  }
  void account(PodId pod) {
    if (!books.pod(pod).accounted_on) books.account(pod, some_node(), some_state());
  }
  void unaccount(PodId pod) {
    if (books.pod(pod).accounted_on) books.unaccount(pod);
  }
  void arrive(PodId pod) {
    if (!books.pod(pod).present_on) books.arrive(pod, some_node());
  }
  void depart(PodId pod) {
    if (books.pod(pod).present_on) books.depart(pod);
  }
  void set_state(PodId pod) { books.set_state(pod, some_state(), some_node()); }

  void step() {
    const int what = pick(12);
    if (what < 3 || pods.empty()) return add_pod();
    const auto pod = some_pod();
    switch (what) {
      case 3: return set_node();
      case 4: return remove_node();
      case 5: return remove_pod(pod);
      case 6: return unaccount(pod);
      case 7: return depart(pod);
      case 8: return set_state(pod);
      case 9: return arrive(pod);
      default: return account(pod);
    }
  }

  PodId some_pod() { return pods[static_cast<std::size_t>(pick(static_cast<int>(pods.size())))]; }
  NodeId some_node() { return NodeId(static_cast<std::size_t>(pick(static_cast<int>(books.node_count())))); }
  static PodState some_state() { return kPlacedStates[pick(static_cast<int>(std::size(kPlacedStates)))]; }

  Books books;
  std::vector<PodId> pods;
};

// What check_sums() leaves out.
void check_lists(const Books& books) {
  bool moves = false;
  Column nonzero(books.node_count());
  for (const auto node : IdRange<NodeId>(books.node_count())) {
    for (std::size_t r = 0; r < books.resource_count(); ++r)
      moves |= books.ledgers().releasing[r][node.index()] != 0 || books.ledgers().pipelined[r][node.index()] != 0;
    for (const auto pod : books.pods_on(node)) RC_ASSERT(books.pod(pod).accounted_on == node);
    for (const auto pod : books.pods_present(node)) {
      RC_ASSERT(books.pod(pod).present_on == node);
      nonzero[node.index()] += books.shape_of(pod).nonzero_milli_cpu;
    }
  }
  RC_ASSERT(books.nothing_moves() == !moves);
  RC_ASSERT(books.ledgers().nonzero_cpu == nonzero);
}

RC_GTEST_PROP(BooksHistory, SumsEqualTheirParts, ()) {
  History history;
  const int steps = pick(60);
  for (int i = 0; i < steps; ++i) history.step();
  RC_ASSERT(history.books.check_sums());
  check_lists(history.books);
}

RC_GTEST_PROP(BooksHistory, EveryChangedNodeIsInTheLog, ()) {
  History history;
  for (int i = 0; i < 20; ++i) history.step();
  const auto from = history.books.log_end();
  const auto before = snapshot_of(history.books);
  const auto resources = history.books.resource_count();
  history.step();
  RC_PRE(history.books.resource_count() == resources);  // a new resource adds columns everywhere
  const auto after = snapshot_of(history.books);
  std::vector<char> logged(history.books.node_count());
  for (auto at = from; at != history.books.log_end(); ++at) logged[history.books.logged(at).index()] = 1;
  for (std::size_t n = 0; n < before.ledgers[0][0].size(); ++n)
    for (std::size_t ledger = 0; ledger < before.ledgers.size(); ++ledger)
      for (std::size_t r = 0; r < before.ledgers[ledger].size(); ++r)
        if (before.ledgers[ledger][r][n] != after.ledgers[ledger][r][n]) RC_ASSERT(logged[n]);
}

RC_GTEST_PROP(BooksHistory, PlayedBackwardsLeavesNoTrace, ()) {
  History history;
  const int steps = pick(40);
  for (int i = 0; i < steps; ++i) history.step();
  history.add_pod();
  auto& books = history.books;
  const auto before = snapshot_of(books);
  const auto pods = history.pods.size();

  std::vector<std::function<void()>> inverses;
  const int changes = 1 + pick(12);
  for (int i = 0; i < changes; ++i) {
    const auto pod = history.some_pod();
    const auto record = books.pod(pod);
    switch (pick(3)) {
      case 0:
        history.set_state(pod);
        inverses.emplace_back([&books, pod, record] { books.set_state(pod, record.state, record.node); });
        break;
      case 1:
        if (record.accounted_on) break;
        history.account(pod);
        inverses.emplace_back([&books, pod] { books.unaccount(pod); });
        break;
      default:
        if (record.present_on) break;
        history.arrive(pod);
        inverses.emplace_back([&books, pod] { books.depart(pod); });
        break;
    }
  }
  for (auto inverse = inverses.rbegin(); inverse != inverses.rend(); ++inverse) (*inverse)();
  RC_ASSERT(history.pods.size() == pods);
  RC_ASSERT(snapshot_of(books) == before);
}

}  // namespace
}  // namespace muster
