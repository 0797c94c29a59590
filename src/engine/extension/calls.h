#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/extension/extension.h"
#include "engine/extension/host.h"
#include "engine/fit.h"
#include "engine/node_filter.h"

namespace muster {

// A library's plugin, asked about one session: ids become handles, and what no caller could bear is put right. Only what the
// library has a function for may be asked, unless it says otherwise here.
class ExtensionCalls {
 public:
  ExtensionCalls(ExtensionInstance& extension, muster_session& session)
      : extension_(extension), table_(extension.plugin()), self_(extension.self()), session_(session) {}

  const muster_plugin& table() const { return table_; }
  const std::string& name() const { return extension_.name(); }

  // With or without a function.
  void open();
  void close();
  bool allocated(PodId pod);  // false: the library refuses
  void deallocated(PodId pod);
  Dependence predicate_dependence(PodId pod) const;
  Dependence score_dependence(PodId pod) const;
  std::uint64_t class_key(PodId pod) const;

  double rank(GroupId group) const;
  int compare(PodId left, PodId right) const;
  int compare(QueueId left, QueueId right) const;
  bool valid(GroupId group) const;
  muster_vote admissible(GroupId group) const;

  struct Refusal {
    FitCode code;
    std::string why;  // may be empty
  };
  std::optional<Refusal> refusal(PodId pod, NodeId node) const;
  void add_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals);

  struct Opinion {
    muster_vote vote;
    std::vector<PodId> given_up;
  };
  using AskVictims = decltype(muster_plugin::preemptable);
  Opinion opinion(AskVictims ask, PodId taker, std::span<const PodId> candidates) const;

 private:
  ExtensionInstance& extension_;
  const muster_plugin& table_;
  void* self_;
  muster_session& session_;
  std::vector<muster_node> nodes_;
  std::vector<double> scores_;
};

}  // namespace muster
