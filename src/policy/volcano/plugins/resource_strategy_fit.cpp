#include "policy/volcano/plugins/resource_strategy_fit.h"

#include <algorithm>

#include "engine/scores/allocation.h"
#include "model/json.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kOwnType = "volcano.sh/resource-strategy-scoring-type";
constexpr std::string_view kOwnWeights = "volcano.sh/resource-strategy-weight";
constexpr std::int64_t kDefaultWeight = 10;
// Rates of memory are in GB per device, devices are counted in thousandths.
constexpr double kThousand = 1000;

// A field of a structured argument, or its zero value.
std::int64_t int_field(const Value* structure, std::string_view name) {
  const auto* value = structure == nullptr ? nullptr : decoded_field(*structure, name);
  return value == nullptr ? 0 : decoded_int(*value).value_or(0);
}
std::string string_field(const Value* structure, std::string_view name) {
  const auto* value = structure == nullptr ? nullptr : decoded_field(*structure, name);
  return value == nullptr ? std::string() : decoded_string(*value).value_or(std::string());
}
bool enabled(const Value* structure) {
  const auto* value = structure == nullptr ? nullptr : decoded_field(*structure, "enable");
  return value != nullptr && decoded_bool(*value).value_or(false);
}
// The number under a key of a map field; 1 when there is none or a negative one.
template <class T>
T rate_field(const Value& structure, std::string_view map, const std::string& key, std::optional<T> (*read)(const Value&)) {
  const auto* rates = decoded_field(structure, map);
  const auto* value = rates == nullptr ? nullptr : rates->find(key);
  const T rate = value == nullptr ? T(1) : read(*value).value_or(T(1));
  return rate < 0 ? T(1) : rate;
}

std::vector<std::string> listed_names(std::string_view list) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  std::vector<std::string> names;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const auto item = list.substr(0, comma);
    if (const auto first = item.find_first_not_of(kSpace); first != std::string_view::npos)
      names.emplace_back(item.substr(first, item.find_last_not_of(kSpace) - first + 1));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return names;
}

// Only one star, at the end, after something.
bool names_resources(std::string_view pattern) {
  const auto star = pattern.find('*');
  return star == std::string_view::npos || (star != 0 && star == pattern.size() - 1);
}

// Weights in annotations are anybody's: their sum wraps around instead of overflowing.
std::int64_t wrapping_sum(std::int64_t left, std::int64_t right) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(left) + static_cast<std::uint64_t>(right));
}

std::optional<std::map<std::string, std::int64_t>> read_weights(std::string_view text) {
  const auto json = read_json(text);
  if (!json || (json->kind != Json::Kind::kMap && json->kind != Json::Kind::kNull)) return std::nullopt;
  std::map<std::string, std::int64_t> weights;
  for (const auto& [name, value] : json->members) {
    const auto weight = value.as_int();
    if (!weight) return std::nullopt;
    weights[name] = *weight;
  }
  return weights;
}

}  // namespace

// --------------------------------------------------------------------------------------------------- arguments

ResourceStrategyFit::ResourceStrategyFit(Session& session, const PluginOption& option) : Plugin(session), weight_(kDefaultWeight) {
  if (const auto* value = option.arguments.find("resourceStrategyFitWeight"))
    weight_ = decoded_int(*value).value_or(kDefaultWeight);
  if (weight_ < 0) weight_ = kDefaultWeight;
  read_strategies(option.arguments);
  read_scarcity(option.arguments);
  read_reserves(option.arguments);
}

ResourceStrategyFit::Kind ResourceStrategyFit::kind_of(std::string_view text) {
  if (text == "LeastAllocated") return Kind::kLeastAllocated;
  if (text == "MostAllocated") return Kind::kMostAllocated;
  return Kind::kUnknown;
}

