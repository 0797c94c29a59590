#pragma once

#include <map>
#include <utility>
#include <vector>

#include "app/job_outlook.h"
#include "app/kai_obstacles.h"
#include "app/kai_reason.h"
#include "app/refused_binds.h"
#include "policy/kai/session.h"

namespace muster {

// How a job of the KAI dialect stands when all actions of a cycle are done.
struct KaiOutlook {
  JobOutlook job;  // its reason is not used
  KaiReason reason = KaiReason::kNone;
  KaiObstacles obstacles;             // of one of its pods, where nodes are the reason
  std::vector<std::string> messages;  // what the original would say, one per reason that it records
};

// Looks at jobs after the last action. What nodes say to a pod is asked once for all pods that ask for the same.
class KaiOutlooks {
 public:
  // Of how many pods that ask for different things nodes are asked: a table of thousands of jobs is not worth asking every node
  // for each.
  static constexpr std::size_t kMostAsked = 200;

  // What was refused is looked at, not kept.
  explicit KaiOutlooks(kai::Session& session, std::size_t most_asked = kMostAsked, const RefusedBinds& refused = nothing_refused());

  // Names, counts and state alone, which ask no node.
  JobOutlook standing_of(const kai::Job& job) const;

  // With a pod, nodes are asked about that one.
  KaiOutlook of(const kai::Job& job, PodId pod = PodId());
  // Of every job of the shard, in the order of arrival, then pods whose PodGroup is missing.
  std::vector<KaiOutlook> all();

 private:
  void count_pods(const kai::Job& job, JobOutlook& out) const;
  void find_reason(const kai::Job& job, PodId pod, KaiOutlook& out);
  bool find_reason_before_nodes(const kai::Job& job, KaiOutlook& out) const;
  bool find_evictions(const kai::Job& job, KaiOutlook& out) const;
  bool find_stray_pods(const kai::Job& job, KaiOutlook& out) const;
  bool find_missing_pods(const kai::Job& job, KaiOutlook& out) const;
  bool find_missing_levels(const kai::Job& job, KaiOutlook& out) const;
  bool find_small_domains(const kai::Job& job, KaiOutlook& out) const;
  // Of its pods, or of those of one part, how many are held back after their binds, and why the first of them is.
  struct Refused {
    std::int64_t pods = 0;
    const std::string* why = nullptr;
  };
  Refused refused_of(const kai::Job& job, kai::SubGroupId part = {}) const;
  const std::string* why_refused(PodId pod) const;
  void find_nodes_reason(const kai::Job& job, PodId wanted, KaiOutlook& out);
  void add_delay(const kai::Job& job, KaiOutlook& out) const;
  // Nothing once as many were asked for as may be.
  const KaiObstacles* obstacles_to(PodId pod);

  kai::Session& session_;
  const std::size_t most_asked_;
  const RefusedBinds& refused_;
  std::vector<char> has_group_;   // by job: its PodGroup is there
  std::vector<char> takes_part_;  // is there and does not back off
  // By the shape of the pod; pods that ask for shares of GPUs are alike within a job.
  std::map<std::pair<std::size_t, std::size_t>, KaiObstacles> asked_;
};

// The jobs alone, for a table.
std::vector<JobOutlook> jobs_of(std::vector<KaiOutlook> outlooks);

}  // namespace muster
