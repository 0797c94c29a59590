// What is remembered from cycle to cycle keeps up with ids that are given out again.

#include <map>

#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

// Who the pod is now: its object may have changed since.
PodId successor(const Cluster& cluster, PodId pod) {
  const auto& books = cluster.books();
  if (!books.removed(pod)) return pod;
  const auto now = cluster.find_pod(books.pod_key(pod));
  return now && books.pod(now).uid == books.pod(pod).uid ? now : PodId();
}

// What was promised, while ids of pods and nodes are given out anew.
class HeldPromises {
 public:
  HeldPromises(const Cluster& cluster, Promises& promised) : cluster_(cluster), promised_(promised) {
    for (auto& [job, promise] : promised_) {
      auto& held = held_[job];
      for (const auto& [pod, node] : promise.places) hold(held, successor(cluster_, pod), node);
      for (const auto node : promise.left_over) hold(held, PodId(), node);
      promise = Promise();
    }
  }
  // Jobs that are gone have been taken off the promises.
  void give_back() const {
    for (auto& [job, promise] : promised_)
      for (const auto& [pod, name] : held_.at(job)) {
        const auto node = cluster_.books().find_node(name);
        if (pod)
          promise.places.emplace(pod, node);
        else
          promise.left_over.push_back(node);
      }
  }

 private:
  using Places = std::vector<std::pair<PodId, std::string>>;
  void hold(Places& places, PodId pod, NodeId node) const {
    if (const auto& record = cluster_.books().node(node); record.known) places.emplace_back(pod, record.name);
  }

  const Cluster& cluster_;
  Promises& promised_;
  std::map<GroupId, Places> held_;
};

}  // namespace

void forget_gone(Cluster& cluster, Memory& memory) {
  const HeldPromises held(cluster, memory.promised);
  for (const auto id : cluster.begin_cycle()) memory.promised.erase(id);
  held.give_back();
  cluster.books().trim_log();
}

}  // namespace muster::volcano
