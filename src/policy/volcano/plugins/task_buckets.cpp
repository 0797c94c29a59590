#include "policy/volcano/plugins/task_buckets.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/split.h"
#include "policy/volcano/annotation_keys.h"
#include "policy/volcano/resource.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kAffinity = "volcano.sh/task-topology-affinity";
constexpr std::string_view kAntiAffinity = "volcano.sh/task-topology-anti-affinity";
constexpr std::string_view kOrder = "volcano.sh/task-topology-task-order";
bool contains_role(const std::vector<SymbolId>& list, SymbolId item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool has_tasks(const Job& job, SymbolId role) {
  const auto found = std::find_if(job.roles.begin(), job.roles.end(), [&](const Role& known) { return known.name == role; });
  return found != job.roles.end() && std::any_of(found->count.begin(), found->count.end(), [](auto count) { return count != 0; });
}

// "a,b". Empty names stay, as no role: they make a list longer and so change what it means.
std::optional<std::vector<SymbolId>> read_roles(std::string_view text, const Books& books, const Job& job) {
  std::vector<SymbolId> roles;
  for (const auto name : split(text, ',')) {
    const auto role = name.empty() ? SymbolId() : books.symbols().find(name);
    if (!name.empty() && (!role || !has_tasks(job, role) || contains_role(roles, role))) return std::nullopt;
    roles.push_back(role);
  }
  return roles;
}

void count_role(RoleCounts& counts, SymbolId role) {
  const auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& entry) { return entry.first == role; });
  if (found == counts.end())
    counts.emplace_back(role, 1);
  else
    ++found->second;
}

