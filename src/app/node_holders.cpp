#include "app/node_holders.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "app/amount_text.h"
#include "app/printable_text.h"

namespace muster {

Holders holders_on(const Books& books, NodeId node, const std::function<double(PodId)>& held,
                   const std::function<std::string(GroupId)>& name_of) {
  std::map<std::string, double> sums;
  for (const auto pod : books.pods_on(node)) {
    const auto amount = held(pod);
    const auto group = books.pod(pod).group;
    if (amount > 0) sums[group ? name_of(group) : books.pod_key(pod)] += amount;
  }
  Holders out(sums.begin(), sums.end());
  std::ranges::stable_sort(out, std::ranges::greater(), &Holders::value_type::second);
  return out;
}

std::string amount_of(const std::string& resource, double amount) { return amount_text(resource, amount) + " of " + resource; }

std::string holders_text(const std::string& resource, const Holders& holders) {
  std::vector<std::string> names;
  for (const auto& [name, amount] : holders) names.push_back(fmt::format("{} holds {}", name, amount_of(resource, amount)));
  return listed(names, kMostNamed);
}

std::string freeing_text(const ClosestNode& closest, const std::string& own_job, bool names_node) {
  std::vector<std::string> missing;
  for (const auto& shortage : closest.shortages)
    missing.push_back(
        fmt::format("{} more of {}", amount_text(shortage.resource, shortage.asked - shortage.free), shortage.resource));
  auto text = "free " + listed(missing, kMostNamed);
  if (names_node) text += fmt::format(" on {}, the closest node", closest.name);
  auto others = closest.held_by;
  std::erase_if(others, [&](const auto& holder) { return holder.first == own_job; });
  if (!others.empty()) text += fmt::format(" ({})", holders_text(closest.shortages.front().resource, others));
  return text;
}

}  // namespace muster
