#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/kai_report.h"
#include "base/result.h"
#include "policy/kai/cluster.h"

namespace muster {

// What the cluster does between two cycles when there is no cluster. Pods that were told to go linger, or go, or come back: as
// controllers make them anew, or together with those that were promised room, and the stamps of jobs as they were (respawn).
enum class KaiBetween { kNothing, kBoundPodsRun, kRecreate, kRespawn };
Result<KaiBetween> parse_kai_between(std::string_view text);

class KaiBetweenCycles {
 public:
  // The cluster is as its objects say. Pods of the groups to keep do not come back.
  KaiBetweenCycles(KaiBetween mode, const kai::Cluster& cluster, std::vector<std::string> keep_terminating);

  // Plays the cluster after a cycle.
  void play(kai::Cluster& cluster, const KaiRecorder& cycle, Timestamp now);
  // "Running@n1": how each pod is left. Without a rule the evictions of the last cycle have not happened yet.
  std::map<std::string, std::string> final_pods(const kai::Cluster& cluster, const KaiRecorder& last) const;

 private:
  enum class Evicted { kGo, kComeBack };
  static void run_bound(kai::Cluster& cluster, Evicted evicted);
  void respawn(kai::Cluster& cluster, const KaiRecorder& cycle, Timestamp now);
  bool keeps_terminating(const kai::Cluster& cluster, PodId pod) const;

  struct Initial {
    kai::Job::Stamps stamps;
    std::vector<KaiSchedulingCondition> conditions;
  };
  KaiBetween mode_;
  std::vector<std::string> keep_terminating_;
  std::map<GroupId, Initial> initial_;
};

}  // namespace muster
