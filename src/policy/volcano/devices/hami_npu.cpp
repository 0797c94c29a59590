#include "policy/volcano/devices/hami_npu.h"

#include <algorithm>
#include <map>

#include "model/json.h"
#include "policy/volcano/devices/npu_cards.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kNpuRefusal = "no ascend device available";
constexpr std::int32_t kCoreScale = 100;
constexpr double kFullCardScore = 100;
constexpr double kNetworkWeight = 10;

bool shares_cores(const DeviceRequest& request) { return request.annotations.get("huawei.com/vnpu-mode") == "hami-core"; }

// What a container gets: the memory of a template, or of a whole card.
struct Trimmed {
  std::int64_t memory = 0;
  std::string_view name;  // of the template
};
Trimmed trim(const NpuConfig& config, std::int64_t memory) {
  for (const auto& known : config.templates)
    if (memory <= known.memory) return {known.memory, known.name};
  if (memory <= config.memory_capacity) return {config.memory_allocatable, {}};
  return {};
}

double card_score(const NpuCard& card, std::string_view policy) {
  if (card.memory == 0) return 0;
  if (policy == "binpack") return kFullCardScore * (static_cast<double>(card.use.memory) / static_cast<double>(card.memory));
  return policy == "spread" && card.use.sharers == 0 ? kFullCardScore : 0;
}

class NpuCards final : public NodeDevices {
 public:
  NpuCards(const NpuConfig& config, std::string node, std::vector<NpuCard> cards, bool core_sharing)
      : config_(config),
        node_(std::move(node)),
        cards_(std::move(cards)),
        core_sharing_(core_sharing),
        core_name_(config.resource_name + "-core"),
        requested_key_("hami.io/" + config.word + "-devices-to-allocate"),
        allocated_key_("hami.io/" + config.word + "-devices-allocated") {}

  DeviceAnswer filter(const DeviceAsk& ask, const DeviceCycle& cycle) override {
    const auto selection = select(ask, cycle.policy);
    if (selection.outcome == Outcome::kFits) return {};
    return {selection.outcome == Outcome::kFull ? FitCode::kUnschedulable : FitCode::kError, kNpuRefusal};
  }

  double score(const DeviceAsk& ask, const DeviceCycle& cycle) override;
  std::optional<StringMap> allocate(const DeviceAsk& ask, const DeviceCycle& cycle) override;
  void release(const DeviceAsk& ask, const DeviceCycle&) override { drop(ask); }
  void clear() override;
  void hold(const DeviceAsk& ask, const DeviceNotes& notes, const DeviceCycle& cycle) override;
  void drop(const DeviceAsk& ask) override;
  std::vector<CardUse> cards() const override;

 private:
  enum class Outcome { kFits, kFull, kWrong };
  struct Part {
    const NpuCard* card;
    std::int32_t memory;
    std::int32_t cores;
  };
  struct Selection {
    Outcome outcome = Outcome::kFits;
    std::vector<std::vector<Part>> parts;  // by container
  };

  Selection select(const DeviceAsk& ask, std::string_view policy) const;
  std::vector<CardRequest> requests_of(const DeviceAsk& ask, const NpuCard& first) const;
  bool fits(const NpuCard& card, const CardRequest& request, bool by_cores) const;
  bool by_network(const std::vector<const NpuCard*>& cards) const;
  static std::vector<const NpuCard*> of_largest_networks(const std::vector<const NpuCard*>& cards, std::int32_t count);
  NpuCard* find(std::string_view id);
  void hold_pieces(PodId pod, std::string_view text, const DeviceCycle& cycle);
  StringMap annotations_for(const DeviceAsk& ask, const Selection& selection, Timestamp now) const;

  const NpuConfig& config_;
  std::string node_;
  std::vector<NpuCard> cards_;
  bool core_sharing_;
  std::string core_name_;
  std::string requested_key_;
  std::string allocated_key_;
  std::uint64_t scored_in_ = 0;  // the cycle in which the node was last scored: the original allocates by the policy only then
};

std::vector<CardRequest> NpuCards::requests_of(const DeviceAsk& ask, const NpuCard& first) const {
  auto requests = card_requests(ask.request, {config_.resource_name, config_.memory_name, {}, core_name_});
  for (auto& request : requests) {
    if (request.memory == 0 && request.percentage != 0)
      request.memory = static_cast<std::int32_t>(std::int64_t{first.memory} * request.percentage / 100);
    if (request.memory > 0 && !shares_cores(ask.request))
      request.memory = static_cast<std::int32_t>(trim(config_, request.memory).memory);
  }
  return requests;
}

