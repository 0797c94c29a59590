#include "policy/volcano/plugins/nodegroup.h"

#include <algorithm>
#include <bit>
#include <map>

#include "model/json.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kPluginName = "nodegroup";
constexpr std::string_view kGroupLabel = "volcano.sh/nodegroup-name";
constexpr std::string_view kLimitsAnnotation = "volcano.sh/nodegroup-resource-limits";
constexpr std::string_view kRootQueue = "root";
constexpr double kRequiredScore = 100;
constexpr double kPreferredScore = 50;
constexpr double kAvoidedScore = -1;

using Names = std::vector<std::string>;

bool contains_name(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// How much of the preferred score a group gets by its place in the list. A name that is listed twice counts once in the length of
// the list and has its last place.
double share_by_place(const Names& preferred, const std::string& group) {
  Names distinct = preferred;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const auto length = static_cast<double>(distinct.size());
  const auto place = static_cast<double>(std::find(preferred.rbegin(), preferred.rend(), group).base() - preferred.begin() - 1);
  return kPreferredScore * (length - place) / length;
}

// A quantity is taken from the text between the quotes, if there are any; null is zero.
std::optional<Quantity> quantity_of(const Json& value) {
  if (value.kind == Json::Kind::kNull) return Quantity();
  auto text = value.raw;
  if (value.kind == Json::Kind::kString) text = text.substr(1, text.size() - 2);
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return std::nullopt;
  const auto parsed = Quantity::parse(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

std::optional<ResourceList> resource_list_of(const Json& value) {
  if (value.kind != Json::Kind::kMap && value.kind != Json::Kind::kNull) return std::nullopt;
  ResourceList list;
  for (const auto& [name, amount] : value.members) {
    const auto quantity = quantity_of(amount);
    if (!quantity) return std::nullopt;
    list[name] = *quantity;
  }
  return list;
}

// {"group": {"cpu": "8"}}
std::optional<std::map<std::string, ResourceList>> parse_limits(std::string_view text) {
  const auto json = read_json(text);
  if (!json || (json->kind != Json::Kind::kMap && json->kind != Json::Kind::kNull)) return std::nullopt;
  std::map<std::string, ResourceList> limits;
  for (const auto& [group, value] : json->members) {
    auto list = resource_list_of(value);
    if (!list) return std::nullopt;
    limits[group] = std::move(*list);
  }
  return limits;
}

}  // namespace

NodeGroup::NodeGroup(Session& session, const PluginOption& option)
    : Plugin(session),
      strict_(option.arguments.get_bool("strict", true)),
      by_preference_(option.arguments.get_bool("enablePreferredOrder", false)) {
  const auto refusing = [&](std::string_view text) { return session.cluster().fits().status(FitCode::kUnresolvable, text); };
  limits_invalid_ = refusing("node group resource limit annotation invalid");
  label_missing_ = refusing("node group label not found");
  affinity_missing_ = refusing("node group affinity not specified");
  unsatisfied_ = refusing("node does not satisfy the node group affinity");
  limit_exceeded_ = refusing("node group resource limit exceeded");
}

// ------------------------------------------------------------------------------------------------ rules of queues

void NodeGroup::open() {
  const auto& cluster = session().cluster();
  groups_.assign(cluster.books().node_count(), std::nullopt);
  rules_.resize(cluster.queue_count());
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    auto& rules = rules_[id];
    if (const auto* source = affinity_source(id)) rules.opinions = opinions_of(*source);
    read_limits(cluster.queue(id), rules);
    rules.key = key_of(rules);
    any_limits_ |= !rules.limits.empty();
  }
  if (any_limits_) count_holders();
}

// The queue that states the affinity in force: the queue itself, or with a hierarchy its nearest ancestor that states one.
const QueueInfo* NodeGroup::affinity_source(QueueId queue) const {
  const auto& cluster = session().cluster();
  const bool inherits = session().config().hierarchy_enabled(kPluginName);
  for (std::size_t steps = 0; queue && steps <= cluster.queue_count(); ++steps) {  // bounded: parents may form a circle
    const auto& info = cluster.queue(queue);
    if (info.has_affinity) return &info;
    if (!inherits || info.name == kRootQueue) return nullptr;
    queue = cluster.find_queue(info.parent.empty() ? kRootQueue : std::string_view(info.parent));
  }
  return nullptr;
}

std::vector<NodeGroup::Opinion> NodeGroup::opinions_of(const QueueInfo& source) const {
  const auto wanted = source.affinity.value_or(NodeGroupAffinity());
  const auto shunned = source.anti_affinity.value_or(NodeGroupAffinity());
  Names named;
  for (const auto* list : {&wanted.required, &wanted.preferred, &shunned.required, &shunned.preferred})
    named.insert(named.end(), list->begin(), list->end());
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());

  std::vector<Opinion> opinions;
  for (const auto& group : named) {
    Opinion opinion;
    opinion.group = session().books().symbols().intern(group);
    const bool required = contains_name(wanted.required, group);
    const bool preferred = contains_name(wanted.preferred, group);
    // A soft "rather not" also overrules a hard one.
    const bool avoided = contains_name(shunned.preferred, group);
    opinion.allowed = avoided || ((required || preferred) && !contains_name(shunned.required, group));
    if (required) opinion.score += kRequiredScore;
    if (preferred) opinion.score += by_preference_ ? share_by_place(wanted.preferred, group) : kPreferredScore;
    if (avoided) opinion.score = kAvoidedScore;
    opinions.push_back(opinion);
  }
  return opinions;
}

