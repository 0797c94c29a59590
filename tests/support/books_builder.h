#pragma once

// Small clusters for the tests of the engine, written as one reads them:
//
//   TestCluster cluster;
//   const auto n1 = cluster.add(a_node("n1").cpu(8).memory_gib(16).label("zone", "a"));
//   cluster.place(a_pod("web").cpu(2).label("app", "web"), n1);
//   const auto pending = cluster.add(a_pod("next").anti_affinity(a_term("zone").match("app", "web")));

#include <string>
#include <utility>
#include <vector>

#include "engine/books.h"
#include "engine/fit.h"

namespace muster {

inline constexpr std::int64_t kTestMiB = 1024 * 1024;
inline constexpr std::int64_t kTestGiB = 1024 * kTestMiB;

class NodeBuilder {
 public:
  explicit NodeBuilder(std::string name) { record_.name = std::move(name); }

  NodeBuilder& cpu(std::int64_t cores) { return milli_cpu(cores * 1000); }
  NodeBuilder& milli_cpu(std::int64_t milli) { return with("cpu", milli); }
  NodeBuilder& memory(std::int64_t bytes) { return with("memory", bytes); }
  NodeBuilder& memory_gib(std::int64_t gib) { return memory(gib * kTestGiB); }
  NodeBuilder& gpu(std::int64_t count) { return with("nvidia.com/gpu", count * 1000); }
  NodeBuilder& pods(std::int64_t count) { return with("pods", count); }
  NodeBuilder& label(std::string key, std::string value) {
    record_.labels.set(std::move(key), std::move(value));
    return *this;
  }
  NodeBuilder& taint(std::string key, std::string value, TaintEffect effect) {
    record_.taints.push_back({std::move(key), std::move(value), effect});
    return *this;
  }
  NodeBuilder& image(std::string name, std::int64_t bytes) {
    record_.images.push_back({{std::move(name)}, bytes});
    return *this;
  }
  NodeBuilder& cordoned() {
    record_.unschedulable = true;
    return *this;
  }

 private:
  friend class TestCluster;
  NodeBuilder& with(std::string resource, std::int64_t amount) {
    amounts_.emplace_back(std::move(resource), amount);
    return *this;
  }
  NodeRecord record_;
  std::vector<std::pair<std::string, std::int64_t>> amounts_;
};

inline NodeBuilder a_node(std::string name) { return NodeBuilder(std::move(name)); }

inline LabelSelector matching(std::string key, std::string value) {
  return {{Requirement{std::move(key), SelectorOp::kIn, {std::move(value)}}}};
}

// A pod affinity term; without match() it selects no pod at all.
class TermBuilder {
 public:
  explicit TermBuilder(std::string topology_key) { term_.topology_key = std::move(topology_key); }

  TermBuilder& match(std::string key, std::string value) { return require({std::move(key), SelectorOp::kIn, {std::move(value)}}); }
  TermBuilder& require(Requirement requirement) {
    if (!term_.selector) term_.selector.emplace();
    term_.selector->requirements.push_back(std::move(requirement));
    return *this;
  }
  TermBuilder& match_all() {
    term_.selector.emplace();
    return *this;
  }
  TermBuilder& in(std::string ns) {
    term_.namespaces.push_back(std::move(ns));
    return *this;
  }
  TermBuilder& in_namespaces(LabelSelector selector) {
    term_.namespace_selector = std::move(selector);
    return *this;
  }
  operator PodAffinityTerm() const { return term_; }  // NOLINT: reads as a term wherever one is wanted

 private:
  PodAffinityTerm term_;
};

inline TermBuilder a_term(std::string topology_key) { return TermBuilder(std::move(topology_key)); }

class SpreadBuilder {
 public:
  SpreadBuilder(std::string topology_key, std::int32_t max_skew) {
    spread_.topology_key = std::move(topology_key);
    spread_.max_skew = max_skew;
  }

  SpreadBuilder& match(std::string key, std::string value) {
    if (!spread_.selector) spread_.selector.emplace();
    spread_.selector->requirements.push_back({std::move(key), SelectorOp::kIn, {std::move(value)}});
    return *this;
  }
  SpreadBuilder& anyway() {
    spread_.action = SpreadAction::kScheduleAnyway;
    return *this;
  }
  SpreadBuilder& min_domains(std::int32_t count) {
    spread_.min_domains = count;
    return *this;
  }
  SpreadBuilder& ignore_affinity() {
    spread_.node_affinity = NodeInclusion::kIgnore;
    return *this;
  }
  SpreadBuilder& honor_taints() {
    spread_.node_taints = NodeInclusion::kHonor;
    return *this;
  }
  SpreadBuilder& match_label_key(std::string key) {
    spread_.match_label_keys.push_back(std::move(key));
    return *this;
  }
  operator SpreadConstraint() const { return spread_; }  // NOLINT: reads as a constraint wherever one is wanted

 private:
  SpreadConstraint spread_;
};

inline SpreadBuilder a_spread(std::string topology_key, std::int32_t max_skew = 1) {
  return SpreadBuilder(std::move(topology_key), max_skew);
}

class PodBuilder {
 public:
  explicit PodBuilder(std::string name) : name_(std::move(name)) {}