bool NpuCards::fits(const NpuCard& card, const CardRequest& request, bool by_cores) const {
  if (by_cores && !core_sharing_) return false;
  if (card.limit <= card.use.sharers) return false;
  if (std::int64_t{card.memory} - card.use.memory < request.memory) return false;
  const auto cores = by_cores ? kCoreScale : card.cores;
  if (std::int64_t{cores} - card.use.cores < request.cores) return false;
  if (cores == kCoreScale && request.cores == kCoreScale && card.use.sharers > 0) return false;
  return !(cores != 0 && card.use.cores == cores && request.cores == 0);
}

bool NpuCards::by_network(const std::vector<const NpuCard*>& cards) const {
  return config_.word.starts_with("Ascend910") &&
         std::all_of(cards.begin(), cards.end(), [](const NpuCard* card) { return card->in_network; });
}

std::vector<const NpuCard*> NpuCards::of_largest_networks(const std::vector<const NpuCard*>& cards, std::int32_t count) {
  std::vector<std::pair<std::int64_t, std::vector<const NpuCard*>>> networks;
  for (const auto* card : cards) {
    if (!card->network) continue;
    auto known = std::find_if(networks.begin(), networks.end(), [&](const auto& n) { return n.first == *card->network; });
    if (known == networks.end()) known = networks.insert(known, {*card->network, {}});
    known->second.push_back(card);
  }
  std::stable_sort(networks.begin(), networks.end(),
                   [](const auto& l, const auto& r) { return l.second.size() > r.second.size(); });
  std::vector<const NpuCard*> out;
  for (const auto& [id, members] : networks)
    for (const auto* card : members) {
      out.push_back(card);
      if (out.size() == static_cast<std::size_t>(count)) return out;
    }
  return out;
}

NpuCards::Selection NpuCards::select(const DeviceAsk& ask, std::string_view policy) const {
  std::vector<const NpuCard*> order;
  for (const auto& card : cards_) order.push_back(&card);
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* l, const auto* r) { return card_score(*l, policy) > card_score(*r, policy); });
  const bool networks = by_network(order);
  const bool by_cores = shares_cores(ask.request);
  Selection selection;
  std::vector<const NpuCard*> used;
  for (const auto& request : requests_of(ask, *order.front())) {
    // Several cards are only given as whole ones.
    if (!by_cores && request.count > 1 && trim(config_, request.memory).memory != config_.memory_allocatable)
      return {Outcome::kWrong, {}};
    std::vector<const NpuCard*> chosen;
    auto open = request.count;
    for (const auto* card : order) {
      if (std::find(used.begin(), used.end(), card) != used.end() || !fits(*card, request, by_cores)) continue;
      chosen.push_back(card);
      if (--open <= 0 && !networks) break;
    }
    if (open > 0) return {Outcome::kFull, {}};
    if (networks) chosen = of_largest_networks(chosen, request.count);
    used.insert(used.end(), chosen.begin(), chosen.end());
    auto& parts = selection.parts.emplace_back();
    for (const auto* card : chosen) parts.push_back({card, request.memory, request.cores});
  }
  return selection;
}

double NpuCards::score(const DeviceAsk& ask, const DeviceCycle& cycle) {
  scored_in_ = cycle.number;
  const auto selection = select(ask, cycle.policy);
  if (selection.outcome != Outcome::kFits) return 0;
  double score = 0;
  std::vector<const NpuCard*> first;  // of each container
  for (const auto& parts : selection.parts) {
    if (parts.empty()) return 0;
    first.push_back(parts.front().card);
    score += card_score(*parts.front().card, cycle.policy);
  }
  if (!by_network(first)) return score;
  std::map<std::int64_t, std::int64_t> counts;
  std::int64_t most = 0, total = 0;
  for (const auto* card : first)
    if (card->network) most = std::max(most, ++counts[*card->network]), ++total;
  if (total == 0) return 0;
  return score + static_cast<double>(most) / static_cast<double>(total) * kNetworkWeight;
}

std::optional<StringMap> NpuCards::allocate(const DeviceAsk& ask, const DeviceCycle& cycle) {
  const bool follows = scored_in_ == cycle.number || !cycle.behaviour.keeps(Quirk::kNpuPolicyUnscored);
  const auto selection = select(ask, follows ? std::string_view(cycle.policy) : std::string_view());
  if (selection.outcome != Outcome::kFits) return std::nullopt;
  auto annotations = annotations_for(ask, selection, cycle.now);
  hold_pieces(ask.pod, annotations.get(allocated_key_), cycle);
  return annotations;
}

