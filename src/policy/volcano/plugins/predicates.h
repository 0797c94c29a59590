#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <string_view>
#include <vector>

#include "engine/node_filter.h"
#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Kubernetes' own filters, and the plugin that makes placed pods visible to them and to the scores.
class Predicates final : public Plugin {
 public:
  Predicates(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kPrePredicate, Point::kPredicate, Point::kBatchNodeOrder); }

  void open() override;
  void close() override;
  std::optional<std::string> pre_predicate(PodId pod) override;
  bool is_prepared(PodId pod) const override { return prepared_.contains(pod); }
  Dependence predicate_dependence(PodId pod) const override;
  void predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const override;
  void restrict_by_others(PodId pod, Bitset& nodes) const override;
  Dependence order_dependence(PodId pod) const override;
  bool order_fails(PodId pod) const override;
  void add_batch_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  bool on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;
  void on_eviction_undone(PodId pod) override;
  bool simulate_predicate(PodId pod, NodeId node) const override;

 private:
  struct Filter {
    NodeFilter* filter;
    std::string_view name;  // as Kubernetes calls it
    bool stable;            // rests on facts that do not change within a cycle
  };
  // Verdicts of the stable filters by pod template: asked once per node and cycle, and then only remembered as yes or no.
  struct TemplateVerdicts {
    Bitset asked;
    Bitset refused;
  };
  bool skips(PodId pod, std::size_t filter) const;
  bool remembers_template(PodId pod) const;
  // The filters that have something to say about a pod, found once for many nodes.
  struct Active {
    NodeFilter* filter;
    Dependence dependence;
    bool stable;
  };
  const std::vector<Active>& active(PodId pod) const;
  bool run(PodId pod, NodeId node, Dependence up_to, bool stable, Verdict& verdict) const;
  bool reserve_devices(PodId pod);
  bool run_stable_remembered(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const;

  std::vector<Filter> filters_;
  bool remember_templates_;
  bool binds_volumes_;
  bool keeps_promises_ = false;  // the cycle is over, and what it has not undone stays
  FitStatus pods_exceeded_;
  FitStatus remembered_refusal_;
  bool note_prepared_;   // somebody will ask
  bool follows_trials_;  // is told whom a trial of evictions takes away
  boost::unordered_flat_set<PodId> prepared_;
  boost::unordered_flat_map<PodId, std::uint32_t> skipped_;  // a bit for each filter that had nothing to check
  mutable boost::unordered_flat_map<std::string, TemplateVerdicts> templates_;
  boost::unordered_flat_map<PodId, NodeId> last_placed_;  // pods with device claims, on free resources
  mutable PodId active_for_;
  mutable std::vector<Active> active_;
};

}  // namespace muster::volcano
