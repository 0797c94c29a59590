#include "policy/volcano/actions/allocate.h"

#include <optional>

#include "base/fetch_ahead.h"
#include "policy/volcano/actions/job_attempts.h"
#include "policy/volcano/actions/promise_keeper.h"
#include "policy/volcano/actions/turns.h"

namespace muster::volcano {
namespace {

// Whose turn it is: first those for whom others had to go, then queue by queue, and last who would borrow what others deserve.
class Allocate {
 public:
  explicit Allocate(Session& session) : session_(session), attempts_(session), promises_(session, attempts_) {}

  void run() {
    turns_.emplace(session_);
    collect();
    const auto served = promises_.keep();
    // The order of queues is asked when they join, and promises that are kept change it.
    for (const auto job : waiting_) turns_->add(job);
    for (const auto job : served) turns_->add(job);
    if (!lends_last()) {
      take_turns([](const Job&) { return false; });
      return;
    }
    std::vector<GroupId> borrowers;
    take_turns([&](const Job& job) {
      if (!borrows(job)) return false;
      borrowers.push_back(job.id);
      return true;
    });
    if (borrowers.empty()) return;
    turns_.emplace(session_);
    for (const auto job : borrowers) turns_->add(job);
    take_turns([](const Job&) { return false; });
  }

 private:
  void collect() {
    const bool let_in = !session_.config().has_action("enqueue");
    const bool promised = !session_.memory().promised.empty();
    session_.cluster().open_jobs().for_each([&](std::size_t id) {
      fetch_ahead_of(id);
      auto& job = session_.cluster().job(GroupId(id));
      if (job.status.phase == Phase::kPending) {
        if (!let_in) return;
        session_.set_phase(job, Phase::kInqueue);
      }
      if (!session_.job_valid(job)) return;
      if (job.sub_jobs && !session_.hyper_tree().ready() && job.sub_jobs->wants_closeness()) return;
      if (!attempts_.take_in(job)) return;
      if (!promised)
        turns_->add(job.id);
      else if (!promises_.take_in(job.id))
        waiting_.push_back(job.id);
    });
  }

  // Jobs that wait are mostly neighbours.
  void fetch_ahead_of(std::size_t id) const {
    constexpr std::size_t kAhead = 4;
    if (id + kAhead >= session_.cluster().job_count()) return;
    fetch_ahead(session_.cluster().job(GroupId(id + kAhead)));
    fetch_ahead(session_.books().group(GroupId(id + kAhead)));
  }

  // One pod or gang per turn, except for jobs that are put off until the others have had theirs.
  template <class PutOff>
  void take_turns(PutOff put_off) {
    while (const auto queue = turns_->next_queue()) {
      if (session_.overused(queue) || !turns_->has_jobs(queue)) continue;  // leaves for good
      auto& job = session_.cluster().job(turns_->next_job(queue));
      if (!put_off(job) && attempts_.attempt(job) && attempts_.has_tasks(job)) turns_->add(job.id);
      turns_->back(queue);
    }
  }

  // Whether jobs whose queues do not deserve what they ask for come last: where it could be reclaimed from them again.
  bool lends_last() const {
    const auto& config = session_.config();
    return (config.has_action("reclaim") || config.has_action("gangreclaim")) &&
           !session_.behaviour().keeps(Quirk::kLentBeforeOwed) && !session_.chain(Point::kPreemptive).empty();
  }

  // Whether its queue would then hold more than it deserves, which others could reclaim.
  bool borrows(const Job& job) {
    if (!session_.cluster().queue(job.queue).reclaimable.value_or(true)) return false;
    const auto pods = attempts_.next_pods(job);
    return !pods.empty() && !session_.preemptive(job.queue, pods);
  }

  Session& session_;
  JobAttempts attempts_;
  PromiseKeeper promises_;
  std::optional<Turns> turns_;
  std::vector<GroupId> waiting_;  // nobody had to go for them; known only while something is promised
};

}  // namespace

void allocate(Session& session) { Allocate(session).run(); }

}  // namespace muster::volcano
