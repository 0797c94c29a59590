#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cluster_json.h"
#include "app/explanation.h"
#include "app/waiting_jobs.h"
#include "base/result.h"
#include "daemon/held_pods.h"

namespace muster::daemon {

// What somebody wants to see of the cluster as a cycle leaves it, before what was only planned in it is taken back.
struct Sight {
  enum class What { kJobs, kJob, kQueues, kNodes, kNode, kJobOrder };
  What what = What::kJobs;
  std::string name = {};                          // of the job: namespace/name; of the node
  std::vector<Eviction> evictions = {};           // of late, which its explanation may have to tell of
  std::function<void(Result<std::string>)> tell;  // JSON. An error: there is nothing of that name. On the deciding thread
  // Held while it is looked at: what others are asked meanwhile is no part of the cycle.
  std::function<std::shared_ptr<void>()> apart = {};
  // Hears of each job that is looked at, with the code of its reason.
  using OnJob = std::function<void(const JobOutlook& job, std::string_view code)>;
  OnJob on_job = {};
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

// Takes sights in the course of a cycle. Looks says of a dialect what can be seen of its sessions, as JSON: queues(), nodes(),
// node(); of one that has opened the order of its jobs: job_order(); and who explains a job: Explainer.
template <class Session, class Looks>
class SightTaker {
 public:
  using Explainer = typename Looks::Explainer;

  void add(Sight sight) { waiting_.push_back(std::move(sight)); }
  bool empty() const { return waiting_.empty(); }
  // What the dialect has to know to tell.
  Looks& dialect() { return dialect_; }
  // The pods that only look gated to it.
  HeldMarks& held() { return held_; }

  // For a cycle; nothing when nobody waits.
  CycleLooks<Session> looks() {
    if (empty()) return {};
    return {.opened = [this](Session& session) { opened(session); }, .acted = [this](Session& session) { acted(session); }};
  }

 private:
  // One whose cycle has opened.
  struct Taking {
    Sight sight;
    std::optional<Explainer> explainer = {};
    WaitingJobs waiting = {};
  };

  void opened(Session& session) {
    for (auto& sight : std::exchange(waiting_, {})) open(session, std::move(sight));
  }
  void acted(Session& session) {
    for (auto& taking : open_) taking.sight.tell(look(session, taking));
    open_.clear();
  }

  void open(Session& session, Sight sight) {
    const auto apart = hold_apart(sight);
    if (sight.what == Sight::What::kJobOrder) return sight.tell(dialect_.job_order(session));
    Taking taking{.sight = std::move(sight)};
    if (taking.sight.what == Sight::What::kJobs) taking.waiting = waiting_jobs(session);
    if (taking.sight.what == Sight::What::kJob) {
      auto explainer = Explainer::find(session.cluster(), taking.sight.name);
      if (!explainer) return taking.sight.tell(fail(std::move(explainer.error())));
      explainer->at_opening(session);
      taking.explainer = std::move(*explainer);
    }
    open_.push_back(std::move(taking));
  }
  static std::shared_ptr<void> hold_apart(const Sight& sight) { return sight.apart ? sight.apart() : nullptr; }
  Result<std::string> look(Session& session, Taking& taking) {
    const auto apart = hold_apart(taking.sight);
    switch (taking.sight.what) {
      case Sight::What::kJobs: return jobs(session, taking);
      case Sight::What::kQueues: return dialect_.queues(session);
      case Sight::What::kNodes: return dialect_.nodes(session);
      case Sight::What::kNode: return dialect_.node(session, taking.sight.name);
      case Sight::What::kJobOrder:  // was told when the cycle opened
      case Sight::What::kJob: break;
    }
    taking.explainer->after_actions(session, held_.all());
    const auto explanation = taking.explainer->take(taking.sight.evictions);
    if (taking.sight.on_job) taking.sight.on_job(explanation.job, explanation.code);
    return explanation_json(explanation);
  }
  std::string jobs(Session& session, const Taking& taking) const {
    auto views = job_views(session, held_.all());
    if (taking.sight.on_job)
      for (const auto& view : views) taking.sight.on_job(view.job, view.code);
    return jobs_json(std::move(views), taking.waiting);
  }

  Looks dialect_;
  HeldMarks held_;
  std::vector<Sight> waiting_;
  std::vector<Taking> open_;
};

}  // namespace muster::daemon