StringMap NpuCards::annotations_for(const DeviceAsk& ask, const Selection& selection, Timestamp now) const {
  std::string parts_text, runtime;
  const bool by_cores = shares_cores(ask.request);
  for (const auto& parts : selection.parts) {
    for (const auto& part : parts) {
      parts_text.append(part.card->id)
          .append(",")
          .append(config_.word)
          .append(",")
          .append(std::to_string(part.memory))
          .append(",")
          .append(std::to_string(part.cores))
          .append(":");
      runtime.append(runtime.empty() ? "" : ",").append("{\"UUID\":").append(json_string(part.card->id));
      if (const auto name = trim(config_, part.memory).name; !by_cores && !name.empty())
        runtime.append(",\"temp\":").append(json_string(name));
      if (by_cores && part.memory != 0) runtime.append(",\"memory\":").append(std::to_string(part.memory));
      if (by_cores && part.cores != 0) runtime.append(",\"core\":").append(std::to_string(part.cores));
      runtime.append("}");
    }
    parts_text += ';';
  }
  const auto time = std::to_string(now.seconds);
  StringMap annotations;
  annotations.set(requested_key_, parts_text);
  annotations.set(allocated_key_, parts_text);
  annotations.set("predicate-time", time);
  annotations.set("huawei.com/" + config_.word, runtime.empty() ? "null" : "[" + runtime + "]");
  annotations.set("hami.io/vgpu-node", node_);
  annotations.set("hami.io/vgpu-time", time);
  annotations.set("hami.io/bind-phase", "allocating");
  annotations.set("hami.io/bind-time", time);
  return annotations;
}

NpuCard* NpuCards::find(std::string_view id) {
  const auto found = std::find_if(cards_.begin(), cards_.end(), [&](const NpuCard& card) { return card.id == id; });
  return found == cards_.end() ? nullptr : &*found;
}

void NpuCards::hold_pieces(PodId pod, std::string_view text, const DeviceCycle& cycle) {
  const auto reading = cycle.behaviour.keeps(Quirk::kNpuCountsOneContainer) ? NpuReading::kAsOneContainer : NpuReading::kAll;
  for (const auto& piece : decode_npu_pieces(text, reading))
    if (auto* card = find(piece.id)) card->add(pod, piece.memory, piece.cores);
}

void NpuCards::hold(const DeviceAsk& ask, const DeviceNotes& notes, const DeviceCycle& cycle) {
  if (const auto* text = notes.annotations.find(allocated_key_)) hold_pieces(ask.pod, *text, cycle);
}

void NpuCards::drop(const DeviceAsk& ask) {
  for (auto& card : cards_) card.remove(ask.pod);
}

void NpuCards::clear() {
  for (auto& card : cards_) {
    card.use = {};
    card.holders.clear();
  }
}

std::vector<CardUse> NpuCards::cards() const {
  std::vector<CardUse> all;
  for (const auto& card : cards_) {
    CardUse use(card.id, config_.resource_name);
    use.share(config_.memory_name, static_cast<double>(card.use.memory), card.memory);
    if (core_sharing_) use.share(core_name_, static_cast<double>(card.use.cores), kCoreScale);
    use.amounts.push_back({config_.resource_name, static_cast<double>(card.use.sharers), static_cast<double>(card.limit)});
    for (const auto& holder : card.holders) use.pods.push_back(holder.pod);
    all.push_back(std::move(use));
  }
  return all;
}

class HamiNpu final : public DeviceFamily {
 public:
  HamiNpu(const NpuConfig& config, bool core_sharing) : config_(config), core_sharing_(core_sharing) {}

  bool wants(const DeviceRequest& request) const override {
    return request.limits(config_.resource_name) || request.limits(config_.memory_name);
  }

  std::unique_ptr<NodeDevices> on(const Node& node) const override {
    const auto offered = node.allocatable.find(config_.resource_name);
    if (offered == node.allocatable.end() || offered->second.is_zero()) return nullptr;
    const auto* text = node.meta.annotations.find("hami.io/node-register-" + config_.word);
    if (text == nullptr) return nullptr;
    auto cards = read_npu_registration(*text);
    if (!cards || cards->empty()) return nullptr;
    const auto* own = node.meta.annotations.find("hami-vnpu-core");
    return std::make_unique<NpuCards>(config_, node.meta.name, std::move(*cards), own != nullptr ? *own == "true" : core_sharing_);
  }

  std::string_view lock_name(const DeviceRequest&) const override { return "hami.io/mutex.lock"; }
  std::vector<std::string> managed_resources() const override { return {config_.memory_name, config_.resource_name + "-core"}; }
  bool scores(const DeviceCycle& cycle) const override { return !cycle.policy.empty() || config_.word.starts_with("Ascend910"); }
  bool score_has_history(const DeviceCycle& cycle) const override {
    return !cycle.policy.empty() && cycle.behaviour.keeps(Quirk::kNpuPolicyUnscored);
  }

 private:
  const NpuConfig& config_;
  bool core_sharing_;
};

}  // namespace

std::unique_ptr<DeviceFamily> make_hami_npu(const NpuConfig& config, bool core_sharing) {
  return std::make_unique<HamiNpu>(config, core_sharing);
}

}  // namespace muster::volcano
