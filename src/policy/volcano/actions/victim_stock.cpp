#include "policy/volcano/actions/victim_stock.h"

#include <algorithm>

#include "policy/volcano/actions/eviction_nodes.h"

namespace muster::volcano {
namespace {

constexpr std::size_t kMostTold = 16;  // bundles

}  // namespace

VictimStock::VictimStock(Session& session, const GangDemand& demand, GangVictims::Gangs gangs, PodId pod, HyperNodeId domain)
    : session_(session),
      victims_(session, demand, gangs),
      gangs_(gangs),
      pod_(pod),
      need_(session.books().shape_of(pod).request),
      domain_(domain),
      taker_(session.cluster().job(demand.job).queue),
      kind_(demand.kind),
      inside_(session.books().node_count()),
      may_go_to_(session.books().node_count()),
      room_(session.books()),
      positions_(session.books().node_count()),
      standing_(session.books().node_count()),
      nodes_(NodeBefore{this}) {
  std::uint32_t position = 0;
  for (const auto node : session.hyper_tree().nodes(domain)) {
    inside_.set(node.index());
    positions_[node] = position++;
  }
}

bool VictimStock::can_be_kept(const Session& session) {
  const auto known = [&](Point point) {
    const auto& plugins = session.chain(point);
    return std::all_of(plugins.begin(), plugins.end(), [](const Plugin* plugin) { return judges_alike(*plugin); });
  };
  const auto& behaviour = session.behaviour();
  return session.looks_ahead() && session.undoes_cleanly() && !behaviour.keeps(Quirk::kForgottenVictim) &&
         !behaviour.keeps(Quirk::kUncheckedReclaim) && !behaviour.keeps(Quirk::kNeedlessVictims) && known(Point::kGangEvictable) &&
         known(Point::kPreemptable) && known(Point::kReclaimable) && known(Point::kJobOrder);
}

// ------------------------------------------------------------------------------------------------------- keeping up

bool VictimStock::follow(PodId pod) {
  if (session_.filter_dependence(pod) > Dependence::kNode || session_.pre_predicate(pod)) return false;
  const auto& books = session_.books();
  constexpr bool kForgetErrors = false;
  auto may_go_to =
      EvictionNodes(session_, kForgetErrors).find(pod, session_.hyper_tree().limit(domain_), EvictionNodes::Room::kIgnored);
  Bitset changed(books.node_count());
  if (!seen_ || *seen_ < books.log_start()) {
    changed = Bitset(books.node_count(), true);
  } else {
    for (std::size_t w = 0; w < changed.words().size(); ++w) changed.words()[w] = may_go_to.words()[w] ^ may_go_to_.words()[w];
    for (auto at = *seen_, end = books.log_end(); at != end; ++at) changed.set(books.logged(at).index());
  }
  seen_ = books.log_end();
  may_go_to_ = std::move(may_go_to);
  changed.for_each([&](std::size_t n) { renew(NodeId(n)); });
  renew_best();
  for (const auto job : dirty_) take_out(job);  // all of them, because ranks of jobs may have changed already
  for (const auto job : dirty_) put_in(job);
  dirty_.clear();
  return true;
}

// As GangRoom looks at it, for pods of one kind.
void VictimStock::renew(NodeId node) {
  const auto& books = session_.books();
  auto& here = standing_[node];
  if (here.listed) nodes_.erase(node);
  dirty_.insert(here.jobs.begin(), here.jobs.end());
  here = {};
  for (const auto pod : books.pods_on(node)) {
    const auto job = books.pod(pod).group;
    if (!job) continue;
    here.jobs.push_back(job);
    if (!inside_.test(node.index()) || !victims_.may_go(pod)) continue;
    ++here.leaving;
    here.held += books.shape_of(pod).request;
  }
  dirty_.insert(here.jobs.begin(), here.jobs.end());
  if (!inside_.test(node.index())) return;
  const auto then = may_go_to_.test(node.index()) ? room_.room_for(pod_, node, here.held) : 0;
  room_.set_helps(node, then != 0);
  if (then == 0 || here.leaving == 0) return;
  here.gain = GangRoom::most_pods(then - room_.room_for(pod_, node, {}));
  here.listed = true;
  nodes_.insert(node);
}

// The best node comes before all others, and so do nodes that do not help.
void VictimStock::renew_best() {
  const auto best = nodes_.empty() ? NodeId() : *nodes_.begin();
  if (best == best_) return;
  for (const auto node : {best, best_})
    if (node) dirty_.insert(standing_[node].jobs.begin(), standing_[node].jobs.end());
  best_ = best;
}

bool VictimStock::NodeBefore::operator()(NodeId l, NodeId r) const {
  const auto& left = stock->standing_[l];
  const auto& right = stock->standing_[r];
  if (GangRoom::comes_first(left.leaving, left.gain, right.leaving, right.gain)) return true;
  return !GangRoom::comes_first(right.leaving, right.gain, left.leaving, left.gain) && stock->positions_[l] < stock->positions_[r];
}

void VictimStock::take_out(GroupId job) {
  const auto found = entries_.find(job);
  if (found == entries_.end()) return;
  for (const auto place : found->second.places) order_.at({place->kind, found->second.queue}).erase(place);
  if (found->second.bundles.empty()) --divided_;
  entries_.erase(found);
}

void VictimStock::put_in(GroupId id) {
  const auto& books = session_.books();
  const auto& job = session_.cluster().job(id);
  std::vector<PodId> pods;
  for (const auto pod : books.group(id).pods)
    if (const auto node = books.pod(pod).accounted_on; node && inside_.test(node.index()) && victims_.may_go(pod))
      pods.push_back(pod);
  if (pods.empty()) return;
  if (job.sub_jobs != nullptr && job.sub_jobs->has_policies()) {
    ++divided_;
    entries_[id] = Entry{job.queue, {}, {}, false};
    return;
  }
  rank_nodes_of(pods);
  auto bundles = bundle_victims(session_, std::move(pods), &room_);
  if (bundles.empty()) return;
  auto& entry = entries_[id];
  entry.queue = job.queue;
  entry.bundles = std::move(bundles);
  std::size_t count = 0;
  for (const auto& bundle : entry.bundles) count += bundle.pods.size();
  entry.complete = static_cast<std::int64_t>(count) >= session_.counts(job).holding();
  for (std::size_t i = 0; i < entry.bundles.size(); ++i) {
    const auto kind = entry.bundles[i].kind;
    auto& order = order_.try_emplace({kind, job.queue}, Before{this}).first->second;
    entry.places.push_back(order.insert({kind, gain_of(entry.bundles[i], need_), id, i}).first);
  }
}

// As far as they are compared: with each other.
void VictimStock::rank_nodes_of(const std::vector<PodId>& pods) {
  if (pods.size() < 2) return;
  std::vector<NodeId> nodes;
  for (const auto pod : pods) {
    const auto node = session_.books().pod(pod).node;
    if (standing_[node].listed && node != best_)
      nodes.push_back(node);
    else
      room_.set_rank(node, 0);
  }
  std::sort(nodes.begin(), nodes.end(), NodeBefore{this});
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  for (std::size_t i = 0; i < nodes.size(); ++i) room_.set_rank(nodes[i], static_cast<std::uint32_t>(i + 1));
}

bool VictimStock::Before::operator()(const Place& l, const Place& r) const {
  if (l.job == r.job) return l.at < r.at;
  if (stock->kind_ == GangDemand::Kind::kPreempt) return stock->session_.job_before(r.job, l.job);
  if (l.gain != r.gain) return l.gain > r.gain;
  return stock->session_.books().group(l.job).name < stock->session_.books().group(r.job).name;
}

// ---------------------------------------------------------------------------------------------------------- telling

bool VictimStock::could_have(const Amounts& need) const {
  const auto& ledgers = session_.books().ledgers();
  return std::all_of(need.begin(), need.end(), [&](const auto& entry) {
    const auto& [resource, wanted] = entry;
    const auto r = resource.index();
    std::int64_t amount = 0;
    for (std::size_t n = 0; n < standing_.size() && amount < wanted; ++n)
      if (const NodeId node(n); room_.helps_on(node))
        amount += std::max<std::int64_t>(ledgers.idle[r][n] + ledgers.releasing[r][n], 0) + standing_[node].held.get(resource);
    return wanted <= amount;
  });
}

// Calls visit(bundle, entry) for each bundle in their order until it gives false, and says whether it never did.
template <class F>
bool VictimStock::in_order(F&& visit) {
  for (const auto kind : {VictimBundle::Kind::kSurplus, VictimBundle::Kind::kRest}) {
    std::vector<std::pair<QueueId, const Order*>> queues;
    for (const auto& [key, order] : order_)
      if (key.first == kind && !order.empty()) queues.emplace_back(key.second, &order);
    while (!queues.empty()) {
      const auto next = std::min_element(queues.begin(), queues.end(), [&](const auto& l, const auto& r) {
        return l.first != r.first && session_.loses_before(l.first, r.first, taker_);
      });
      for (const auto& place : *next->second) {
        const auto& entry = entries_.at(place.job);
        if (!visit(entry.bundles[place.at], entry)) return false;
      }
      queues.erase(next);
    }
  }
  return true;
}

std::optional<VictimStock::First> VictimStock::first(const GangDemand& demand) {
  if (divided_ != 0) return std::nullopt;
  First found;
  std::vector<PodId> asked;
  const bool halves = session_.behaviour().keeps(Quirk::kHalfGangs);
  found.all = in_order([&](const VictimBundle& bundle, const Entry& entry) {
    if (bundle.kind != VictimBundle::Kind::kSurplus) {
      if (found.bundles.size() == kMostTold) return false;
      asked.insert(asked.end(), bundle.pods.begin(), bundle.pods.end());
      if (gangs_ == GangVictims::Gangs::kMayGo && (halves || entry.complete)) found.bundles.push_back(bundle);
      return true;
    }
    for (const auto pod : bundle.pods) {
      if (found.bundles.size() == kMostTold) return false;
      asked.push_back(pod);
      found.bundles.push_back({bundle.kind, bundle.job, {pod}, room_.held_by({&pod, 1}), {}});
    }
    return true;
  });
  if (!asked.empty() && !nobody_minds(demand, asked)) return std::nullopt;
  return found;
}

// Then they may also go when others are asked about after them.
bool VictimStock::nobody_minds(const GangDemand& demand, const std::vector<PodId>& pods) const {
  if (session_.gang_evictable(demand, pods).size() != pods.size()) return false;
  const auto& plugins = session_.chain(Point::kGangEvictable);
  return std::all_of(plugins.begin(), plugins.end(), [&](Plugin* plugin) {
    const auto ballot = plugin->gang_evictable(demand, pods);
    return ballot.vote == Vote::kAbstain || ballot.victims.size() == pods.size();
  });
}

}  // namespace muster::volcano
