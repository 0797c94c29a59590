#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Packs or spreads each resource separately. Beside it, two ways of keeping scarce devices for those who need them: a score that
// turns pods away from nodes with scarce resources ("sra"), and a filter that keeps cpu and memory free in proportion to a node's
// idle devices ("proportional").
class ResourceStrategyFit final : public Plugin {
 public:
  ResourceStrategyFit(Session& session, const PluginOption& option);
  Points points() const override;

  Dependence predicate_dependence(PodId pod) const override;
  void predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const override;

  Dependence order_dependence(PodId) const override { return Dependence::kNode; }
  void add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  // A pod may bring a strategy of its own in two annotations.
  std::uint64_t class_key(PodId pod) const override;

 private:
  enum class Kind { kLeastAllocated, kMostAllocated, kUnknown };
  struct Strategy {
    Kind kind = Kind::kLeastAllocated;
    std::int64_t weight = 1;
  };
  // A strategy of the configuration: for one resource, or for all whose names begin alike.
  struct NamedStrategy {
    std::string name;
    bool is_prefix = false;
    Strategy strategy;
  };
  // What a pod's annotations say instead of the configuration.
  struct OwnStrategies {
    Kind kind;
    std::map<std::string, std::int64_t> weights;  // by resource

    std::optional<Strategy> of(const std::string& resource) const;
  };
  // What one resource of a pod contributes on any node.
  struct Term {
    double request = 0;
    Strategy strategy;
    const Column* allocatable = nullptr;
    const Column* used = nullptr;
  };
  struct Plan {
    std::vector<Term> terms;
    std::int64_t weight_sum = 0;
  };
  struct Scarcity {
    std::int64_t weight = 0;  // of the whole score; not positive: off
    std::vector<std::pair<ResourceId, std::int64_t>> resources;
    std::int64_t weight_sum = 0;
  };
  // What stays free for each idle device, in thousandths of it.
  struct Reserve {
    ResourceId device;
    double cpu = 1;
    double memory = 1;
    FitStatus refusal;
  };

  static Kind kind_of(std::string_view text);
  static double fit_score(const Plan& plan, double scale, NodeId node);

  void read_strategies(const Arguments& arguments);
  void read_scarcity(const Arguments& arguments);
  void read_reserves(const Arguments& arguments);
  std::optional<Strategy> configured(std::string_view resource) const;
  // Nothing: what the pod's annotations say cannot be read, and then it has no score at all.
  std::optional<Plan> plan_for(PodId pod) const;
  double scarcity_score(const Amounts& request, NodeId node) const;

  std::int64_t weight_;
  std::vector<NamedStrategy> strategies_;
  Scarcity scarcity_;
  bool proportional_ = false;
  std::vector<Reserve> reserves_;
};

}  // namespace muster::volcano
