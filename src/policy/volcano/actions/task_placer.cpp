#include "policy/volcano/actions/task_placer.h"

namespace muster::volcano {
namespace {

SubJobId id_of(const SubJob* sub_job) { return sub_job == nullptr ? SubJobId() : sub_job->id; }

// Where the sub-job's pods are, for scores that keep them together: known only while they are being placed.
class Whereabouts {
 public:
  Whereabouts(const HyperTree& tree, SubJob* sub_job)
      : tree_(tree), sub_job_(sub_job != nullptr && sub_job->closeness.wanted ? sub_job : nullptr) {
    if (sub_job_ != nullptr) sub_job_->placing_at = sub_job_->allocated;
  }
  ~Whereabouts() {
    if (sub_job_ != nullptr) sub_job_->placing_at = HyperNodeId();
  }
  Whereabouts(const Whereabouts&) = delete;
  Whereabouts& operator=(const Whereabouts&) = delete;

  void widen_to(NodeId node) {
    if (sub_job_ != nullptr) sub_job_->placing_at = tree_.common(tree_.lowest(node), sub_job_->placing_at);
  }

 private:
  const HyperTree& tree_;
  SubJob* sub_job_;
};

// The last task that found no node. Whoever is like it finds none either, as long as nothing was placed since.
class LastFailure {
 public:
  bool is_that_of(Session& session, PodId pod, std::size_t placed) const {
    if (!pod_ || placed != placed_ || !session.looks_ahead()) return false;
    const auto& books = session.books();
    return session.rules().class_of(pod) == session.rules().class_of(pod_) && books.pod(pod).role == books.pod(pod_).role &&
           !has_cleared_node(session, pod) && session.filter_dependence(pod) <= Dependence::kNode &&
           session.filter_dependence(pod_) <= Dependence::kNode;
  }
  NodeAttempt::Outcome outcome() const { return {false, std::nullopt, errors_, std::nullopt}; }
  void set(PodId pod, std::size_t placed, const NodeAttempt::Outcome& outcome) {
    pod_ = pod;
    placed_ = placed;
    errors_ = outcome.errors;
  }

