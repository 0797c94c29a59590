#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/explanation.h"
#include "base/result.h"

namespace muster::daemon {

// What somebody wants to see of the cluster as a cycle leaves it, before what was only planned in it is taken back.
struct Sight {
  enum class What { kJobs, kJob, kQueues, kNodes };
  What what = What::kJobs;
  std::string name = {};                          // of the job: namespace/name
  std::vector<Eviction> evictions = {};           // of late, which its explanation may have to tell of
  std::function<void(Result<std::string>)> tell;  // JSON. An error: there is nothing of that name. On the deciding thread
  // Held while it is looked at: what others are asked meanwhile is no part of the cycle.
  std::function<std::shared_ptr<void>()> apart = {};
};

// How many things the scheduler knows.
struct ClusterCounts {
  std::size_t nodes = 0;
  std::size_t pods = 0;
  std::size_t jobs = 0;
  std::size_t queues = 0;
};

// What is looked at in a cycle besides: when it has opened, and when its last action is done.
template <class Session>
struct CycleLooks {
  std::function<void(Session&)> opened = {};
  std::function<void(Session&)> acted = {};
};

// Says when in a cycle looks are due. True: somebody has looked.
template <class Session>
class LookTiming {
 public:
  explicit LookTiming(CycleLooks<Session> looks) : looks_(std::move(looks)) {}

  bool opened(Session& session) {
    if (!looks_.opened) return false;
    looks_.opened(session);
    if (session.config().actions.empty()) looks_.acted(session);
    return true;
  }
  bool acted(Session& session) {
    if (!looks_.acted || ++actions_ != session.config().actions.size()) return false;
    looks_.acted(session);
    return true;
  }

 private:
  const CycleLooks<Session> looks_;
  std::size_t actions_ = 0;
};

// Takes sights in the course of a cycle. Looks says of a dialect what can be seen of its sessions, as JSON: jobs(), queues(),
// nodes(); and who explains a job: Explainer.
template <class Session, class Looks>
class SightTaker {
 public:
  using Explainer = typename Looks::Explainer;

  void add(Sight sight) { waiting_.push_back(std::move(sight)); }
  bool empty() const { return waiting_.empty(); }

  // For a cycle; nothing when nobody waits.
  CycleLooks<Session> looks() {
    if (empty()) return {};
    return {.opened = [this](Session& session) { opened(session); }, .acted = [this](Session& session) { acted(session); }};
  }

 private:
  void opened(Session& session) {
    for (auto& sight : std::exchange(waiting_, {})) open(session, std::move(sight));
  }
  void acted(Session& session) {
    for (auto& [sight, explainer] : open_) sight.tell(look(session, sight, explainer));
    open_.clear();
  }

  void open(Session& session, Sight sight) {
    if (sight.what != Sight::What::kJob) {
      open_.emplace_back(std::move(sight), std::nullopt);
      return;
    }
    const auto apart = hold_apart(sight);
    auto explainer = Explainer::find(session.cluster(), sight.name);
    if (!explainer) return sight.tell(fail(std::move(explainer.error())));
    explainer->at_opening(session);
    open_.emplace_back(std::move(sight), std::move(*explainer));
  }
  static std::shared_ptr<void> hold_apart(const Sight& sight) { return sight.apart ? sight.apart() : nullptr; }
  std::string look(Session& session, const Sight& sight, std::optional<Explainer>& explainer) {
    const auto apart = hold_apart(sight);
    switch (sight.what) {
      case Sight::What::kJobs: return Looks::jobs(session);
      case Sight::What::kQueues: return Looks::queues(session);
      case Sight::What::kNodes: return Looks::nodes(session);
      case Sight::What::kJob: break;
    }
    explainer->after_actions(session);
    return explanation_json(explainer->take(sight.evictions));
  }

  std::vector<Sight> waiting_;
  std::vector<std::pair<Sight, std::optional<Explainer>>> open_;
};

}  // namespace muster::daemon
