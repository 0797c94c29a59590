#pragma once

// Small KAI clusters, and what pods and PodGroups would be told of why they wait:
//
//   ToldWorld world;
//   world.job({.name = "waits"});
//   world.run(Behaviour::safe());
//   EXPECT_EQ(world.pods["waits-0"], "no nodes with enough resources were found");

#include <cstdlib>
#include <map>

#include "policy/kai/session.h"
#include "policy/kai/status_text.h"
#include "support/kai_world.h"

namespace muster::kai {

class ToldWorld : public KaiWorld {
 public:
  void closed(Session& session) override {
    KaiWorld::closed(session);
    evictions = session.eviction_texts();
    for (const auto id : session.cluster().listed_jobs()) {
      auto& job = session.cluster().job(id);
      const auto detail = options.detailed_fit_errors ? Detail::kAll : Detail::kCounts;
      groups[job.name] = unschedulable_text(job, detail);
      job.for_each_pod([&](PodId pod) {
        if (session.cluster().task(pod).status == Status::kPending)
          pods[session.books().pod(pod).name] = unschedulable_text(session, job, pod, detail);
      });
    }
  }
  // Of the only pod of that name.
  Pod& pod(const std::string& name) {
    for (auto& object : objects())
      if (auto* found = std::get_if<Pod>(&object); found != nullptr && found->meta.name == name) return *found;
    std::abort();
  }
  Node& node_named(const std::string& name) {
    for (auto& object : objects())
      if (auto* found = std::get_if<Node>(&object); found != nullptr && found->meta.name == name) return *found;
    std::abort();
  }

  std::map<std::string, std::string> groups, pods;
  std::vector<std::string> evictions;
};

inline constexpr auto kBothSearches = {SearchKind::kIndex, SearchKind::kReference};

}  // namespace muster::kai
