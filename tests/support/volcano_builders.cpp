#include "support/volcano_builders.h"

#include "base/assert.h"

namespace muster::volcano {
namespace {

Quantity quantity(std::string_view text) {
  const auto parsed = Quantity::parse(text);
  MUSTER_ASSERT(parsed.has_value());
  return *parsed;
}

}  // namespace

VolcanoNodeBuilder::VolcanoNodeBuilder(std::string name) : ObjectBuilder(std::move(name), "") { has("pods", "110"); }

VolcanoNodeBuilder& VolcanoNodeBuilder::has(const std::string& resource, std::string_view text) {
  object_.allocatable[resource] = object_.capacity[resource] = quantity(text);
  return *this;
}

VolcanoQueueBuilder::VolcanoQueueBuilder(std::string name) : ObjectBuilder(std::move(name), "") {
  object_.weight = 1;
  object_.state = "Open";
}

VolcanoQueueBuilder& VolcanoQueueBuilder::parent(std::string name) {
  object_.parent = std::move(name);
  return *this;
}

VolcanoQueueBuilder& VolcanoQueueBuilder::weight(std::int32_t weight) {
  object_.weight = weight;
  return *this;
}

VolcanoQueueBuilder& VolcanoQueueBuilder::priority(std::int32_t priority) {
  object_.priority = priority;
  return *this;
}

VolcanoQueueBuilder& VolcanoQueueBuilder::at_most(const std::string& resource, std::string_view text) {
  object_.capability[resource] = quantity(text);
  return *this;
}

VolcanoQueueBuilder& VolcanoQueueBuilder::guaranteed(const std::string& resource, std::string_view text) {
  object_.guarantee[resource] = quantity(text);
  return *this;
}

VolcanoQueueBuilder& VolcanoQueueBuilder::deserves(const std::string& resource, std::string_view text) {
  object_.deserved[resource] = quantity(text);
  return *this;
}

VolcanoQueueBuilder& VolcanoQueueBuilder::closed() {
  object_.state = "Closed";
  return *this;
}

VolcanoQueueBuilder& VolcanoQueueBuilder::affinity(NodeGroupAffinity affinity) {
  object_.has_affinity = true;
  object_.affinity = std::move(affinity);
  return *this;
}

VolcanoQueueBuilder& VolcanoQueueBuilder::anti_affinity(NodeGroupAffinity affinity) {
  object_.has_affinity = true;
  object_.anti_affinity = std::move(affinity);
  return *this;
}

PodGroupBuilder::PodGroupBuilder(std::string name) : ObjectBuilder(std::move(name), "default") {
  object_.min_member = 1;
  object_.queue = "default";
  object_.phase = "Inqueue";
}

PodGroupBuilder& PodGroupBuilder::queue(std::string name) {
  object_.queue = std::move(name);
  return *this;
}

PodGroupBuilder& PodGroupBuilder::minimum(std::int32_t members) {
  object_.min_member = members;
  return *this;
}

PodGroupBuilder& PodGroupBuilder::role_minimum(const std::string& role, std::int32_t members) {
  object_.min_task_member[role] = members;
  return *this;
}

PodGroupBuilder& PodGroupBuilder::needs(const std::string& resource, std::string_view text) {
  if (!object_.min_resources) object_.min_resources.emplace();
  (*object_.min_resources)[resource] = quantity(text);
  return *this;
}

PodGroupBuilder& PodGroupBuilder::priority_class(std::string name) {
  object_.priority_class = std::move(name);
  return *this;
}

PodGroupBuilder& PodGroupBuilder::phase(std::string phase) {
  object_.phase = std::move(phase);
  return *this;
}

PodGroupBuilder& PodGroupBuilder::within(std::int64_t tier) {
  object_.topology = NetworkTopology{TopologyMode::kHard, tier, ""};
  return *this;
}

PodGroupBuilder& PodGroupBuilder::within(std::string tier_name) {
  object_.topology = NetworkTopology{TopologyMode::kHard, std::nullopt, std::move(tier_name)};
  return *this;
}

PodGroupBuilder& PodGroupBuilder::close() {
  object_.topology = NetworkTopology{TopologyMode::kSoft, std::nullopt, ""};
  return *this;
}

PodGroupBuilder& PodGroupBuilder::sub_groups(std::string name, std::string key, std::int32_t size, std::int32_t minimum,
                                             std::optional<std::int64_t> tier) {
  SubGroupPolicy policy;
  policy.name = std::move(name);
  policy.match_label_keys = {std::move(key)};
  policy.size = size;
  policy.min_sub_groups = minimum;
  if (tier) policy.topology = NetworkTopology{TopologyMode::kHard, tier, ""};
  object_.sub_groups.push_back(std::move(policy));
  return *this;
}

HyperNodeBuilder::HyperNodeBuilder(std::string name, std::int64_t tier) : ObjectBuilder(std::move(name), "") {
  object_.tier = tier;
}

HyperNodeBuilder& HyperNodeBuilder::tier_name(std::string name) {
  object_.tier_name = std::move(name);
  return *this;
}

HyperNodeBuilder& HyperNodeBuilder::node(std::string name) {
  object_.members.push_back({HyperNodeMember::Type::kNode, std::move(name), "", std::nullopt});
  return *this;
}

HyperNodeBuilder& HyperNodeBuilder::nodes_matching(std::string pattern) {
  object_.members.push_back({HyperNodeMember::Type::kNode, "", std::move(pattern), std::nullopt});
  return *this;
}

HyperNodeBuilder& HyperNodeBuilder::nodes_labelled(std::string key, std::string value) {
  LabelSelector selector;
  selector.requirements.push_back({std::move(key), SelectorOp::kIn, {std::move(value)}});
  object_.members.push_back({HyperNodeMember::Type::kNode, "", "", std::move(selector)});
  return *this;
}

HyperNodeBuilder& HyperNodeBuilder::child(std::string name) {
  object_.members.push_back({HyperNodeMember::Type::kHyperNode, std::move(name), "", std::nullopt});
  return *this;
}

VolcanoPodBuilder::VolcanoPodBuilder(std::string name) : ObjectBuilder(std::move(name), "default") {
  object_.spec.scheduler_name = "volcano";
  object_.spec.containers.emplace_back().name = "main";
  object_.status.phase = "Pending";
}

VolcanoPodBuilder& VolcanoPodBuilder::group(std::string name) {
  return annotation("scheduling.k8s.io/group-name", std::move(name));
}
VolcanoPodBuilder& VolcanoPodBuilder::role(std::string name) { return annotation("volcano.sh/task-spec", std::move(name)); }

VolcanoPodBuilder& VolcanoPodBuilder::asks(const std::string& resource, std::string_view text) {
  object_.spec.containers.front().requests[resource] = quantity(text);
  return *this;
}

VolcanoPodBuilder& VolcanoPodBuilder::limit(const std::string& resource, std::string_view text) {
  object_.spec.containers.front().limits[resource] = quantity(text);
  return *this;
}

VolcanoPodBuilder& VolcanoPodBuilder::on(std::string node) {
  object_.spec.node_name = std::move(node);
  return phase("Running");
}

VolcanoPodBuilder& VolcanoPodBuilder::phase(std::string phase) {
  object_.status.phase = std::move(phase);
  return *this;
}

VolcanoPodBuilder& VolcanoPodBuilder::started(Timestamp time) {
  object_.status.start_time = time;
  return *this;
}

VolcanoPodBuilder& VolcanoPodBuilder::scheduled(Timestamp time) {
  Condition condition;
  condition.type = "PodScheduled";
  condition.status = "True";
  condition.last_transition = time;
  object_.status.conditions.push_back(std::move(condition));
  return *this;
}

VolcanoPodBuilder& VolcanoPodBuilder::terminating() {
  object_.meta.deleted = Timestamp{1, 0};
  return *this;
}

VolcanoPodBuilder& VolcanoPodBuilder::priority(std::int32_t priority) {
  object_.spec.priority = priority;
  return *this;
}

VolcanoPodBuilder& VolcanoPodBuilder::gate(std::string name) {
  object_.spec.scheduling_gates.push_back(std::move(name));
  return *this;
}

VolcanoPodBuilder& VolcanoPodBuilder::select(std::string key, std::string value) {
  object_.spec.node_selector.set(std::move(key), std::move(value));
  return *this;
}

VolcanoPodBuilder& VolcanoPodBuilder::nominated(std::string node) {
  object_.status.nominated_node = std::move(node);
  return *this;
}

BudgetBuilder& BudgetBuilder::selects(std::string key, std::string value) {
  if (!object_.selector) object_.selector.emplace();
  object_.selector->requirements.push_back({std::move(key), SelectorOp::kIn, {std::move(value)}});
  return *this;
}

BudgetBuilder& BudgetBuilder::selects_all() {
  object_.selector.emplace();
  return *this;
}

BudgetBuilder& BudgetBuilder::allows(std::int32_t disruptions) {
  object_.disruptions_allowed = disruptions;
  return *this;
}

BudgetBuilder& BudgetBuilder::disrupted(std::string pod) {
  object_.disrupted_pods.push_back(std::move(pod));
  return *this;
}

Value value_of(std::int64_t number) { return Value(Value::Data(number)); }
Value value_of(double number) { return Value(Value::Data(number)); }
Value value_of(bool flag) { return Value(Value::Data(flag)); }
Value value_of(const char* text) { return Value(Value::Data(std::string(text))); }

Value map_value(std::vector<std::pair<std::string, Value>> members) {
  Value::Map map;
  for (auto& [key, value] : members) map.emplace_back(value_of(key.c_str()), std::move(value));
  return Value(Value::Data(std::move(map)));
}

Value list_value(std::vector<Value> elements) { return Value(Value::Data(std::move(elements))); }

PluginOption an_option(std::string plugin, std::vector<std::pair<std::string, Value>> arguments) {
  std::vector<Arguments::Entry> entries;
  for (auto& [key, value] : arguments) entries.push_back({key, std::move(value)});
  return PluginOption(std::move(plugin), Arguments(std::move(entries)));
}

Config a_config(std::vector<PluginOption> tier, std::vector<std::string> actions) {
  return tiered_config({std::move(tier)}, std::move(actions));
}

Config tiered_config(std::vector<std::vector<PluginOption>> tiers, std::vector<std::string> actions) {
  Config config;
  config.actions = std::move(actions);
  for (auto& plugins : tiers) config.tiers.push_back(Tier{std::move(plugins)});
  return config;
}

VolcanoWorld::~VolcanoWorld() {
  if (session_) session_->close();
}

Session& VolcanoWorld::open() {
  if (session_) session_->close();
  cluster_.settle();
  session_.emplace(cluster_, config_, now_, memory_);
  session_->open();
  return *session_;
}

PodId VolcanoWorld::pod(const std::string& name) const {
  const auto id = cluster_.find_pod("default/" + name);
  MUSTER_ASSERT(id);
  return id;
}

std::vector<PodId> VolcanoWorld::pods(const std::vector<std::string>& names) const {
  std::vector<PodId> pods;
  for (const auto& name : names) pods.push_back(pod(name));
  return pods;
}

std::vector<std::string> VolcanoWorld::names(const std::vector<PodId>& pods) const {
  std::vector<std::string> names;
  for (const auto pod : pods) names.push_back(cluster_.books().pod(pod).name);
  return names;
}

std::vector<std::string> VolcanoWorld::evicted() const {
  std::vector<PodId> pods;
  for (const auto& decision : session_->outbox())
    if (decision.kind == Decision::Kind::kEvict) pods.push_back(decision.pod);
  return names(pods);
}

NodeId VolcanoWorld::node(const std::string& name) const {
  const auto id = cluster_.books().find_node(name);
  MUSTER_ASSERT(id);
  return id;
}

Job& VolcanoWorld::job(const std::string& name) {
  const auto id = cluster_.find_job("default/" + name);
  MUSTER_ASSERT(id);
  return cluster_.job(id);
}

QueueId VolcanoWorld::queue(const std::string& name) const {
  const auto id = cluster_.find_queue(name);
  MUSTER_ASSERT(id);
  return id;
}

std::string VolcanoWorld::refusal(const Plugin& plugin, const std::string& pod_name, const std::string& node_name,
                                  Dependence up_to) const {
  Verdict verdict;
  plugin.predicate(pod(pod_name), node(node_name), up_to, verdict);
  if (verdict.empty()) return {};
  if (verdict.size() != 1 || verdict.front().code != FitCode::kUnresolvable) return "not one refusal for good";
  return cluster_.fits().text(verdict.front().reason);
}

std::vector<double> VolcanoWorld::scores(Plugin& plugin, const std::string& pod_name) const {
  std::vector<NodeId> nodes;
  for (const auto id : IdRange<NodeId>(cluster_.books().node_count()))
    if (cluster_.books().node(id).known) nodes.push_back(id);
  std::vector<double> totals(nodes.size(), 0.0);
  plugin.add_node_order(pod(pod_name), nodes, totals);
  return totals;
}

std::vector<std::string> VolcanoWorld::left_by_others(const Plugin& plugin, const std::string& pod_name) const {
  Bitset nodes(cluster_.books().node_count(), true);
  plugin.restrict_by_others(pod(pod_name), nodes);
  std::vector<std::string> names;
  nodes.for_each([&](std::size_t n) { names.push_back(cluster_.books().node(NodeId(n)).name); });
  return names;
}

void VolcanoWorld::allocate(Plugin& plugin, const std::string& pod_name, const std::string& node_name, PodState as) {
  cluster_.move(pod(pod_name), as, node(node_name));
  cluster_.books().account(pod(pod_name), node(node_name), as);
  MUSTER_ASSERT(plugin.on_allocate(pod(pod_name)));
}

void VolcanoWorld::take_back(Plugin& plugin, const std::string& pod_name) {
  cluster_.books().unaccount(pod(pod_name));
  cluster_.move(pod(pod_name), PodState::kPending, NodeId());
  plugin.on_deallocate(pod(pod_name));
}

}  // namespace muster::volcano