double size_of(const Amounts& request) {
  double size = static_cast<double>(request.get(kCpu)) + static_cast<double>(request.get(kMemory)) / kMiB;
  for (const auto& [id, amount] : request)
    if (id != kCpu && id != kMemory) size += static_cast<double>(amount);
  return size;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------- relations

// What a group in an annotation means for its roles: among several, and for a role alone.
struct RoleRelations::Rule {
  Group Role::* list;
  int priority_among;
  int priority_alone;
};

std::optional<RoleRelations> RoleRelations::read(const Cluster& cluster, const Job& job) {
  constexpr std::array<std::pair<std::string_view, Rule>, 2> kRules = {{
      {kAffinity, {&Role::near, 3, 2}},
      {kAntiAffinity, {&Role::away, 1, 4}},
  }};
  const auto* order = job.annotations.find(kOrder);
  RoleRelations relations;
  bool any = order != nullptr;
  for (const auto& [key, rule] : kRules) {
    const auto* text = job.annotations.find(key);
    if (text == nullptr) continue;
    any = true;
    for (const auto part : split(*text, ';')) {
      const auto group = read_roles(part, cluster.books(), job);
      if (!group) return std::nullopt;
      relations.apply(*group, rule);
    }
  }
  if (order != nullptr) {
    const auto roles = read_roles(*order, cluster.books(), job);
    if (!roles) return std::nullopt;
    for (std::size_t i = 0; i < roles->size(); ++i)
      relations.role((*roles)[i]).order = static_cast<std::int64_t>(roles->size() - i);
  }
  return any ? std::optional(std::move(relations)) : std::nullopt;
}

void RoleRelations::apply(const Group& group, const Rule& rule) {
  const bool alone = group.size() == 1;
  for (const auto name : group) {
    auto& entry = role(name);
    entry.priority = std::max(entry.priority, alone ? rule.priority_alone : rule.priority_among);
    for (const auto other : group)
      if (alone || other != name) (entry.*rule.list).push_back(other);
  }
}

RoleRelations::Role& RoleRelations::role(SymbolId name) {
  const auto found = std::find_if(roles_.begin(), roles_.end(), [&](const Role& known) { return known.name == name; });
  return found != roles_.end() ? *found : roles_.emplace_back(Role{name, 0, 0, {}, {}});
}

const RoleRelations::Role* RoleRelations::find(SymbolId name) const {
  const auto found = std::find_if(roles_.begin(), roles_.end(), [&](const Role& known) { return known.name == name; });
  return found == roles_.end() ? nullptr : &*found;
}

bool RoleRelations::concerns(SymbolId role) const {
  const auto* known = find(role);
  return known != nullptr && known->priority > 0;
}

int RoleRelations::compare(SymbolId left, SymbolId right) const {
  if (left == right) return 0;
  const auto rank = [&](SymbolId name) {
    const auto* known = find(name);
    return known == nullptr ? std::pair<std::int64_t, int>() : std::pair(known->order, known->priority);
  };
  const auto l = rank(left);
  const auto r = rank(right);
  return l == r ? 0 : l > r ? -1 : 1;
}

std::int64_t RoleRelations::attraction(SymbolId role, const RoleCounts& others) const {
  const auto* known = find(role);
  std::int64_t sum = aversion(role, others);
  if (known == nullptr) return sum;
  for (const auto& [other, count] : others)
    if (contains_role(known->near, other)) sum += count;
  return sum;
}

std::int64_t RoleRelations::aversion(SymbolId role, const RoleCounts& others) const {
  const auto* known = find(role);
  std::int64_t sum = 0;
  if (known == nullptr) return sum;
  for (const auto& [other, count] : others)
    if (contains_role(known->away, other)) sum -= count;
  return sum;
}

// ------------------------------------------------------------------------------------------------------ buckets

TaskBuckets::TaskBuckets(const Cluster& cluster, const Job& job, RoleRelations relations) : relations_(std::move(relations)) {
  const auto& books = cluster.books();
  boost::unordered_flat_map<NodeId, std::size_t, std::hash<NodeId>> of_node;
  for (const auto pod : in_building_order(cluster, job)) {
    const auto role = role_of(cluster, pod);
    const auto node = books.pod(pod).node;
    TaskBucket* bucket = nullptr;
    if (node) {
      const auto found = of_node.find(node);
      bucket = found == of_node.end() ? nullptr : &buckets_[found->second];
    } else {
      bucket = best_for(role);
    }
    if (bucket == nullptr) bucket = &add_bucket();
    if (node) of_node.emplace(node, bucket->index);
    put(*bucket, books, pod, role);
  }
}

// Those on nodes first, node by node; then by the relations, then by name.
std::vector<PodId> TaskBuckets::in_building_order(const Cluster& cluster, const Job& job) const {
  const auto& books = cluster.books();
  std::vector<PodId> pods;
  for (const auto pod : books.group(job.id).pods)
    if (const auto role = role_of(cluster, pod); role && relations_.concerns(role)) pods.push_back(pod);
  std::sort(pods.begin(), pods.end(), [&](PodId left, PodId right) {
    const auto& l = books.pod(left);
    const auto& r = books.pod(right);
    if (static_cast<bool>(l.node) != static_cast<bool>(r.node)) return static_cast<bool>(l.node);
    if (l.node) return std::tie(books.node(l.node).name, l.name) < std::tie(books.node(r.node).name, r.name);
    const auto order = relations_.compare(l.role, r.role);
    return order != 0 ? order < 0 : l.name < r.name;
  });
  return pods;
}

// The bucket whose tasks attract the role most, of equals the smallest; none when the task is better off alone.
TaskBucket* TaskBuckets::best_for(SymbolId role) {
  TaskBucket* best = nullptr;
  std::int64_t strongest = 0;
  for (auto& bucket : buckets_) {
    const auto attraction = relations_.attraction(role, bucket.roles);
    if (best == nullptr || attraction > strongest || (attraction == strongest && bucket.size < best->size)) {
      best = &bucket;
      strongest = attraction;
    }
  }
  return strongest < 0 ? nullptr : best;
}

TaskBucket& TaskBuckets::add_bucket() {
  auto& bucket = buckets_.emplace_back();
  bucket.index = buckets_.size() - 1;
  return bucket;
}

void TaskBuckets::put(TaskBucket& bucket, const Books& books, PodId pod, SymbolId role) {
  bucket_of_.emplace(pod, bucket.index);
  count_role(bucket.roles, role);
  if (const auto node = books.pod(pod).node) {
    ++bucket.bound_on[node];
    ++bucket.bound;
  } else {
    bucket.waiting.push_back(pod);
    bucket.request += books.shape_of(pod).request;
    bucket.size += size_of(books.shape_of(pod).request);
  }
  largest_ = std::max(largest_, bucket.waiting.size() + bucket.bound);
}

const TaskBucket* TaskBuckets::bucket_of(PodId pod) const {
  const auto found = bucket_of_.find(pod);
  return found == bucket_of_.end() ? nullptr : &buckets_[found->second];
}

const RoleCounts* TaskBuckets::placed_on(NodeId node) const {
  const auto found = placed_.find(node);
  return found == placed_.end() ? nullptr : &found->second;
}

SymbolId TaskBuckets::role_of(const Cluster& cluster, PodId pod) {
  return cluster.task(pod).annotations.get(kTaskSpecKey).empty() ? SymbolId() : cluster.books().pod(pod).role;
}

void TaskBuckets::place(const Cluster& cluster, PodId pod) {
  const auto node = cluster.books().pod(pod).node;
  if (const auto role = role_of(cluster, pod)) count_role(placed_[node], role);
  const auto found = bucket_of_.find(pod);
  if (found == bucket_of_.end()) return;
  auto& bucket = buckets_[found->second];
  ++bucket.bound_on[node];
  ++bucket.bound;
  std::erase(bucket.waiting, pod);
  bucket.request -= cluster.books().shape_of(pod).request;
}

}  // namespace muster::volcano
