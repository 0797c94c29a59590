#include "policy/volcano/devices/vgpu.h"

#include <algorithm>
#include <numeric>

#include "policy/volcano/devices/exclusive_cards.h"
#include "policy/volcano/devices/vgpu_cards.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kIds = "volcano.sh/vgpu-ids-new";
constexpr std::string_view kRegister = "volcano.sh/node-vgpu-register";
constexpr std::string_view kVgpuRefusal = "hami-vgpuDeviceSharing error";
constexpr std::uint64_t kAllCores = 100;

CardResources resource_names(const VgpuConfig& config) {
  return {config.count_name, config.memory_name, config.percentage_name, config.core_name};
}

bool asks(const DeviceRequest& request, const VgpuConfig& config) {
  return request.limits(config.memory_name) || request.limits(config.count_name);
}

class VgpuCards final : public NodeDevices {
 public:
  VgpuCards(const DeviceSettings& settings, const VgpuConfig& config, std::string node, VgpuRegistration registration)
      : config_(config),
        node_(std::move(node)),
        mode_(registration.mode),
        cards_(std::move(registration.cards)),
        exclusive_(mode_ == VgpuMode::kHamiCore ? settings.exclusive_rules : kNoRules) {}

  DeviceAnswer filter(const DeviceAsk& ask, const DeviceCycle& cycle) override {
    auto uses = uses_of_cards();
    return select(ask, cycle, uses) ? DeviceAnswer{} : DeviceAnswer{FitCode::kUnschedulable, kVgpuRefusal};
  }

  double score(const DeviceAsk& ask, const DeviceCycle& cycle) override {
    auto uses = uses_of_cards();
    const auto selection = select(ask, cycle, uses);
    return selection ? selection->score : 0;
  }

  std::optional<StringMap> allocate(const DeviceAsk& ask, const DeviceCycle& cycle) override;
  void release(const DeviceAsk& ask, const DeviceCycle& cycle) override;
  void clear() override;
  void hold(const DeviceAsk& ask, const DeviceNotes& notes, const DeviceCycle& cycle) override;
  void drop(const DeviceAsk& ask) override;
  void linger(const DeviceAsk& ask) override;
  std::vector<std::pair<std::string, std::int64_t>> queue_amounts(const DeviceNotes& notes) const override;
  std::vector<CardUse> cards() const override;

 private:
  inline static const std::vector<StringMap> kNoRules;

  struct Selection {
    VgpuPieces pieces;
    double score = 0;
  };
  // What was tried on a card, to be taken back when the pod does not fit after all.
  struct Trial {
    std::size_t card;
    std::uint64_t memory;
    std::uint64_t cores;
  };

  std::vector<VgpuUse> uses_of_cards() const;
  // Gives the pod cards out of `uses`, which is changed when it fits.
  std::optional<Selection> select(const DeviceAsk& ask, const DeviceCycle& cycle, std::vector<VgpuUse>& uses) const;
  std::vector<std::size_t> card_order(const std::vector<VgpuUse>& uses, std::string_view policy) const;
  bool has_room(const VgpuCard& card, const VgpuUse& use, const CardRequest& request, std::uint64_t memory) const;
  bool serves_group(const VgpuCard& card, const std::string& group) const;
  std::optional<std::string> try_card(const VgpuCard& card, VgpuUse& use, std::uint64_t memory, std::uint64_t cores,
                                      const DeviceCycle& cycle) const;
  double card_score(const VgpuCard& card, const VgpuUse& before, const VgpuUse& after, const DeviceCycle& cycle) const;
  std::uint64_t real_memory(std::uint64_t memory) const {
    return config_.memory_factor > 1 ? memory / config_.memory_factor : memory;
  }
  VgpuCard* card_of(std::string_view uuid);
  void note_holder(const DeviceAsk& ask, const VgpuPieces& pieces);
  void subtract(const DeviceAsk& ask, const VgpuPieces& pieces);

  const VgpuConfig& config_;
  std::string node_;
  VgpuMode mode_;
  std::vector<VgpuCard> cards_;
  ExclusiveCards exclusive_;
  struct Given {
    PodId pod;
    VgpuPieces pieces;
    std::vector<VgpuUse> added;  // by card, what the pod took; of instances nothing
  };
  std::vector<Given> given_;  // in this cycle, only where it can be taken back
};

// -------------------------------------------------------------------------------------------------- choosing cards

std::vector<VgpuUse> VgpuCards::uses_of_cards() const {
  std::vector<VgpuUse> uses;
  uses.reserve(cards_.size());
  for (const auto& card : cards_) uses.push_back(card.use);
  return uses;
}

