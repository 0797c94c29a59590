#include "policy/volcano/devices/exclusive_cards.h"

#include <algorithm>

namespace muster::volcano {

std::vector<std::size_t> ExclusiveCards::matching(const StringMap& labels) const {
  std::vector<std::size_t> out;
  for (std::size_t rule = 0; rule < rules_.size(); ++rule)
    if (std::all_of(rules_[rule].begin(), rules_[rule].end(), [&](const auto& label) {
          const auto* value = labels.find(label.first);
          return value != nullptr && *value == label.second;
        }))
      out.push_back(rule);
  return out;
}

bool ExclusiveCards::reserved(const StringMap& labels, std::size_t card) const {
  if (cards_.empty()) return false;
  for (const auto rule : matching(labels))
    if (const auto found = cards_.find(rule); found != cards_.end() && found->second.contains(card)) return true;
  return false;
}

void ExclusiveCards::clear() {
  cards_.clear();
  rules_of_.clear();
  on_node_.clear();
}

void ExclusiveCards::arrive(PodId pod, const StringMap& labels, const std::vector<VgpuCard>& cards) {
  if (rules_.empty()) return;
  on_node_.insert(pod);
  give(pod, labels, cards);
}

void ExclusiveCards::give(PodId pod, const StringMap& labels, const std::vector<VgpuCard>& cards) {
  const auto rules = matching(labels);
  if (rules.empty()) return;
  rules_of_[pod] = rules;
  for (const auto& card : cards)
    if (std::any_of(card.holders.begin(), card.holders.end(), [&](const auto& holder) { return holder.pod == pod; }))
      for (const auto rule : rules) cards_[rule].insert(card.index);
}

void ExclusiveCards::keep(PodId pod, const StringMap& labels, std::size_t card) {
  const auto rules = matching(labels);
  if (rules.empty()) return;
  on_node_.insert(pod);
  rules_of_[pod] = rules;
  for (const auto rule : rules) cards_[rule].insert(card);
}

// A card stays reserved as long as another pod of any rule holds it.
void ExclusiveCards::leave(PodId pod, const std::vector<VgpuCard>& cards) {
  const auto known = rules_of_.find(pod);
  if (known == rules_of_.end()) return;
  const auto rules = std::move(known->second);
  rules_of_.erase(known);
  const auto still_used = [&](std::size_t index) {
    for (const auto& card : cards)
      if (card.index == index)
        return std::any_of(card.holders.begin(), card.holders.end(), [&](const auto& holder) {
          return holder.pod != pod && on_node_.contains(holder.pod) && rules_of_.contains(holder.pod);
        });
    return true;  // no such card any more: nothing to decide
  };
  for (const auto rule : rules) {
    const auto reserved = cards_.find(rule);
    if (reserved == cards_.end()) continue;
    std::erase_if(reserved->second, [&](std::size_t index) { return !still_used(index); });
    if (reserved->second.empty()) cards_.erase(reserved);
  }
}

}  // namespace muster::volcano
