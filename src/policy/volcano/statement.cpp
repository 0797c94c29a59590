#include "policy/volcano/statement.h"

#include <algorithm>
#include <iterator>

#include "base/assert.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

// Puts a pod on a node in one of the states that exist only within a cycle. False: a plugin refused and nothing changed.
bool place(Session& session, PodId pod, NodeId node, PodState state) {
  if (!session.twins().part(pod, node)) return false;
  session.cluster().move(pod, state, node);
  session.books().account(pod, node, state);
  if (session.notify_allocate(pod)) return true;
  session.books().unaccount(pod);
  session.cluster().move(pod, PodState::kPending, NodeId());
  session.notify_deallocate(pod);
  return false;
}

}  // namespace

bool Statement::allocate(PodId pod, NodeId node) {
  if (!place(session_, pod, node, PodState::kAllocated)) return false;
  steps_.push_back({Step::Kind::kAllocate, false, pod, {}, {}});
  return true;
}

bool Statement::pipeline(PodId pod, NodeId node, bool evicted_others) {
  if (!place(session_, pod, node, PodState::kPipelined)) return false;
  if (evicted_others) session_.cluster().job_of(pod).take_notes().task(pod).evicted_others = true;
  steps_.push_back({Step::Kind::kPipeline, evicted_others, pod, {}, {}});
  return true;
}

void Statement::evict(PodId pod, std::string_view rule, const Beneficiary& for_whom) {
  session_.remember_victim(pod);
  mark_leaving(pod);
  steps_.push_back({Step::Kind::kEvict, false, pod, rule, for_whom});
}

void Statement::mark_leaving(PodId pod) {
  session_.cluster().restate(pod, PodState::kReleasing);
  session_.notify_deallocate(pod);
}

void Statement::merge(Statement&& other) {
  steps_.insert(steps_.end(), other.steps_.begin(), other.steps_.end());
  other.steps_.clear();
}

Statement::Plan Statement::save() const {
  Plan plan;
  plan.steps_.reserve(steps_.size());
  for (const auto& step : steps_) {
    const auto& notes = session_.cluster().job_of(step.pod).notes;
    const auto* note = notes ? notes->find(step.pod) : nullptr;
    plan.steps_.push_back(
        {step, session_.books().pod(step.pod).node, note != nullptr ? note->last : std::optional<LastTransaction>()});
  }
  return plan;
}

bool Statement::replay(const Plan& plan) {
  return std::all_of(plan.steps_.begin(), plan.steps_.end(), [&](const Plan::Planned& planned) {
    if (!redo(planned.step, planned.node)) return false;
    if (auto& notes = session_.cluster().job_of(planned.step.pod).notes; notes && planned.step.kind != Step::Kind::kEvict)
      notes->task(planned.step.pod).last = planned.last;
    return true;
  });
}

bool Statement::redo(const Step& step, NodeId node) {
  switch (step.kind) {
    case Step::Kind::kAllocate: return allocate(step.pod, node);
    case Step::Kind::kPipeline: return pipeline(step.pod, node, step.evicted_others);
    case Step::Kind::kEvict: evict(step.pod, step.rule, step.for_whom); return true;
  }
  return false;
}

void Statement::Plan::append(Plan other) {
  steps_.insert(steps_.end(), std::make_move_iterator(other.steps_.begin()), std::make_move_iterator(other.steps_.end()));
}

std::vector<PodId> Statement::victims() const {
  std::vector<PodId> pods;
  for (const auto& step : steps_)
    if (step.kind == Step::Kind::kEvict) pods.push_back(step.pod);
  return pods;
}

std::vector<PodId> Statement::placed() const {
  std::vector<PodId> pods;
  for (const auto& step : steps_)
    if (step.kind != Step::Kind::kEvict) pods.push_back(step.pod);
  return pods;
}

std::size_t Statement::step_of(PodId pod, Effect effect) const {
  const auto at = std::find_if(steps_.begin(), steps_.end(), [&](const Step& step) {
    return step.pod == pod && (step.kind == Step::Kind::kEvict) == (effect == Effect::kEvicts);
  });
  MUSTER_ASSERT(at != steps_.end());
  return static_cast<std::size_t>(at - steps_.begin());
}

// `holds` may drop steps of its own, so that places are looked up anew.
void Statement::spare_if(PodId pod, const std::function<bool()>& holds) {
  undo(steps_[step_of(pod, Effect::kEvicts)]);
  if (holds())
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(step_of(pod, Effect::kEvicts)));
  else
    mark_leaving(pod);
}

bool Statement::could_place_again(PodId pod, const std::function<bool(NodeId)>& fits) {
  const auto at = step_of(pod, Effect::kPlaces);
  const auto [node, state] = std::pair(session_.books().pod(pod).node, session_.books().pod(pod).state);
  session_.take_back(pod);
  const bool fit = fits(node);
  if (place(session_, pod, node, state)) return fit;
  if (steps_[at].evicted_others) session_.cluster().job_of(pod).take_notes().task(pod).evicted_others = false;
  steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(at));
  return false;
}

bool Statement::has_evictions() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.kind == Step::Kind::kEvict; });
}

// An eviction that is taken back leaves the pod running, even if it had only been bound: the original does not remember more. The
// end of the cycle sets that right.
void Statement::undo(const Step& step) {
  if (step.kind != Step::Kind::kEvict) {
    if (step.evicted_others) session_.cluster().job_of(step.pod).take_notes().task(step.pod).evicted_others = false;
    session_.take_back(step.pod);
    return;
  }
  ++session_.work().undo_steps;
  session_.cluster().restate(step.pod, PodState::kRunning);
  session_.notify_eviction_undone(step.pod);
}

void Statement::discard() {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (step->kind != Step::Kind::kEvict) {
      const auto& record = session_.books().pod(step->pod);
      auto& last = session_.cluster().job_of(step->pod).take_notes().task(step->pod).last;
      const bool had_room = record.state == PodState::kAllocated || (last && last->had_room);
      last = LastTransaction{record.state, record.node, step->evicted_others, had_room};
    }
    undo(*step);
  }
  steps_.clear();
}

void Statement::release() {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const auto state = session_.books().pod(step->pod).state;
    const bool undecided = step->kind == Step::Kind::kEvict ? state == PodState::kReleasing
                                                            : state == PodState::kAllocated || state == PodState::kPipelined;
    if (undecided) undo(*step);
  }
  steps_.clear();
}

void Statement::commit(std::string_view rule) {
  GroupId beneficiary, placed;
  if (has_evictions()) session_.tally().evictions.push_back(rule);
  for (const auto& step : steps_) {
    if (auto& notes = session_.cluster().job_of(step.pod).notes; notes && step.kind != Step::Kind::kEvict)
      notes->task(step.pod).last.reset();
    if (step.kind == Step::Kind::kEvict) beneficiary = step.for_whom.group;
    switch (step.kind) {
      case Step::Kind::kEvict: session_.evict(step.pod, step.rule, step.for_whom); break;
      case Step::Kind::kPipeline: session_.plan(step.pod); break;  // there is nothing to decide yet
      case Step::Kind::kAllocate:
        if (session_.bind(step.pod, rule))
          placed = session_.books().pod(step.pod).group;
        else
          session_.take_back(step.pod);
        break;
    }
  }
  steps_.clear();
  if (placed) session_.tally().placed.push_back(placed);
  if (beneficiary) session_.promise(beneficiary);
}

}  // namespace muster::volcano