// Places in cards_. Without a policy, indices are walked down from the number of cards.
std::vector<std::size_t> VgpuCards::card_order(const std::vector<VgpuUse>& uses, std::string_view policy) const {
  std::vector<std::size_t> order(cards_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (policy == "binpack") {
    std::stable_sort(order.begin(), order.end(), [&](auto l, auto r) { return uses[l].memory > uses[r].memory; });
  } else if (policy == "spread") {
    std::stable_sort(order.begin(), order.end(), [&](auto l, auto r) { return uses[l].sharers < uses[r].sharers; });
  } else {
    std::erase_if(order, [&](auto at) { return cards_[at].index >= cards_.size(); });
    std::reverse(order.begin(), order.end());
  }
  return order;
}

bool VgpuCards::serves_group(const VgpuCard& card, const std::string& group) const {
  return std::any_of(card.holders.begin(), card.holders.end(), [&](const VgpuCard::Holder& holder) {
    return holder.group == group && (holder.memory > 0 || holder.cores > 0);
  });
}

bool VgpuCards::has_room(const VgpuCard& card, const VgpuUse& use, const CardRequest& request, std::uint64_t memory) const {
  const auto cores = static_cast<std::uint64_t>(request.cores);
  if (static_cast<std::int64_t>(card.memory) - static_cast<std::int64_t>(use.memory) < static_cast<std::int64_t>(memory))
    return false;
  if (use.cores + cores > kAllCores) return false;
  if (cores == kAllCores && use.sharers > 0) return false;  // wants the card for itself
  return !(use.cores == kAllCores && cores == 0);
}

// The id of the card, or of the instance, that takes the pod.
std::optional<std::string> VgpuCards::try_card(const VgpuCard& card, VgpuUse& use, std::uint64_t memory, std::uint64_t cores,
                                               const DeviceCycle& cycle) const {
  std::string id = card.uuid;
  auto counted = memory;
  if (mode_ == VgpuMode::kMig) {
    static const std::vector<MigGeometry> kNone;
    const auto& geometries = card.geometries == nullptr ? kNone : *card.geometries;
    const auto wanted = config_.memory_factor > 1 ? memory * config_.memory_factor : memory;
    const auto slot = find_slot(geometries, use.mig, wanted);
    if (!slot) return std::nullopt;
    id = slot_id(card.uuid, *slot);
    counted = real_memory(slot->memory);
    if (!cycle.behaviour.keeps(Quirk::kMigSlotTwice)) take_slot(geometries, use.mig, slot->group, slot->position);
  }
  ++use.sharers;
  use.memory += counted;
  use.cores += cores;
  return id;
}

double VgpuCards::card_score(const VgpuCard& card, const VgpuUse& before, const VgpuUse& after, const DeviceCycle& cycle) const {
  constexpr double kFull = 100;
  if (cycle.policy == "binpack") return kFull * (static_cast<double>(after.memory) / static_cast<double>(card.memory));
  // The original looks whether the card is idle after it has counted the pod.
  if (cycle.policy == "spread" && before.sharers == 0 && !cycle.behaviour.keeps(Quirk::kSpreadScoresNothing)) return kFull;
  return 0;
}

std::optional<VgpuCards::Selection> VgpuCards::select(const DeviceAsk& ask, const DeviceCycle& cycle,
                                                      std::vector<VgpuUse>& uses) const {
  Selection selection;
  if (!asks(ask.request, config_)) return selection;
  if (const auto* mode = ask.request.annotations.find("volcano.sh/vgpu-mode"))
    if (*mode != (mode_ == VgpuMode::kMig ? "mig" : "hami-core")) return std::nullopt;

  const VgpuChoice choice(ask.request.annotations);
  std::vector<Trial> trials;
  const auto give_up = [&]() -> std::optional<Selection> {
    for (const auto& trial : trials) {
      auto& use = uses[trial.card];
      if (use.sharers > 0) --use.sharers;
      use.memory -= std::min(use.memory, trial.memory);
      use.cores -= std::min(use.cores, trial.cores);
    }
    return std::nullopt;
  };
  for (const auto& request : card_requests(ask.request, resource_names(config_))) {
    auto& pieces = selection.pieces.emplace_back();
    auto open = request.count;
    if (open > static_cast<std::int64_t>(cards_.size())) return give_up();
    for (const auto at : card_order(uses, cycle.policy)) {
      const auto& card = cards_[at];
      auto& use = uses[at];
      if (!choice.allows_uuid(card.uuid)) continue;
      if (card.limit <= use.sharers || exclusive_.reserved(ask.labels, card.index)) continue;
      if (!ask.request.group.empty() && serves_group(card, ask.request.group)) continue;
      const auto memory =
          request.percentage == CardRequest::kByMemory
              ? static_cast<std::uint64_t>(request.memory)
              : static_cast<std::uint64_t>(static_cast<double>(card.memory) * static_cast<double>(request.percentage) / 100.0);
      if (!has_room(card, use, request, memory) || !choice.allows_type(card.type)) continue;
      const auto before = use;
      const auto cores = static_cast<std::uint64_t>(request.cores);
      auto id = try_card(card, use, memory, cores, cycle);
      if (!id) continue;
      trials.push_back({at, memory, cores});
      if (open > 0) {
        --open;
        pieces.push_back({std::move(*id), memory, cores});
        selection.score += card_score(card, before, use, cycle);
      }
      if (open == 0) break;
    }
    if (open > 0) return give_up();
  }
  return selection;
}

// ------------------------------------------------------------------------------------------------ who holds what

VgpuCard* VgpuCards::card_of(std::string_view uuid) {
  const auto found = std::find_if(cards_.begin(), cards_.end(),
                                  [&](const VgpuCard& card) { return uuid.find(card.uuid) != std::string_view::npos; });
  return found == cards_.end() ? nullptr : &*found;
}

void VgpuCards::note_holder(const DeviceAsk& ask, const VgpuPieces& pieces) {
  for (const auto& container : pieces)
    for (const auto& piece : container)
      for (auto& card : cards_) {
        if (piece.uuid.find(card.uuid) == std::string::npos) continue;
        auto* holder = card.holder(ask.pod);
        if (holder == nullptr) holder = &card.holders.emplace_back(VgpuCard::Holder{ask.pod, 0, 0, {}});
        holder->memory += piece.memory;
        holder->cores += piece.cores;
        holder->group = ask.notes.group;
      }
}

std::optional<StringMap> VgpuCards::allocate(const DeviceAsk& ask, const DeviceCycle& cycle) {
  auto uses = uses_of_cards();
  const auto selection = select(ask, cycle, uses);
  for (std::size_t i = 0; i < cards_.size(); ++i) std::swap(cards_[i].use, uses[i]);
  if (!selection) return std::nullopt;
  if (!cycle.behaviour.keeps(Quirk::kVgpuKeepsDiscarded)) {
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      uses[i].sharers = cards_[i].use.sharers - uses[i].sharers;
      uses[i].memory = cards_[i].use.memory - uses[i].memory;
      uses[i].cores = cards_[i].use.cores - uses[i].cores;
    }
    given_.push_back({ask.pod, selection->pieces, std::move(uses)});
  }
  note_holder(ask, selection->pieces);
  exclusive_.give(ask.pod, ask.labels, cards_);

  const auto ids = encode(selection->pieces);
  const auto now = std::to_string(cycle.now.seconds);
  StringMap annotations;
  annotations.set("volcano.sh/vgpu-node", node_);
  annotations.set("volcano.sh/vgpu-time", now);
  annotations.set(std::string(kIds), ids);
  annotations.set("volcano.sh/devices-to-allocate", ids);
  annotations.set("volcano.sh/bind-phase", "allocating");
  annotations.set("volcano.sh/bind-time", now);
  return annotations;
}