  PodBuilder& ns(std::string name) {
    ns_ = std::move(name);
    return *this;
  }
  PodBuilder& label(std::string key, std::string value) {
    labels_.set(std::move(key), std::move(value));
    return *this;
  }
  PodBuilder& cpu(std::int64_t cores) { return milli_cpu(cores * 1000); }
  PodBuilder& milli_cpu(std::int64_t milli) { return with("cpu", milli); }
  PodBuilder& memory(std::int64_t bytes) { return with("memory", bytes); }
  PodBuilder& memory_gib(std::int64_t gib) { return memory(gib * kTestGiB); }
  PodBuilder& gpu(std::int64_t count) { return with("nvidia.com/gpu", count * 1000); }
  // What spreading scores count for it; equal to the requests unless set here.
  PodBuilder& nonzero(std::int64_t milli_cpu, std::int64_t memory) {
    shape_.nonzero_milli_cpu = milli_cpu;
    shape_.nonzero_memory = memory;
    return *this;
  }
  PodBuilder& select(std::string key, std::string value) {
    shape_.node_selector.set(std::move(key), std::move(value));
    return *this;
  }
  PodBuilder& require(NodeSelectorTerm term) {
    if (!shape_.node_required) shape_.node_required.emplace();
    shape_.node_required->terms.push_back(std::move(term));
    return *this;
  }
  PodBuilder& prefer(std::int32_t weight, std::string key, std::string value) {
    shape_.node_preferred.push_back({weight, {{{std::move(key), SelectorOp::kIn, {std::move(value)}}}, {}}});
    return *this;
  }
  PodBuilder& tolerate(Toleration toleration) {
    shape_.tolerations.push_back(std::move(toleration));
    return *this;
  }
  PodBuilder& host_port(std::int32_t port, std::string protocol = "TCP", std::string ip = "") {
    shape_.host_ports.push_back({port, std::move(ip), std::move(protocol)});
    return *this;
  }
  PodBuilder& image(std::string name) {
    shape_.images.push_back(std::move(name));
    ++shape_.image_containers;
    return *this;
  }
  PodBuilder& claim(const std::string& name) {
    shape_.claims.push_back(ns_ + "/" + name);
    return *this;
  }
  PodBuilder& affinity(PodAffinityTerm term) {
    terms_.affinity.push_back(std::move(term));
    return *this;
  }
  PodBuilder& anti_affinity(PodAffinityTerm term) {
    terms_.anti_affinity.push_back(std::move(term));
    return *this;
  }
  PodBuilder& prefer_near(std::int32_t weight, PodAffinityTerm term) {
    terms_.preferred.push_back({weight, std::move(term)});
    return *this;
  }
  PodBuilder& prefer_away(std::int32_t weight, PodAffinityTerm term) {
    terms_.anti_preferred.push_back({weight, std::move(term)});
    return *this;
  }
  PodBuilder& spread(SpreadConstraint constraint) {
    terms_.spread.push_back(std::move(constraint));
    return *this;
  }
  PodBuilder& terminating() {
    terminating_ = true;
    return *this;
  }

 private:
  friend class TestCluster;
  PodBuilder& with(std::string resource, std::int64_t amount) {
    amounts_.emplace_back(std::move(resource), amount);
    return *this;
  }
  std::string name_;
  std::string ns_ = "default";
  StringMap labels_;
  PodShape shape_;
  PodTerms terms_;
  bool terminating_ = false;
  std::vector<std::pair<std::string, std::int64_t>> amounts_;
};

inline PodBuilder a_pod(std::string name) { return PodBuilder(std::move(name)); }

// Books with everything that a filter or scorer needs beside them.
class TestCluster {
 public:
  explicit TestCluster(const Accounting& accounting = {}) : books(accounting) {}

  NodeId add(const NodeBuilder& node) {
    const auto id = books.intern_node(node.record_.name);
    Amounts allocatable;
    for (const auto& [name, amount] : node.amounts_) allocatable.set(books.resource(name), amount);
    books.set_node(id, node.record_, allocatable);
    return id;
  }
  PodId add(const PodBuilder& pod) {
    PodShape shape = pod.shape_;
    for (const auto& [name, amount] : pod.amounts_) shape.request.add(books.resource(name), amount);
    if (shape.nonzero_milli_cpu == 0) shape.nonzero_milli_cpu = shape.request.get(kCpu);
    if (shape.nonzero_memory == 0) shape.nonzero_memory = shape.request.get(kMemory);
    PodRecord record;
    record.name = pod.name_;
    record.uid = pod.ns_ + "/" + pod.name_;
    record.ns = books.symbols().intern(pod.ns_);
    record.shape = books.intern_shape(std::move(shape));
    record.labels = books.intern_labels(record.ns, pod.labels_);
    record.terms = books.intern_terms(pod.terms_);
    record.terminating = pod.terminating_;
    return books.add_pod(std::move(record));
  }
  PodId place(const PodBuilder& pod, NodeId node) {
    const auto id = add(pod);
    books.arrive(id, node);
    return id;
  }
  std::vector<NodeId> all_nodes() const {
    std::vector<NodeId> nodes;
    for (const auto node : IdRange<NodeId>(books.node_count())) nodes.push_back(node);
    return nodes;
  }

  Books books;
  FitTable fits;
};

}  // namespace muster
