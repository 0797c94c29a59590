#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/volcano/actions/eviction_nodes.h"
#include "policy/volcano/actions/worksheet.h"
#include "policy/volcano/statement.h"

namespace muster::volcano {

// For whom room is made.
struct Served {
  std::vector<PodId> pods;
  Amounts need;
  std::optional<boost::unordered_flat_set<PodId>>
      minimum;  // the same pods, if they are all that the job needs; none: all that it has
};

// A way to run the gang: whom to evict, whom to pipeline where, and the domain of each of its sub-jobs.
struct GangPlan {
  Statement::Plan steps;
  std::vector<std::pair<PodId, NodeId>> placed;
  boost::unordered_flat_map<NodeId, Amounts> left;  // what will be free on the nodes where they are
  std::vector<std::pair<SubJobId, HyperNodeId>> domains;
};

// Tries plans for one job out and undoes everything: whether its gang would run if these pods left.
class GangTrial {
 public:
  GangTrial(Session& session, Job& job, const Served& served, std::string_view rule);

  const Job& job() const { return job_; }
  const Served& served() const { return served_; }

  // Wherever in the domain there is room then.
  std::optional<GangPlan> in(HyperNodeId domain, const std::vector<PodId>& victims);
  // With the places of the plan.
  std::optional<GangPlan> as_in(GangPlan plan, const std::vector<PodId>& victims);

  // Whether the job's queue has refused a pod so far. Then it may help, too, if somebody leaves where the gang does not go.
  bool queue_refused() const { return queue_refused_; }

 private:
  // Whether anybody has to leave for what is placed.
  enum class Room { kFree, kMade };

  void evict(Statement& trial, const std::vector<PodId>& victims) const;
  JobWorksheet::Sheet& confined(JobWorksheet::Sheet& sheet);
  std::optional<HyperNodeId> place_sub_job(const JobWorksheet::Sheet& sheet, HyperNodeId within, Room room, Statement& trial);
  bool place_in(const SubJob* sub_job, const JobWorksheet::Sheet& sheet, HyperNodeId domain, Room room, Statement& trial);
  bool admitted(PodId pod);
  std::optional<GangPlan> concluded(GangPlan plan, Statement& trial, bool runs) const;
  void note_what_is_left(GangPlan& plan) const;

  Session& session_;
  Job& job_;
  const Served& served_;
  std::string_view rule_;
  bool remember_errors_;
  bool queue_refused_ = false;
};

}  // namespace muster::volcano