void VgpuCards::release(const DeviceAsk& ask, const DeviceCycle&) {
  const auto found = std::find_if(given_.begin(), given_.end(), [&](const Given& given) { return given.pod == ask.pod; });
  if (found == given_.end()) {
    drop(ask);
    return;
  }
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    auto& use = cards_[i].use;
    use.sharers -= found->added[i].sharers;
    use.memory -= found->added[i].memory;
    use.cores -= found->added[i].cores;
    std::erase_if(cards_[i].holders, [&](const auto& holder) { return holder.pod == ask.pod; });
  }
  for (const auto& container : found->pieces)
    for (const auto& piece : container)
      if (const auto slot = parse_slot_id(piece.uuid))
        if (auto* card = card_of(piece.uuid); card != nullptr && card->geometries != nullptr)
          free_slot(*card->geometries, card->use.mig, slot->group, slot->position);
  given_.erase(found);
  exclusive_.leave(ask.pod, cards_);
}

void VgpuCards::clear() {
  for (auto& card : cards_) {
    card.use = {};
    card.holders.clear();
  }
  given_.clear();
  exclusive_.clear();
}

// A card counts a pod once, whatever else of the pod is on it.
void VgpuCards::hold(const DeviceAsk& ask, const DeviceNotes& notes, const DeviceCycle&) {
  for (const auto& container : decode_vgpu_pieces(notes.annotations.get(kIds)))
    for (const auto& piece : container) {
      auto* card = card_of(piece.uuid);
      if (card == nullptr) continue;
      auto memory = piece.memory;
      const bool mig = mode_ == VgpuMode::kMig;
      const auto slot = mig ? parse_slot_id(piece.uuid) : std::nullopt;
      if (mig && !slot) continue;
      if (auto* known = card->holder(ask.pod); known != nullptr) {
        known->group = notes.group;
        continue;
      }
      if (mig)
        memory =
            card->geometries == nullptr ? 0 : real_memory(take_slot(*card->geometries, card->use.mig, slot->group, slot->position));
      ++card->use.sharers;
      card->use.memory += memory;
      card->use.cores += piece.cores;
      card->holders.push_back({ask.pod, memory, piece.cores, notes.group});
    }
  exclusive_.arrive(ask.pod, ask.labels, cards_);
}

