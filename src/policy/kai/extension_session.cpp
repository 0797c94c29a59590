#include "policy/kai/extension_session.h"

#include <algorithm>
#include <cmath>

#include "policy/kai/actions/job_placer.h"
#include "policy/kai/actions/node_ranking.h"

namespace muster::kai {
namespace {

std::optional<Share> share_of(const Cluster& cluster, ResourceId resource) {
  if (resource == kCpu) return Share::kCpu;
  if (resource == kMemory) return Share::kMemory;
  return resource == cluster.gpu() ? std::optional(Share::kGpu) : std::nullopt;
}

// In the units of extensions; no bound is nothing said.
std::int64_t amount_of(Share share, double amount) {
  constexpr double kMost = 1e18;  // well within 64 bits
  if (amount == kUnlimited) return 0;
  return std::llround(std::clamp(share == Share::kGpu ? amount * static_cast<double>(kWholeGpu) : amount, -kMost, kMost));
}

}  // namespace

class ExtensionSession::ActionStatement final : public OpenStatement<Statement> {
 public:
  ActionStatement(ExtensionSession& owner, std::string_view rule) : OpenStatement(owner, owner.session_, rule), owner_(owner) {}

  muster_status allocate(PodId pod, NodeId node) override { return place(pod, node, When::kNow); }
  muster_status pipeline(PodId pod, NodeId node) override { return place(pod, node, When::kLater); }

  muster_status evict(PodId pod, GroupId for_whom) override {
    if (!is_open()) return MUSTER_INVALID;
    const auto& session = owner_.session_;
    const bool served = !session.keeps(Quirk::kBrokenPromises) && session.is_served(session.books().pod(pod).group);
    return !served && statement().evict(pod, rule(), {for_whom, PodId()}) ? MUSTER_OK : MUSTER_REFUSED;
  }

 private:
  enum class When : std::uint8_t { kNow, kLater };

  // Extensions are not trusted to have looked: what every built-in action checks is checked once more.
  muster_status place(PodId pod, NodeId node, When when) {
    if (!is_open()) return MUSTER_INVALID;
    auto& session = owner_.session_;
    auto& task = session.cluster().task(pod);
    if (!task.pod_set || !session.cluster().known(node)) return MUSTER_INVALID;
    if (!owner_.queue_allows(owner_.job(session.books().pod(pod).group).queue, pod)) return MUSTER_REFUSED;
    const bool fits = when == When::kNow ? session.fits_now(pod, node) : session.fits_later(pod, node);
    if (!fits || session.pre_predicate(pod) || !session.predicate(pod, node).ok()) return MUSTER_REFUSED;
    task.numa_placement = session.numa_placement(pod, node);
    const auto before = task.groups;
    if (task.gpu.shared()) {
      const auto choice = choose_gpus(session, pod, node, when == When::kNow ? Mode::kReal : Mode::kSimulation);
      if (!choice || (when == When::kNow && choice->waits)) return MUSTER_REFUSED;
      task.groups = choice->groups;
    }
    if (when == When::kNow) return statement().allocate(pod, node), MUSTER_OK;
    if (statement().pipeline(pod, node, Statement::IfThere::kUpdate)) return MUSTER_OK;
    task.groups = before;
    return MUSTER_REFUSED;
  }

