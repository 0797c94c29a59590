#include "policy/volcano/actions/node_attempt.h"

#include <algorithm>

namespace muster::volcano {
namespace {

void count_reason(FitErrors& errors, ReasonId reason, std::size_t times) {
  const auto at = std::find_if(errors.reasons.begin(), errors.reasons.end(), [&](const auto& r) { return r.first == reason; });
  if (at == errors.reasons.end())
    errors.reasons.emplace_back(reason, times);
  else
    at->second += times;
}

void count_verdict(FitErrors& errors, const FitTable& fits, VerdictId verdict, std::size_t nodes) {
  errors.nodes += nodes;
  for (const auto& status : fits.verdict(verdict)) count_reason(errors, status.reason, nodes);
}

}  // namespace

std::size_t known_nodes(const Books& books) {
  std::size_t count = 0;
  for (const auto node : IdRange<NodeId>(books.node_count())) count += books.node(node).known;
  return count;
}

std::shared_ptr<FitErrors> error_on_nodes(Session& session, std::string_view text, std::size_t nodes) {
  auto errors = std::make_shared<FitErrors>();
  errors->nodes = nodes;
  errors->reasons.emplace_back(session.cluster().fits().reason(text), nodes);
  return errors;
}

std::shared_ptr<FitErrors> error_on_all_nodes(Session& session, std::string_view text) {
  return error_on_nodes(session, text, known_nodes(session.books()));
}

bool has_cleared_node(const Session& session, PodId pod) {
  return !session.cluster().task(pod).nomination().empty() || session.promised_node(pod);
}

NodeAttempt::NodeAttempt(Session& session, Resources resources, Errors errors, const Bitset* domain)
    : session_(session), resources_(resources), errors_(errors), domain_(domain) {
  if (domain == nullptr || session.cluster().shard_mode() != ShardMode::kHard) return;
  sharded_ = *domain;
  *sharded_ &= session.cluster().shard();
}

NodeSearch::Query NodeAttempt::query_for(PodId pod) const {
  NodeSearch::Query query;
  query.pod = pod;
  query.ignore_resources = resources_ == Resources::kIgnored;
  const auto& cluster = session_.cluster();
  if (cluster.shard_mode() == ShardMode::kHard) query.nodes = &cluster.shard();
  if (domain_ != nullptr) query.nodes = sharded_ ? &*sharded_ : domain_;
  if (cluster.shard_mode() == ShardMode::kSoft) query.preferred = &cluster.shard();
  return query;
}

NodeAttempt::RoleErrors* NodeAttempt::errors_of(SymbolId role) {
  if (!remembers_errors() || !role) return nullptr;
  for (auto& known : roles_)
    if (known.role == role) return &known;
  return nullptr;
}

NodeAttempt::Outcome NodeAttempt::find(PodId pod) {
  Outcome outcome;
  if (resources_ == Resources::kChecked) outcome.choice = find_nominated(pod);
  if (outcome.choice) {
    outcome.feasible = true;
    return outcome;
  }
  const auto* earlier = errors_of(session_.books().pod(pod).role);  // the nominated node may have been the first to refuse
  auto query = query_for(pod);
  if (earlier != nullptr) query.excluded = &earlier->failed;
  outcome.choice = session_.search().best(query);
  outcome.feasible = outcome.choice.has_value() || session_.search().feasible(query).any();
  if (!outcome.feasible) {
    outcome.refusals = refusal_stamp(pod);
    if (!outcome.refusals) {
      outcome.errors = explain(query, earlier);
    } else {
      auto& shared = session_.errors_for(*outcome.refusals);
      if (!shared) shared = explain(query, earlier);
      outcome.errors = shared;
    }
  }
  if (remembers_errors() && session_.books().pod(pod).role) remember(pod, query);
  return outcome;
}

std::optional<std::uint64_t> NodeAttempt::refusal_stamp(PodId pod) {
  const bool plain = !has_cleared_node(session_, pod) && errors_of(session_.books().pod(pod).role) == nullptr;
  return plain && domain_ == nullptr ? session_.search().refusal_stamp(query_for(pod)) : std::nullopt;
}

// A node that an earlier cycle cleared for the pod is tried alone and first.
std::optional<NodeSearch::Choice> NodeAttempt::find_nominated(PodId pod) {
  if (!has_cleared_node(session_, pod)) return std::nullopt;
  const auto promised = session_.promised_node(pod);
  const auto node = promised ? promised : session_.books().find_node(session_.cluster().task(pod).nomination());
  if (!node || !session_.books().node(node).known || (domain_ != nullptr && !domain_->test(node.index()))) return std::nullopt;
  for (const auto& [resource, amount] : session_.books().shape_of(pod).request)
    if (amount > session_.books().free_later(resource, node)) return std::nullopt;
  Bitset only(session_.books().node_count());
  only.set(node.index());
  auto query = query_for(pod);
  if (query.nodes != nullptr) only &= *query.nodes;
  query.nodes = &only;
  if (const auto* earlier = errors_of(session_.books().pod(pod).role)) query.excluded = &earlier->failed;
  const auto choice = session_.search().best(query);
  if (!choice && remembers_errors() && session_.books().pod(pod).role) {
    remember(pod, query);
    errors_of(session_.books().pod(pod).role)->stamp.reset();  // it has seen one node only
  }
  return choice;
}

void NodeAttempt::remember(PodId pod, const NodeSearch::Query& query) {
  const auto role = session_.books().pod(pod).role;
  auto* errors = errors_of(role);
  if (errors == nullptr) {
    roles_.push_back(RoleErrors{role, Bitset(session_.books().node_count()), {}, std::nullopt});
    errors = &roles_.back();
  }
  auto whole = query;
  whole.excluded = nullptr;
  const auto stamp = session_.search().refusal_stamp(whole);
  if (stamp && stamp == errors->stamp) return;  // nobody else has refused since
  errors->stamp = stamp;
  errors->verdicts.resize(session_.books().node_count());
  auto fresh = query;
  fresh.excluded = errors->failed.any() ? &errors->failed : nullptr;
  std::vector<std::pair<NodeId, VerdictId>> found;
  session_.search().refusals(fresh, [&](NodeId node, VerdictId verdict) { found.emplace_back(node, verdict); });
  for (const auto& [node, verdict] : found) {
    errors->failed.set(node.index());
    errors->verdicts[node.index()] = verdict;
  }
}

std::shared_ptr<FitErrors> NodeAttempt::explain(const NodeSearch::Query& query, const RoleErrors* earlier) {
  auto errors = std::make_shared<FitErrors>();
  const auto& fits = session_.cluster().fits();
  for (const auto& [verdict, nodes] : session_.search().refusal_counts(query)) count_verdict(*errors, fits, verdict, nodes);
  if (earlier != nullptr)
    earlier->failed.for_each([&](std::size_t n) {
      if (query.nodes == nullptr || query.nodes->test(n)) count_verdict(*errors, fits, earlier->verdicts[n], 1);
    });
  if (session_.cluster().shard_mode() == ShardMode::kHard) {
    const auto outside = domain_ == nullptr ? known_nodes(session_.books()) - session_.cluster().shard().count()
                                            : domain_->count() - sharded_->count();
    errors->nodes += outside;
    if (outside != 0) count_reason(*errors, session_.cluster().fits().reason("node isn't in scheduler node shard"), outside);
  }
  return errors;
}

}  // namespace muster::volcano