void VgpuCards::subtract(const DeviceAsk& ask, const VgpuPieces& pieces) {
  for (const auto& container : pieces)
    for (const auto& piece : container) {
      auto* card = card_of(piece.uuid);
      if (card == nullptr || card->holder(ask.pod) == nullptr) continue;
      auto memory = piece.memory;
      if (mode_ == VgpuMode::kMig) {
        const auto slot = parse_slot_id(piece.uuid);
        if (!slot) continue;
        memory =
            card->geometries == nullptr ? 0 : real_memory(free_slot(*card->geometries, card->use.mig, slot->group, slot->position));
      }
      --card->use.sharers;
      card->use.memory -= memory;
      card->use.cores -= piece.cores;
      std::erase_if(card->holders, [&](const auto& holder) { return holder.pod == ask.pod; });
    }
}

// What a pod holds is found by its own annotation: a pod that is not bound yet has none.
void VgpuCards::drop(const DeviceAsk& ask) {
  subtract(ask, decode_vgpu_pieces(ask.notes.annotations.get(kIds)));
  exclusive_.leave(ask.pod, cards_);
  exclusive_.forget(ask.pod);
}

void VgpuCards::linger(const DeviceAsk& ask) {
  for (const auto& container : decode_vgpu_pieces(ask.notes.annotations.get(kIds)))
    for (const auto& piece : container)
      for (const auto& card : cards_)
        if (card.uuid == piece.uuid) exclusive_.keep(ask.pod, ask.labels, card.index);
}

std::vector<std::pair<std::string, std::int64_t>> VgpuCards::queue_amounts(const DeviceNotes& notes) const {
  std::int64_t memory = 0, cores = 0;
  bool found = false;
  for (const auto& container : decode_vgpu_pieces(notes.annotations.get(kIds)))
    for (const auto& piece : container)
      for (const auto& card : cards_)
        if (piece.uuid.find(card.uuid) != std::string::npos) {
          found = true;
          memory += static_cast<std::int64_t>(piece.memory) * 1000;
          cores += static_cast<std::int64_t>(piece.cores) * 1000;
        }
  if (!found) return {};
  return {{config_.memory_name, memory}, {config_.core_name, cores}};
}

std::vector<CardUse> VgpuCards::cards() const {
  std::vector<CardUse> all;
  for (const auto& card : cards_) {
    CardUse use(card.uuid, config_.count_name);
    use.share(config_.memory_name, static_cast<double>(card.use.memory), static_cast<double>(card.memory));
    use.share(config_.core_name, static_cast<double>(card.use.cores), static_cast<double>(kAllCores));
    use.amounts.push_back({config_.count_name, static_cast<double>(card.use.sharers), static_cast<double>(card.limit)});
    for (const auto& holder : card.holders) use.pods.push_back(holder.pod);
    all.push_back(std::move(use));
  }
  return all;
}

// -------------------------------------------------------------------------------------------------------- family

class Vgpu final : public DeviceFamily {
 public:
  Vgpu(const DeviceSettings& settings, const VgpuConfig& config) : settings_(settings), config_(config) {}

  bool wants(const DeviceRequest& request) const override { return asks(request, config_); }

  std::unique_ptr<NodeDevices> on(const Node& node) const override {
    const auto* text = node.meta.annotations.find(kRegister);
    if (text == nullptr) return nullptr;
    for (const auto name : {"volcano.sh/vgpu-number", "volcano.sh/vgpu-cores", "volcano.sh/vgpu-memory"}) {
      const auto found = node.allocatable.find(std::string_view(name));
      if (found == node.allocatable.end() || found->second.units() == 0) return nullptr;
    }
    auto registration = read_vgpu_registration(*text, config_);
    if (!registration || registration->cards.empty()) return nullptr;
    return std::make_unique<VgpuCards>(settings_, config_, node.meta.name, std::move(*registration));
  }

  std::string_view lock_name(const DeviceRequest&) const override { return "hamivgpu"; }
  bool locks_last() const override { return true; }
  bool reads_labels() const override { return !settings_.exclusive_rules.empty(); }
  bool scores(const DeviceCycle& cycle) const override { return !cycle.policy.empty(); }

 private:
  const DeviceSettings& settings_;
  const VgpuConfig& config_;
};

}  // namespace

std::unique_ptr<DeviceFamily> make_vgpu(const DeviceSettings& settings, const VgpuConfig& config) {
  return std::make_unique<Vgpu>(settings, config);
}

}  // namespace muster::volcano
