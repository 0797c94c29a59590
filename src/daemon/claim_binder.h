#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/assumed_claims.h"
#include "daemon/claim_bodies.h"
#include "daemon/claim_work.h"
#include "daemon/live_cluster.h"

namespace muster::daemon {

// Carries out what binds need besides the pod's node, in Kubernetes' order: volumes are set aside or asked for, then the volume
// claims have to be bound, by whoever does that in the cluster, then device claims get their devices and the pod as a user, and
// then the pod is bound. Until then it counts as bound here. When a step fails or takes too long, the pod is to be decided about
// anew: it no longer uses the device claims, while what was said about volumes stays, as in Kubernetes.
//
// On the thread of the cycles alone; what there is to do comes by take_news(), and what the cluster is to see by take_objects().
class ClaimBinder {
 public:
  // `again`: how long after an attempt to take devices back that has failed the next one comes.
  explicit ClaimBinder(kube::Duration again = std::chrono::seconds(10)) : again_(again) {}

  // Takes the binds that need more than the bind out of the effects.
  void begin(Effects& effects, kube::Instant now);

  // ---- what happens meanwhile
  // The object as the cluster is to see it.
  void complete(Object& object);
  void forget(const kube::ResourceKind& kind, const kube::Identity& id);
  void on_step(const ClaimStep& step, const kube::WriteResult& result);
  // The pod has its node.
  void on_bound(const std::string& pod);
  // The pod has gone, or was read and has no node.
  void on_not_bound(const std::string& pod);
  // Somebody else may have led: no bind that still waits is sent. Whose they are, who are to be read.
  std::vector<kube::Identity> stand_back();

  // Binds of these are not to come, as far as the bind itself was not handed out; what was written about volumes stays. Their pods
  // are to be read.
  std::vector<Bind> give_back(const std::function<bool(const Bind&)>& wanted);
  // Those of the news that are to come.
  const std::vector<FailedBind>& failures() const { return news_.failed; }

  // Objects as the cluster is to see them from now on. To be asked after every call above, before anything newer is told.
  std::vector<Object> take_objects() { return std::exchange(objects_, {}); }

  struct News {
    Effects effects;                 // steps, and binds whose turn has come
    std::vector<FailedBind> failed;  // of which the pods are to be read
  };
  News take_news() { return std::exchange(news_, {}); }
  // Binds whose volumes have taken too long by now fail.
  void fail_late(kube::Instant now);
  // Devices that could not be taken back are asked for again, by who leads and knows which pods have nodes.
  void take_back_again(kube::Instant now);
  // When nothing more is looked at here: what takes devices back from all pods that were not seen bound.
  std::vector<ClaimStep> leave();
  // Before anything is told: what another one has left. It is not known yet which of these pods have nodes by now.
  void inherit(std::vector<ClaimStep> steps);
  // How long what goes before the bind has taken until now.
  kube::Duration took(const Bind& bind, kube::Instant now) const;
  // When the next bind has waited for too long.
  std::optional<kube::Instant> next() const;
  std::size_t size() const { return waiting_.size(); }

 private:
  struct Waiting {
    Bind bind;
    kube::Instant since{};
    kube::Instant until{};             // for volumes
    std::size_t under_way = 0;         // steps
    std::vector<std::string> awaited;  // volume claims that are not bound yet, by name
    std::vector<std::string> assumed;  // objects
    bool gives_devices = false;
    bool is_sent = false;
    // Device claims that the pod may have been written on.
    struct Reserved {
      ResourceClaim claim;
      Allocation devices{};  // what becomes of them when the pod does not use the claim
    };
    std::vector<Reserved> reserved;
  };
  const ClaimWork& work_of(const Waiting& waiting) const { return *waiting.bind.claims; }
  void begin_volumes(Waiting& waiting);
  void begin_devices(Waiting& waiting);
  void reserve(Waiting& waiting, const ClaimWork::Devices& devices);
  bool assume(Waiting& waiting, const Object& object, AssumedClaims::What what);
  void add_step(Waiting& waiting, ClaimStep::Kind kind, std::string claim, kube::ObjectPath object, kube::PatchType type,
                std::string body);
  void go_on(Waiting& waiting);
  void forget_node(const std::string& node);
  void note_volume_claim(const PersistentVolumeClaim& claim);
  void note_refused(const ClaimStep& step);
  void fail(const std::string& pod, const std::string& why);
  void fail_all(const std::vector<std::string>& pods, const std::string& why);
  void unreserve(const Waiting& waiting);
  void let_go(const Waiting& waiting, AssumedClaims::End end);

  kube::Duration again_;
  AssumedClaims assumed_;
  std::map<std::string, Waiting> waiting_;  // by the pod's uid
  // What a pod that was not bound may still be written on.
  struct LeftOver {
    ClaimStep step;
    std::optional<kube::Instant> again = {};  // when; none: some time after it is known that we lead
  };
  void forget_left_over(const std::string& pod);

  std::vector<LeftOver> left_over_;
  std::vector<Object> objects_;
  News news_;
};

}  // namespace muster::daemon