 private:
  PodId pod_;
  std::size_t placed_ = 0;
  std::shared_ptr<FitErrors> errors_;
};

}  // namespace

bool place(Statement& statement, PodId pod, const NodeSearch::Choice& choice) {
  return choice.when == NodeSearch::When::kNow ? statement.allocate(pod, choice.node) : statement.pipeline(pod, choice.node);
}

TaskPlacer::TaskPlacer(Session& session)
    : session_(session),
      errors_(session.config().action_arguments("allocate").get_bool("predicateErrorCacheEnable", true)
                  ? NodeAttempt::Errors::kRemembered
                  : NodeAttempt::Errors::kForgotten) {}

NodeAttempt TaskPlacer::attempt(const Bitset* domain) {
  if (confined_ != nullptr && domain != nullptr) {
    confined_domain_ = *domain;
    confined_domain_ &= *confined_;
    domain = &confined_domain_;
  } else if (confined_ != nullptr) {
    domain = confined_;
  }
  return NodeAttempt(session_, NodeAttempt::Resources::kChecked, errors_, domain);
}

TaskPlacer::Result TaskPlacer::place(Job& job, SubJob* sub_job, TaskHeap& tasks, HyperNodeId domain) {
  const auto& tree = session_.hyper_tree();
  if (tree.nodes(domain).empty()) return {};
  auto attempt = this->attempt(tree.limit(domain));
  const bool fresh = job.notes == nullptr;
  Whereabouts whereabouts(tree, sub_job);
  Statement statement(session_);
  Result result;
  LastFailure last;
  for (bool first = true; !tasks.empty(); first = false) {
    const auto pod = tasks.pop();
    if (!session_.allocatable(job.queue, pod) || session_.books().pod(pod).gated || role_failed(job, sub_job, pod)) continue;
    auto outcome = last.is_that_of(session_, pod, statement.size()) ? last.outcome() : search(attempt, pod, domain);
    if (!outcome.feasible) {
      last.set(pod, statement.size(), outcome);
      note_failure(session_, job, sub_job, pod, outcome.errors);
      if (worth_going_on(job, sub_job)) continue;
      if (first && fresh && sub_job == nullptr && outcome.refusals) result.hopeless = Hopeless{pod, std::move(outcome)};
      break;
    }
    if (!outcome.choice || !volcano::place(statement, pod, *outcome.choice)) continue;
    whereabouts.widen_to(outcome.choice->node);
    if (session_.sub_job_ready(job, sub_job)) break;
  }
  result.placed = statement.size();
  if (session_.sub_job_ready(job, sub_job) || session_.sub_job_pipelined(job, sub_job))
    result.statement.emplace(std::move(statement));
  else
    statement.discard();
  return result;
}

NodeAttempt::Outcome TaskPlacer::search(NodeAttempt& attempt, PodId pod, HyperNodeId domain) {
  const bool everywhere = domain == HyperTree::root();
  if (const auto refusal = session_.pre_predicate(pod)) {
    const auto nodes = everywhere ? known_nodes(session_.books()) : session_.hyper_tree().nodes(domain).size();
    return {false, std::nullopt, error_on_nodes(session_, *refusal, nodes), std::nullopt};
  }
  auto outcome = attempt.find(pod);
  if (outcome.errors && !everywhere) outcome.errors->domain = session_.hyper_tree().name(domain);
  return outcome;
}

// Once a task of a role has failed, the others of that role are not tried any more in this cycle.
bool TaskPlacer::role_failed(Job& job, const SubJob* sub_job, PodId pod) {
  const auto& record = session_.books().pod(pod);
  if (!record.role || !job.notes || !job.notes->role_failed(record.role, id_of(sub_job))) return false;
  auto errors = std::make_shared<FitErrors>();
  errors->head = "Task " + record.name + " with role spec " + session_.books().symbols().text(record.role) +
                 " has already predicated failed, skip";
  note_failure(session_, job, sub_job, pod, std::move(errors));
  return true;
}

void TaskPlacer::note_failure(Session& session, Job& job, const SubJob* sub_job, PodId pod, std::shared_ptr<FitErrors> errors) {
  auto& notes = job.take_notes();
  notes.task(pod).errors = std::move(errors);
  const auto role = session.books().pod(pod).role;
  if (!notes.role_failed(role, id_of(sub_job))) notes.failed_roles.push_back({role, id_of(sub_job)});
}

// Whether the minimum can still be reached after a failure.
bool TaskPlacer::worth_going_on(const Job& job, const SubJob* sub_job) const {
  const auto counts = session_.counts(job);
  if (job.min_available == counts.tasks()) return false;
  if (sub_job != nullptr && job.sub_jobs->has_policies())
    return sub_job->min_available < static_cast<std::int64_t>(sub_job->pods.size());
  if (job.min_available >= counts.tasks()) return false;
  const auto failed = [&](const Role& role) { return job.notes && job.notes->role_failed(role.name, id_of(sub_job)); };
  if (!counts.roles_matter()) {
    std::int64_t left = 0;
    for (const auto& role : job.roles)
      if (!failed(role)) left += role.count[static_cast<std::size_t>(PodState::kPending)];
    return counts.ready() + left >= job.min_available;
  }
  for (const auto& role : job.roles)
    if (failed(role) && role.minimum > 0 && role_ready(role) < role.minimum) return false;
  return true;
}

// ---------------------------------------------------------------------------------------------------- nominations

std::optional<Statement> TaskPlacer::place_nominated(Job& job, SubJob* sub_job, TaskHeap& tasks) {
  auto& nominated = sub_job == nullptr ? job.nominated : sub_job->nominated;
  const auto nodes = nominated_nodes(job, tasks, nominated);
  Statement statement(session_);
  bool placed = nodes.has_value();
  auto rest = tasks;
  for (std::size_t i = 0; placed && !rest.empty(); ++i) placed = place_on(statement, rest.pop(), (*nodes)[i]);
  if (!placed) {
    statement.discard();
    nominated = HyperNodeId();
    for (rest = tasks; !rest.empty();) session_.cluster().task(rest.pop()).nomination_dropped = true;
    return std::nullopt;
  }
  tasks = std::move(rest);
  return statement;
}

// The node of each task, in their order; none when one of them cannot go to its own any more.
std::optional<std::vector<NodeId>> TaskPlacer::nominated_nodes(Job& job, TaskHeap tasks, HyperNodeId domain) {
  const auto& tree = session_.hyper_tree();
  if (!tree.exists(domain)) return std::nullopt;
  std::vector<NodeId> nodes;
  auto attempt = this->attempt(&tree.node_set(domain));
  while (!tasks.empty()) {
    const auto pod = tasks.pop();
    if (!session_.allocatable(job.queue, pod) || session_.pre_predicate(pod)) return std::nullopt;
    const auto found = attempt.find_nominated(pod);
    if (!found) return std::nullopt;
    nodes.push_back(found->node);
  }
  return nodes;
}

// Tasks before it may have taken the node's room since it was found: then it goes on what will be free, or nowhere.
bool TaskPlacer::place_on(Statement& statement, PodId pod, NodeId node) {
  const auto& books = session_.books();
  bool now = true;
  bool later = true;
  for (const auto& [resource, amount] : books.shape_of(pod).request) {
    now &= amount <= books.ledgers().idle[resource.index()][node.index()];
    later &= amount <= books.free_later(resource, node);
  }
  if (now) return statement.allocate(pod, node);
  return !later || statement.pipeline(pod, node);
}

}  // namespace muster::volcano