void NodeGroup::read_limits(const QueueInfo& queue, QueueRules& rules) const {
  const auto text = queue.annotations.get(kLimitsAnnotation);
  if (text.empty()) return;
  const auto limits = parse_limits(text);
  rules.limits_unreadable = !limits;
  if (!limits) return;
  auto& books = session().books();
  for (const auto& [group, list] : *limits) rules.limits.push_back({books.symbols().intern(group), amounts_of(list, books), {}});
}

std::uint64_t NodeGroup::key_of(const QueueRules& rules) const {
  if (rules.opinions.empty() && !rules.limits_unreadable) return 0;
  std::string text(kPluginName);
  text.append(rules.limits_unreadable ? "!" : ":");
  for (const auto& opinion : rules.opinions)
    text.append(std::to_string(opinion.group.index()))
        .append(opinion.allowed ? "+" : "-")
        .append(std::to_string(std::bit_cast<std::uint64_t>(opinion.score)))
        .append(",");
  return session().books().symbols().intern(text).index() + std::uint64_t{1};
}

const NodeGroup::Opinion* NodeGroup::QueueRules::find(SymbolId group) const {
  const auto found = std::find_if(opinions.begin(), opinions.end(), [&](const Opinion& o) { return o.group == group; });
  return found == opinions.end() ? nullptr : &*found;
}

const NodeGroup::QueueRules& NodeGroup::rules_of(PodId pod) const {
  const auto group = session().books().pod(pod).group;
  if (!group) return no_rules_;
  const auto queue = session().cluster().job(group).queue;
  return rules_.contains(queue) ? rules_[queue] : no_rules_;
}

SymbolId NodeGroup::group_of(NodeId node) const {
  auto& known = groups_[node];
  if (!known) {
    const auto* label = session().books().node(node).labels.find(kGroupLabel);
    known = label == nullptr ? SymbolId() : session().books().symbols().intern(*label);
  }
  return *known;
}

std::uint64_t NodeGroup::class_key(PodId pod) const { return rules_of(pod).key; }

// -------------------------------------------------------------------------------------------------------- filter

Dependence NodeGroup::predicate_dependence(PodId pod) const {
  return rules_of(pod).limits.empty() ? Dependence::kNode : Dependence::kOthers;
}

std::optional<FitStatus> NodeGroup::refusal(PodId pod, NodeId node, Dependence up_to) const {
  if (up_to < Dependence::kNode) return std::nullopt;
  const auto& rules = rules_of(pod);
  if (rules.limits_unreadable) return limits_invalid_;
  const auto group = group_of(node);
  if (!group) return strict_ || !rules.opinions.empty() ? std::optional(label_missing_) : std::nullopt;
  if (rules.opinions.empty()) return affinity_missing_;
  const auto* opinion = rules.find(group);
  if (opinion == nullptr || !opinion->allowed) return unsatisfied_;
  if (up_to < Dependence::kOthers) return std::nullopt;
  for (const auto& limit : rules.limits)
    if (limit.group == group && exceeds(limit, pod)) return limit_exceeded_;
  return std::nullopt;
}

void NodeGroup::predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const {
  if (const auto status = refusal(pod, node, up_to)) verdict.push_back(*status);
}

bool NodeGroup::exceeds(const Limit& limit, PodId pod) const {
  const auto& request = session().books().shape_of(pod).request;
  return std::any_of(limit.most.begin(), limit.most.end(), [&](const Amounts::Entry& most) {
    return limit.held.get(most.resource) + request.get(most.resource) > most.amount;
  });
}

void NodeGroup::restrict_by_others(PodId pod, Bitset& nodes) const {
  std::vector<SymbolId> full;
  for (const auto& limit : rules_of(pod).limits)
    if (exceeds(limit, pod)) full.push_back(limit.group);
  if (full.empty()) return;
  const Bitset before = nodes;
  before.for_each([&](std::size_t n) {
    if (std::find(full.begin(), full.end(), group_of(NodeId(n))) != full.end()) nodes.reset(n);
  });
}

// --------------------------------------------------------------------------------------------------------- score

Dependence NodeGroup::order_dependence(PodId pod) const {
  return rules_of(pod).opinions.empty() ? Dependence::kNothing : Dependence::kNode;
}

void NodeGroup::add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  const auto& rules = rules_of(pod);
  if (rules.opinions.empty()) return;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (const auto* opinion = rules.find(group_of(nodes[i]))) totals[i] += opinion->score;
}

// ---------------------------------------------------------------------------------------- what queues hold of groups

void NodeGroup::count_holders() {
  const auto& cluster = session().cluster();
  for (const auto id : IdRange<GroupId>(cluster.job_count())) {
    const auto& job = cluster.job(id);
    if (!job.schedulable() || rules_[job.queue].limits.empty()) continue;
    for (const auto pod : cluster.books().group(id).pods)
      if (kHoldingStates.contains(cluster.books().pod(pod).state)) count(pod);
  }
}

void NodeGroup::count(PodId pod) {
  const auto& record = session().books().pod(pod);
  if (!record.node || !record.group) return;
  const auto queue = session().cluster().job(record.group).queue;
  if (!rules_.contains(queue)) return;
  const auto group = group_of(record.node);
  for (auto& limit : rules_[queue].limits)
    if (limit.group == group && counted_.emplace(pod, &limit).second) limit.held += session().books().shape_of(pod).request;
}

bool NodeGroup::on_allocate(PodId pod) {
  if (any_limits_) count(pod);
  return true;
}

// The pod may have left its node by now, so what was counted is remembered.
void NodeGroup::on_deallocate(PodId pod) {
  const auto found = counted_.find(pod);
  if (found == counted_.end()) return;
  found->second->held -= session().books().shape_of(pod).request;
  counted_.erase(found);
}

}  // namespace muster::volcano
