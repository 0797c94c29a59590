#include "policy/volcano/devices/gpu_share.h"

#include <algorithm>

#include "base/split.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kGpuMemory = "volcano.sh/gpu-memory";
constexpr std::string_view kNumber = "volcano.sh/gpu-number";
constexpr std::string_view kIndex = "volcano.sh/gpu-index";
constexpr std::string_view kUnhealthy = "volcano.sh/gpu-unhealthy-ids";
constexpr std::int64_t kMostCards = 4096;  // a node that claims more claims nonsense

std::int64_t limit_of(const DeviceRequest::Container& container, std::string_view name) {
  const auto found = container.limits.find(name);
  return found == container.limits.end() ? 0 : found->second.units();
}

// What a pod needs at once: all regular containers together, or the largest init container.
std::int64_t demand(const DeviceRequest& request, std::string_view name) {
  std::int64_t together = 0, largest = 0;
  for (const auto& container : request.containers) together += limit_of(container, name);
  for (const auto& container : request.init_containers) largest = std::max(largest, limit_of(container, name));
  return std::max(together, largest);
}

// The card numbers of an annotation; none when any of them is no number.
std::vector<std::int64_t> card_numbers(const DeviceNotes& notes) {
  std::vector<std::int64_t> numbers;
  const auto* text = notes.annotations.find(kIndex);
  if (text == nullptr) return numbers;
  for (const auto piece : split(*text, ',')) {
    const auto number = parse_integer(piece);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

struct Card {
  std::int64_t id = 0;
  struct Sharer {
    PodId pod;
    std::int64_t memory = 0;
  };
  std::vector<Sharer> sharers;

  std::int64_t used() const {
    std::int64_t sum = 0;
    for (const auto& sharer : sharers) sum += sharer.memory;
    return sum;
  }
  bool is_whole() const {
    return std::any_of(sharers.begin(), sharers.end(), [](const Sharer& sharer) { return sharer.memory == 0; });
  }
  void add(PodId pod, std::int64_t memory) {
    remove(pod);
    sharers.push_back({pod, memory});
  }
  void remove(PodId pod) {
    std::erase_if(sharers, [&](const Sharer& sharer) { return sharer.pod == pod; });
  }
};

class GpuShareCards final : public NodeDevices {
 public:
  GpuShareCards(const DeviceSettings& settings, const std::string& node, std::int64_t memory, std::vector<Card> cards)
      : by_memory_(settings.gpu_share),
        by_number_(settings.gpu_number),
        memory_(memory),
        cards_(std::move(cards)),
        no_memory_("GpuShare no enough gpu memory on node " + node),
        no_cards_("GpuNumber no enough gpu number on node " + node) {}

  DeviceAnswer filter(const DeviceAsk& ask, const DeviceCycle&) override {
    const auto memory = demand(ask.request, kGpuMemory);
    if (by_memory_ && memory > 0 && card_with(memory) == nullptr) return {FitCode::kUnschedulable, no_memory_};
    const auto number = demand(ask.request, kNumber);
    if (by_number_ && number > 0 && idle_cards() < number) return {FitCode::kUnschedulable, no_cards_};
    return {};
  }

  std::optional<StringMap> allocate(const DeviceAsk& ask, const DeviceCycle& cycle) override {
    std::string index;
    if (const auto memory = demand(ask.request, kGpuMemory); memory > 0) {
      auto* card = card_with(memory);
      if (card == nullptr) return std::nullopt;
      card->add(ask.pod, memory);
      index = std::to_string(card->id);
    } else {
      auto open = demand(ask.request, kNumber);
      if (idle_cards() < open) return std::nullopt;
      for (auto& card : cards_) {
        if (open == 0) break;
        if (!card.sharers.empty()) continue;
        --open;
        card.add(ask.pod, 0);
        index.append(index.empty() ? "" : ",").append(std::to_string(card.id));
      }
    }
    StringMap annotations;
    annotations.set("volcano.sh/predicate-time", std::to_string(cycle.now.seconds * 1'000'000'000 + cycle.now.nanos));
    annotations.set(std::string(kIndex), std::move(index));
    return annotations;
  }

  void release(const DeviceAsk& ask, const DeviceCycle&) override { take_away(ask); }
  void clear() override {
    for (auto& card : cards_) card.sharers.clear();
  }
  void hold(const DeviceAsk& ask, const DeviceNotes& notes, const DeviceCycle&) override {
    const auto memory = demand(ask.request, kGpuMemory);
    if (memory <= 0 && demand(ask.request, kNumber) <= 0) return;
    for (const auto number : card_numbers(notes))
      for (auto& card : cards_)
        if (card.id == number) card.add(ask.pod, memory);
  }
  void drop(const DeviceAsk& ask) override {
    if (demand(ask.request, kGpuMemory) > 0 || demand(ask.request, kNumber) > 0) take_away(ask);
  }

  // A pod that asked by number has whole cards.
  std::vector<CardUse> cards() const override {
    std::vector<CardUse> all;
    for (const auto& card : cards_) {
      CardUse use(std::to_string(card.id), std::string(kNumber));
      if (by_memory_) use.share(std::string(kGpuMemory), static_cast<double>(card.used()), static_cast<double>(memory_));
      if (by_number_) use.share(std::string(kNumber), card.is_whole() ? 1 : 0, 1);
      for (const auto& sharer : card.sharers) use.pods.push_back(sharer.pod);
      all.push_back(std::move(use));
    }
    return all;
  }

 private:
  // The first card with so much memory left.
  Card* card_with(std::int64_t memory) {
    const auto found = std::find_if(cards_.begin(), cards_.end(),
                                    [&](const Card& card) { return std::max<std::int64_t>(memory_ - card.used(), 0) >= memory; });
    return found == cards_.end() ? nullptr : &*found;
  }
  std::int64_t idle_cards() const {
    return std::count_if(cards_.begin(), cards_.end(), [](const Card& card) { return card.sharers.empty(); });
  }
  // From the cards that its annotation names, or from all when it names none.
  void take_away(const DeviceAsk& ask) {
    const auto numbers = card_numbers(ask.notes);
    for (auto& card : cards_)
      if (numbers.empty() || std::find(numbers.begin(), numbers.end(), card.id) != numbers.end()) card.remove(ask.pod);
  }

  bool by_memory_;
  bool by_number_;
  std::int64_t memory_;  // of one card
  std::vector<Card> cards_;
  std::string no_memory_;
  std::string no_cards_;
};

class GpuShare final : public DeviceFamily {
 public:
  explicit GpuShare(const DeviceSettings& settings) : settings_(settings) {}

  bool wants(const DeviceRequest& request) const override {
    return (settings_.gpu_share && demand(request, kGpuMemory) > 0) || (settings_.gpu_number && demand(request, kNumber) > 0);
  }

  std::unique_ptr<NodeDevices> on(const Node& node) const override {
    const auto memory = node.capacity.find(kGpuMemory);
    const auto number = node.capacity.find(kNumber);
    if (memory == node.capacity.end() || number == node.capacity.end() || number->second.units() == 0) return nullptr;
    const auto count = std::clamp<std::int64_t>(number->second.units(), 0, kMostCards);
    std::vector<Card> cards;
    for (std::int64_t id = 0; id < count; ++id) cards.push_back({id, {}});
    if (const auto* unhealthy = node.meta.annotations.find(kUnhealthy))
      for (const auto piece : split(*unhealthy, ','))
        std::erase_if(cards, [&](const Card& card) { return parse_integer(piece) == card.id; });
    return std::make_unique<GpuShareCards>(settings_, node.meta.name, memory->second.units() / number->second.units(),
                                           std::move(cards));
  }

  std::string_view lock_name(const DeviceRequest& request) const override { return demand(request, kGpuMemory) > 0 ? "gpu" : ""; }

 private:
  DeviceSettings settings_;
};

}  // namespace

std::unique_ptr<DeviceFamily> make_gpu_share(const DeviceSettings& settings) { return std::make_unique<GpuShare>(settings); }

}  // namespace muster::volcano
