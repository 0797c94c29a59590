#include "policy/volcano/statement.h"

#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

// Puts a pod on a node in one of the states that exist only within a cycle. False: a plugin refused and nothing changed.
bool place(Session& session, PodId pod, NodeId node, PodState state) {
  session.cluster().move(pod, state, node);
  session.books().account(pod, node, state);
  if (session.notify_allocate(pod)) return true;
  session.books().unaccount(pod);
  session.cluster().move(pod, PodState::kPending, NodeId());
  session.notify_deallocate(pod);
  return false;
}

void take_back(Session& session, PodId pod) {
  ++session.work().undo_steps;
  session.books().unaccount(pod);
  session.cluster().move(pod, PodState::kPending, NodeId());
  session.notify_deallocate(pod);
}

}  // namespace

bool Statement::allocate(PodId pod, NodeId node) {
  if (!place(session_, pod, node, PodState::kAllocated)) return false;
  steps_.push_back({Step::Kind::kAllocate, pod});
  return true;
}

bool Statement::pipeline(PodId pod, NodeId node) {
  if (!place(session_, pod, node, PodState::kPipelined)) return false;
  steps_.push_back({Step::Kind::kPipeline, pod});
  return true;
}

void Statement::discard() {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const auto& record = session_.books().pod(step->pod);
    session_.cluster().job_of(step->pod).take_notes().task(step->pod).last = LastTransaction{record.state, record.node, false};
    take_back(session_, step->pod);
  }
  steps_.clear();
}

void Statement::release() {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const auto state = session_.books().pod(step->pod).state;
    if (state == PodState::kAllocated || state == PodState::kPipelined) take_back(session_, step->pod);
  }
  steps_.clear();
}

void Statement::commit(std::string_view rule) {
  for (const auto& step : steps_) {
    if (auto& notes = session_.cluster().job_of(step.pod).notes) notes->task(step.pod).last.reset();
    if (step.kind == Step::Kind::kPipeline)
      session_.plan(step.pod);  // there is nothing to decide yet
    else if (!session_.bind(step.pod, rule))
      take_back(session_, step.pod);
  }
  steps_.clear();
}

}  // namespace muster::volcano
