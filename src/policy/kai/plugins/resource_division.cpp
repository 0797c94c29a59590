#include "policy/kai/plugins/resource_division.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace muster::kai {
namespace {

struct Remainder {
  QueueShare* queue;
  double amount;
};

// One resource, divided among sibling queues.
class Division {
 public:
  Division(Share share, double k) : share_(share), k_(k) {}

  void run(double total, const std::vector<QueueShare*>& queues) {
    left_ = total;
    for (auto* queue : queues) give(*queue, std::min(deserved_of(*queue, total), queue->requestable(share_)));
    if (left_ <= 0) return;
    std::map<std::int32_t, std::vector<QueueShare*>, std::greater<>> by_priority;
    for (auto* queue : queues) by_priority[queue->priority].push_back(queue);
    std::vector<std::vector<Remainder>> remainders;
    for (const auto& [priority, group] : by_priority) remainders.push_back(divide_by_weight(group));
    for (auto& group : remainders) deal(group);
  }

 private:
  double deserved_of(const QueueShare& queue, double total) const {
    return queue.deserved[share_] == kUnlimited ? total : queue.deserved[share_];
  }
  void give(QueueShare& queue, double amount) {
    queue.fair_share[share_] += amount;
    left_ -= amount;
  }
  bool is_satisfied(const QueueShare& queue) const {
    const auto fair = queue.fair_share[share_];
    return queue.request[share_] <= fair || (queue.limit[share_] != kUnlimited && queue.limit[share_] <= fair);
  }
  double wanted_by(const QueueShare& queue) const { return std::max(0.0, queue.requestable(share_) - queue.fair_share[share_]); }

  // The weights of those that want more, lowered by what they used; empty when nobody gets anything.
  std::vector<double> weights_of(const std::vector<QueueShare*>& queues, double& sum) const {
    double total = 0;
    for (const auto* queue : queues)
      if (wanted_by(*queue) > 0) total += queue->weight[share_];
    sum = 0;
    std::vector<double> weights(queues.size(), 0);
    if (total == 0) return weights;
    for (std::size_t i = 0; i < queues.size(); ++i) {
      if (is_satisfied(*queues[i])) continue;
      const auto weight = queues[i]->weight[share_] / total;
      weights[i] = std::max(0.0, weight + k_ * (weight - queues[i]->usage[share_]));
      sum += weights[i];
    }
    return weights;
  }

  std::vector<Remainder> divide_by_weight(const std::vector<QueueShare*>& queues) {
    std::vector<Remainder> remainders;
    for (bool another = true; another && left_ != 0;) {
      another = false;
      const auto at_start = left_;
      double sum = 0;
      const auto weights = weights_of(queues, sum);
      if (sum == 0) break;
      for (std::size_t i = 0; i < queues.size() && left_ != 0; ++i) {
        auto& queue = *queues[i];
        if (is_satisfied(queue) || queue.weight[share_] == 0) continue;
        const auto wanted = wanted_by(queue);
        const auto fair = at_start * (weights[i] / sum);
        std::erase_if(remainders,
                      [&](const Remainder& r) { return r.queue == &queue && (wanted <= fair || fair > std::floor(fair)); });
        const auto given = wanted <= fair ? wanted : std::floor(fair);
        if (wanted > fair && fair - given > 0) remainders.push_back({&queue, fair - given});
        if (given == 0) continue;
        give(queue, given);
        another |= wanted < fair;
      }
    }
    return remainders;
  }

  void deal(std::vector<Remainder>& remainders) {
    if (left_ <= 0) return;
    std::sort(remainders.begin(), remainders.end(), [](const Remainder& l, const Remainder& r) {
      if (l.amount != r.amount) return l.amount > r.amount;
      if (l.queue->created != r.queue->created) return l.queue->created < r.queue->created;
      return l.queue->name < r.queue->name;
    });
    for (const auto& remainder : remainders) {
      if (left_ == 0) return;
      give(*remainder.queue, std::min(1.0, left_));
    }
  }

  Share share_;
  double k_;
  double left_ = 0;
};

}  // namespace

void divide(const Quantities& total, double k, const std::vector<QueueShare*>& queues) {
  for (const auto share : kShares) Division(share, k).run(total[share], queues);
}

}  // namespace muster::kai