void ResourceStrategyFit::read_strategies(const Arguments& arguments) {
  const auto* value = arguments.find("resources");
  const auto* map = value == nullptr ? nullptr : value->as_map();
  if (map == nullptr || map->empty()) {
    strategies_ = {{"cpu", false, {}}, {"memory", false, {}}};
    return;
  }
  for (const auto& [key, settings] : *map) {
    const auto* name = key.as_string();
    if (name == nullptr || !names_resources(*name)) continue;
    Strategy strategy{kind_of(string_field(&settings, "type")), int_field(&settings, "weight")};
    if (strategy.kind == Kind::kUnknown) strategy.kind = Kind::kLeastAllocated;
    if (strategy.weight <= 0) strategy.weight = 1;
    const bool is_prefix = name->ends_with('*');
    strategies_.push_back({is_prefix ? name->substr(0, name->size() - 1) : *name, is_prefix, strategy});
  }
}

void ResourceStrategyFit::read_scarcity(const Arguments& arguments) {
  const auto* settings = arguments.find("sra");
  if (!enabled(settings)) return;
  scarcity_.weight = int_field(settings, "weight");
  for (const auto& name : listed_names(string_field(settings, "resources"))) {
    const auto weight = rate_field(*settings, "resourceWeight", name, decoded_int);
    scarcity_.weight_sum += weight;  // also of a resource that is listed twice, and of one that no node has
    const auto id = session().books().find_resource(name);
    const auto same = [&](const auto& entry) { return entry.first == id; };
    if (id && std::none_of(scarcity_.resources.begin(), scarcity_.resources.end(), same))
      scarcity_.resources.emplace_back(id, weight);
  }
}

void ResourceStrategyFit::read_reserves(const Arguments& arguments) {
  const auto* settings = arguments.find("proportional");
  proportional_ = enabled(settings);
  if (!proportional_) return;
  for (const auto& name : listed_names(string_field(settings, "resources"))) {
    const auto id = session().books().find_resource(name);
    const auto same = [&](const Reserve& reserve) { return reserve.device == id; };
    if (!id || id == kCpu || id == kMemory || std::any_of(reserves_.begin(), reserves_.end(), same)) continue;
    reserves_.push_back(
        {id, rate_field(*settings, "resourceProportion", name + ".cpu", decoded_float),
         rate_field(*settings, "resourceProportion", name + ".memory", decoded_float),
         session().cluster().fits().status(FitCode::kUnresolvable, "proportional of resource " + name + " check failed")});
  }
}

Points ResourceStrategyFit::points() const {
  const bool scores = weight_ > 0 || scarcity_.weight > 0;
  if (scores && proportional_) return Points(Point::kPredicate, Point::kNodeOrder);
  if (scores) return Points(Point::kNodeOrder);
  return proportional_ ? Points(Point::kPredicate) : Points();
}

// ------------------------------------------------------------------------------------------------------ filter

Dependence ResourceStrategyFit::predicate_dependence(PodId pod) const {
  const auto& request = session().books().shape_of(pod).request;
  const auto asks = [&](const Reserve& reserve) { return request.get(reserve.device) > 0; };
  // Whoever asks for one of the devices may also have what was kept for them.
  const bool free = reserves_.empty() || std::any_of(reserves_.begin(), reserves_.end(), asks);
  return free ? Dependence::kNothing : Dependence::kNode;
}

void ResourceStrategyFit::predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const {
  if (up_to < Dependence::kNode || predicate_dependence(pod) == Dependence::kNothing) return;
  const auto& books = session().books();
  const auto& request = books.shape_of(pod).request;
  const auto idle = [&](ResourceId id) { return static_cast<double>(books.ledgers().idle[id.index()][node.index()]); };
  const double cpu_left = idle(kCpu) - static_cast<double>(request.get(kCpu));
  const double memory_left = idle(kMemory) - static_cast<double>(request.get(kMemory));
  for (const auto& reserve : reserves_) {
    const double devices = idle(reserve.device);
    const bool too_little = cpu_left < devices * reserve.cpu || memory_left < devices * reserve.memory * kThousand * kThousand;
    if (!too_little) continue;
    if (devices == 0 && !session().cluster().node_names(node, reserve.device)) continue;
    verdict.push_back(reserve.refusal);
    return;
  }
}

// ------------------------------------------------------------------------------------------------------ scores

