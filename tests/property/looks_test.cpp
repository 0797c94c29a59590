// A running scheduler is looked at in the middle of its cycles: that must not change what it decides or writes.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "app/cluster_json.h"
#include "app/explanation.h"
#include "app/kai_explanation.h"
#include "app/node_json.h"
#include "property/kai_scenario.h"
#include "property/scenario_run.h"

namespace muster {
namespace {

// Looks at everything that can be seen of a session, and at every job of those that `keys` gives.
template <class Session, class Explains>
class Onlooker {
 public:
  void open(Session& session, const std::vector<std::string>& keys) {
    explainers_.clear();
    waiting_ = waiting_jobs(session);
    for (const auto& key : keys)
      if (auto explainer = Explains::find(session.cluster(), key)) {
        explainer->at_opening(session);
        explainers_.push_back(std::move(*explainer));
      }
  }
  void act(Session& session) {
    for (auto& explainer : explainers_) {
      explainer.after_actions(session);
      seen += explanation_json(explainer.take({}));
    }
    seen += jobs_json(job_views(session), waiting_) + queues_json(queue_views(session)) + nodes_json(session.books());
  }
  std::string seen;

 private:
  WaitingJobs waiting_;
  std::vector<Explains> explainers_;
};

void check_that_looking_changes_nothing(volcano::Behaviour behaviour) {
  const auto scenario = random_scenario({.evictions = Evictions::kAlways});
  RC_LOG() << description(scenario);
  Onlooker<volcano::Session, Explainer> onlooker;
  const auto looked = run_scenario(scenario, {.behaviour = behaviour,
                                              .opened =
                                                  [&](volcano::Session& session) {
                                                    std::vector<std::string> keys;
                                                    for (const auto id : IdRange<GroupId>(session.cluster().job_count()))
                                                      if (session.books().exists(id))
                                                        keys.push_back(session.books().group(id).name);
                                                    onlooker.open(session, keys);
                                                  },
                                              .acted = [&](volcano::Session& session) { onlooker.act(session); }});
  RC_ASSERT(looked == run_scenario(scenario, {.behaviour = behaviour}));
  RC_ASSERT(!onlooker.seen.empty());
}

RC_GTEST_PROP(Looks, ChangeNothing, ()) { check_that_looking_changes_nothing(volcano::Behaviour::safe()); }

RC_GTEST_PROP(Looks, ChangeNothingExactly, ()) { check_that_looking_changes_nothing(volcano::Behaviour::exact()); }

RC_GTEST_PROP(Looks, ChangeNothingInKai, ()) {
  const auto scenario = random_kai_scenario();
  RC_LOG() << description(scenario);
  Onlooker<kai::Session, KaiExplainer> onlooker;
  KaiRunOptions options;
  options.opened = [&](kai::Session& session) {
    std::vector<std::string> keys;
    for (const auto id : session.cluster().all_jobs())
      keys.push_back(session.cluster().job(id).ns + "/" + session.cluster().job(id).name);
    onlooker.open(session, keys);
  };
  options.acted = [&](kai::Session& session) { onlooker.act(session); };
  const auto looked = run_kai_scenario(scenario, options);
  RC_ASSERT(looked == run_kai_scenario(scenario, {}));
  RC_ASSERT(!onlooker.seen.empty());
}

}  // namespace
}  // namespace muster