  ExtensionSession& owner_;
};

ExtensionSession::ExtensionSession(Session& session) : session_(session) {}
ExtensionSession::ExtensionSession(Session& session, std::string_view action) : session_(session), action_(action) {}
ExtensionSession::~ExtensionSession() = default;

void ExtensionSession::warn(std::string text) {
  if (!text.empty()) session_.warn(std::move(text));
}

std::int64_t ExtensionSession::group_minimum(GroupId group) const {
  std::int64_t minimum = 0;
  for (const auto part : job(group).groups.pod_sets()) minimum += job(group).part(part).minimum;
  return minimum;
}

GroupId ExtensionSession::find_group(std::string_view name) const {
  for (const auto id : session_.cluster().listed_jobs())
    if (group_name(id) == name) return id;
  return GroupId();
}

std::int32_t ExtensionSession::queue_weight(QueueId id) const {
  constexpr double kMost = 1e9;
  return static_cast<std::int32_t>(std::clamp(queue(id).weight[Share::kGpu], -kMost, kMost));
}

std::int64_t ExtensionSession::queue_amount(QueueId id, muster_queue_amount which, ResourceId resource) const {
  const auto& cluster = session_.cluster();
  const auto share = share_of(cluster, resource);
  if (!share) return 0;
  if (which == MUSTER_QUEUE_DESERVED) return amount_of(*share, queue(id).quota[*share]);
  if (which == MUSTER_QUEUE_LIMIT) return amount_of(*share, queue(id).limit[*share]);
  if (which != MUSTER_QUEUE_ALLOCATED && which != MUSTER_QUEUE_REQUESTED) return 0;
  double sum = 0;
  for (const auto group : cluster.listed_jobs()) {
    const auto& amounts = cluster.amounts(group);
    auto at = amounts.queue;
    while (at && at != id) at = cluster.queues()[at].parent;
    if (at) sum += amounts.held[*share] + (which == MUSTER_QUEUE_REQUESTED ? amounts.waiting[*share] : 0);
  }
  return amount_of(*share, sum);
}

bool ExtensionSession::pod_evictable(PodId pod) const {
  const auto& task = session_.cluster().task(pod);
  const auto group = books().pod(pod).group;
  if (task.status != Status::kRunning && task.status != Status::kBound) return false;
  return group && is_group(group) && job(group).preemptible && task.pod_set;
}

bool ExtensionSession::queue_allows(QueueId, PodId pod) {
  return acts() && !session_.job_over_capacity(session_.cluster().job_of(pod), std::span(&pod, 1));
}

muster_fit ExtensionSession::check(PodId pod, NodeId node, std::string& why) {
  if (!acts()) return MUSTER_NEVER;
  if (auto refusal = session_.pre_predicate(pod)) {
    why = std::move(*refusal);
    return MUSTER_NEVER;
  }
  if (const auto verdict = session_.predicate(pod, node); !verdict.ok()) {
    why = session_.cluster().fits().text(verdict.reason);
    return verdict.code == FitCode::kUnresolvable ? MUSTER_NEVER : MUSTER_NOT_NOW;
  }
  if (session_.fits_now(pod, node)) return MUSTER_FITS;
  why = "the node lacks free resources";
  return MUSTER_NOT_NOW;
}

muster_status ExtensionSession::best_node(PodId pod, NodeId& best, bool& later, std::string& why) {
  if (!acts()) return MUSTER_INVALID;
  if (auto refusal = session_.pre_predicate(pod)) {
    why = std::move(*refusal);
    return MUSTER_REFUSED;
  }
  NodeRanking ranking(session_, pod, session_.cluster().nodes_by_name());
  while (const auto node = ranking.next()) {
    if (!session_.fits_later(pod, node) || !session_.predicate(pod, node).ok()) continue;
    best = node;
    later = !session_.fits_now(pod, node);
    return MUSTER_OK;
  }
  why = "no node has room for it";
  return MUSTER_REFUSED;
}

bool ExtensionSession::may_leave(Eviction kind, Job& winner, PodId candidate) {
  const auto& loser = session_.cluster().job_of(candidate);
  if (loser.id == winner.id || !loser.preemptible) return false;
  if (kind == Eviction::kReclaim) return loser.queue != winner.queue && session_.reclaim_victim(winner, loser);
  return loser.queue == winner.queue && loser.priority < winner.priority && session_.preempt_victim(winner, loser);
}

std::vector<PodId> ExtensionSession::victims(Eviction kind, PodId pod, const std::vector<PodId>& candidates) {
  std::vector<PodId> out;
  if (!acts()) return out;
  auto& winner = session_.cluster().job_of(pod);
  for (const auto candidate : candidates)
    if (may_leave(kind, winner, candidate)) out.push_back(candidate);
  return out;
}

muster_statement* ExtensionSession::open_statement() {
  if (!acts()) return nullptr;
  return statements_.add(std::make_unique<ActionStatement>(*this, *action_));
}

}  // namespace muster::kai
