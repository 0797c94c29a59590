#include "policy/volcano/actions/promise_keeper.h"

#include <algorithm>

namespace muster::volcano {

PromiseKeeper::PromiseKeeper(Session& session, JobAttempts& attempts) : session_(session), attempts_(attempts) {}

bool PromiseKeeper::take_in(GroupId job) {
  if (!session_.memory().promised.contains(job)) return false;
  promised_.push_back(job);
  return true;
}

std::vector<GroupId> PromiseKeeper::keep() {
  if (session_.memory().promised.empty()) return {};
  std::sort(promised_.begin(), promised_.end(), [&](GroupId l, GroupId r) { return session_.job_before(l, r); });
  keep_all(Where::kOwnRoom);
  count_claims();
  keep_all(Where::kNobodysRoom);
  keep_all(Where::kAnywhere);
  drop_kept();
  return std::move(others_);
}

void PromiseKeeper::keep_all(Where where) {
  std::vector<GroupId> left;
  for (const auto job : promised_)
    if (!keep(session_.cluster().job(job), where)) left.push_back(job);
  promised_ = std::move(left);
}

// False: there is no room there for what is left of it.
bool PromiseKeeper::keep(Job& job, Where where) {
  if (session_.overused(job.queue)) {
    if (where == Where::kNobodysRoom) withdraw_claims(job.id);
    others_.push_back(job.id);
    return true;
  }
  const bool had_notes = job.notes != nullptr;
  const bool placed = attempt(job, where);
  const bool waits = session_.counts(job).of(PodState::kPipelined) != 0;
  if (!placed && !waits && where != Where::kAnywhere) {
    // What is said about it is said again when it has its turn.
    if (had_notes)
      job.take_notes().forget_errors();
    else
      job.notes.reset();
    if (where == Where::kNobodysRoom) restore_claims(job.id);
    return false;
  }
  if (placed && attempts_.has_tasks(job)) others_.push_back(job.id);
  if (waits)
    session_.promise(job.id);
  else
    session_.memory().promised.erase(job.id);
  return true;
}

bool PromiseKeeper::attempt(Job& job, Where where) {
  Bitset own;
  if (where == Where::kOwnRoom) {
    own.resize(session_.books().node_count());
    session_.memory().promised.at(job.id).for_each_node([&](NodeId node) { own.set(node.index()); });
    attempts_.confine(&own);
  } else if (where == Where::kNobodysRoom) {
    withdraw_claims(job.id);
    attempts_.confine(&unclaimed_);
  }
  const bool placed = attempts_.attempt_promised(job);
  attempts_.confine(nullptr);
  return placed;
}

void PromiseKeeper::drop_kept() {
  std::erase_if(session_.memory().promised, [&](const auto& promise) {
    const auto counts = session_.counts(session_.cluster().job(promise.first));
    return counts.of(PodState::kPending) + counts.of(PodState::kPipelined) == 0;
  });
}

void PromiseKeeper::count_claims() {
  claims_ = IdVector<NodeId, std::uint32_t>(session_.books().node_count());
  unclaimed_.resize(session_.books().node_count(), true);
  for (const auto job : promised_) restore_claims(job);
}

void PromiseKeeper::withdraw_claims(GroupId job) {
  session_.memory().promised.at(job).for_each_node([&](NodeId node) {
    if (--claims_[node] == 0) unclaimed_.set(node.index());
  });
}

void PromiseKeeper::restore_claims(GroupId job) {
  session_.memory().promised.at(job).for_each_node([&](NodeId node) {
    ++claims_[node];
    unclaimed_.reset(node.index());
  });
}

}  // namespace muster::volcano
