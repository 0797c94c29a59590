#include "policy/volcano/extension_session.h"

#include <cmath>

#include "policy/volcano/actions/node_attempt.h"

namespace muster::volcano {
namespace {

enum class Room { kFree, kPromised };

// Whether the node has, or will have, what the pod asks for: extensions are not trusted to have looked.
bool has_room(const Books& books, PodId pod, NodeId node, Room room) {
  for (const auto& [resource, amount] : books.shape_of(pod).request) {
    const auto left = room == Room::kFree ? books.ledgers().idle[resource.index()][node.index()] : books.free_later(resource, node);
    if (amount > left) return false;
  }
  return true;
}

muster_fit fit_of(const Verdict& verdict) {
  return verdict.empty() ? MUSTER_FITS : is_curable(verdict) ? MUSTER_NOT_NOW : MUSTER_NEVER;
}

}  // namespace

class ExtensionSession::ActionStatement final : public OpenStatement<Statement> {
 public:
  ActionStatement(ExtensionSession& owner, std::string_view rule) : OpenStatement(owner, owner.session_, rule), owner_(owner) {}

  muster_status allocate(PodId pod, NodeId node) override {
    if (!is_open()) return MUSTER_INVALID;
    const bool fits = has_room(owner_.books(), pod, node, Room::kFree);
    return fits && statement().allocate(pod, node) ? MUSTER_OK : MUSTER_REFUSED;
  }
  muster_status pipeline(PodId pod, NodeId node) override {
    if (!is_open()) return MUSTER_INVALID;
    const bool fits = has_room(owner_.books(), pod, node, Room::kPromised);
    return fits && statement().pipeline(pod, node, statement().has_evictions()) ? MUSTER_OK : MUSTER_REFUSED;
  }
  muster_status evict(PodId pod, GroupId for_whom) override {
    if (!is_open()) return MUSTER_INVALID;
    if (owner_.session_.unprotected(std::span(&pod, 1), for_whom).empty()) return MUSTER_REFUSED;
    statement().evict(pod, rule(), {for_whom, PodId()});
    return MUSTER_OK;
  }

 private:
  ExtensionSession& owner_;
};

ExtensionSession::ExtensionSession(Session& session) : session_(session) {}
ExtensionSession::ExtensionSession(Session& session, std::string_view action) : session_(session), action_(action) {}
ExtensionSession::~ExtensionSession() = default;

void ExtensionSession::warn(std::string text) {
  if (!text.empty()) session_.warn(std::move(text));
}

std::int64_t ExtensionSession::queue_amount(QueueId id, muster_queue_amount which, ResourceId resource) const {
  const auto& info = queue(id);
  const auto whole = [&](const Resource& amounts) { return std::llround(amounts.get(resource)); };
  switch (which) {
    case MUSTER_QUEUE_ALLOCATED: return info.sums.allocated.get(resource);
    case MUSTER_QUEUE_REQUESTED: return info.sums.request.get(resource);
    case MUSTER_QUEUE_DESERVED: return whole(info.deserved);
    case MUSTER_QUEUE_GUARANTEED: return whole(info.guarantee);
    case MUSTER_QUEUE_LIMIT: return whole(info.capability);
  }
  return 0;
}

bool ExtensionSession::pod_evictable(PodId pod) const {
  const auto& record = books().pod(pod);
  if (record.state != PodState::kRunning && record.state != PodState::kBound) return false;
  return record.group && is_group(record.group) && session_.cluster().task(pod).preemptable;
}

muster_fit ExtensionSession::check(PodId pod, NodeId node, std::string& why) {
  if (!acts()) return MUSTER_NEVER;
  if (const auto refusal = session_.pre_predicate(pod)) {
    why = *refusal;
    return MUSTER_NEVER;
  }
  const auto verdict = session_.predicate(pod, node);
  if (!verdict.empty()) {
    why = session_.cluster().fits().text(verdict.front().reason);
    return fit_of(verdict);
  }
  if (books().pod(pod).state != PodState::kPending || has_room(books(), pod, node, Room::kFree)) return MUSTER_FITS;
  why = "the node lacks free resources";
  return MUSTER_NOT_NOW;
}

muster_status ExtensionSession::best_node(PodId pod, NodeId& best, bool& later, std::string& why) {
  if (!acts()) return MUSTER_INVALID;
  auto& job = session_.cluster().job_of(pod);
  const auto refuse = [&](std::shared_ptr<FitErrors> errors) {
    if (errors) why = *errors->message(session_.cluster().fits());
    job.take_notes().task(pod).errors = std::move(errors);
    return MUSTER_REFUSED;
  };
  if (const auto refusal = session_.pre_predicate(pod)) return refuse(error_on_all_nodes(session_, *refusal));
  const bool asks = !books().shape_of(pod).best_effort;
  NodeAttempt attempt(session_, asks ? NodeAttempt::Resources::kChecked : NodeAttempt::Resources::kIgnored,
                      NodeAttempt::Errors::kForgotten);
  auto outcome = attempt.find(pod);
  if (!outcome.choice) return refuse(std::move(outcome.errors));
  best = outcome.choice->node;
  later = outcome.choice->when == NodeSearch::When::kLater;
  return MUSTER_OK;
}

std::vector<PodId> ExtensionSession::victims(Eviction kind, PodId pod, const std::vector<PodId>& candidates) {
  if (!acts()) return {};
  return kind == Eviction::kPreempt ? session_.preemptable(pod, candidates) : session_.reclaimable(pod, candidates);
}

muster_statement* ExtensionSession::open_statement() {
  if (!acts()) return nullptr;
  return statements_.add(std::make_unique<ActionStatement>(*this, *action_));
}

}  // namespace muster::volcano