std::optional<ResourceStrategyFit::Strategy> ResourceStrategyFit::configured(std::string_view resource) const {
  const NamedStrategy* best = nullptr;
  for (const auto& candidate : strategies_) {
    if (!candidate.is_prefix && candidate.name == resource) return candidate.strategy;
    if (candidate.is_prefix && resource.starts_with(candidate.name) &&
        (best == nullptr || candidate.name.size() > best->name.size()))
      best = &candidate;
  }
  return best == nullptr ? std::nullopt : std::optional(best->strategy);
}

std::optional<ResourceStrategyFit::Strategy> ResourceStrategyFit::OwnStrategies::of(const std::string& resource) const {
  const auto found = weights.find(resource);
  return found == weights.end() ? std::nullopt : std::optional(Strategy{kind, found->second});
}

std::optional<ResourceStrategyFit::Plan> ResourceStrategyFit::plan_for(PodId pod) const {
  std::optional<OwnStrategies> own;
  const auto& annotations = session().cluster().task(pod).annotations;
  if (const auto type = annotations.get(kOwnType); !type.empty()) {
    auto weights = read_weights(annotations.get(kOwnWeights));
    if (!weights) return std::nullopt;
    own = OwnStrategies{kind_of(type), std::move(*weights)};
  }
  const auto& books = session().books();
  Plan plan;
  for (const auto& [id, amount] : books.shape_of(pod).request) {
    if (amount <= 0) continue;
    const auto strategy = own ? own->of(books.resource_name(id)) : configured(books.resource_name(id));
    if (!strategy) continue;
    plan.weight_sum = wrapping_sum(plan.weight_sum, strategy->weight);
    plan.terms.push_back(
        {static_cast<double>(amount), *strategy, &books.ledgers().allocatable[id.index()], &books.ledgers().used[id.index()]});
  }
  return plan;
}

double ResourceStrategyFit::fit_score(const Plan& plan, double scale, NodeId node) {
  double score = 0;
  for (const auto& term : plan.terms) {
    const auto capacity = static_cast<double>((*term.allocatable)[node.index()]);
    // Contributes nothing; its weight still counts.
    if (capacity == 0 || term.strategy.weight == 0 || term.strategy.kind == Kind::kUnknown) continue;
    const double filled = term.request + static_cast<double>((*term.used)[node.index()]);
    if (filled > capacity) return 0;
    const double part = term.strategy.kind == Kind::kMostAllocated ? filled : capacity - filled;
    score += part * static_cast<double>(term.strategy.weight) / capacity;
  }
  if (plan.weight_sum > 0) score /= static_cast<double>(plan.weight_sum);
  return score * scale;
}

double ResourceStrategyFit::scarcity_score(const Amounts& request, NodeId node) const {
  const auto& allocatable = session().books().ledgers().allocatable;
  for (const auto& [id, amount] : request)
    if (amount > 0 && allocatable[id.index()][node.index()] == 0) return 0;
  double score = 0;
  for (const auto& [id, weight] : scarcity_.resources)
    if (allocatable[id.index()][node.index()] > 0) score += static_cast<double>(weight);
  if (scarcity_.weight_sum > 0) score = 1.0 - score / static_cast<double>(scarcity_.weight_sum);
  return score * (kMaxScore * static_cast<double>(scarcity_.weight));
}

void ResourceStrategyFit::add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  const auto& request = session().books().shape_of(pod).request;
  const auto plan = weight_ > 0 ? plan_for(pod) : std::nullopt;
  const double scale = kMaxScore * static_cast<double>(weight_);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    double score = plan ? fit_score(*plan, scale, nodes[i]) : 0.0;
    if (scarcity_.weight > 0) score += scarcity_score(request, nodes[i]);
    totals[i] += score;
  }
}

std::uint64_t ResourceStrategyFit::class_key(PodId pod) const {
  const auto& annotations = session().cluster().task(pod).annotations;
  const auto own_type = annotations.get(kOwnType);
  if (own_type.empty()) return 0;
  std::string key(own_type);
  key.append(1, '\0').append(annotations.get(kOwnWeights));
  return session().books().symbols().intern(key).index() + std::uint64_t{1};
}

}  // namespace muster::volcano
