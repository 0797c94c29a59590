#include <algorithm>
#include <map>

#include "daemon/tape_player.h"

namespace muster::daemon::tape {
namespace {

using ByPod = std::map<std::string, const Placement*>;

ByPod by_pod(const std::vector<Placement>& placements) {
  ByPod out;
  for (const auto& one : placements) out[one.pod] = &one;
  return out;
}

// Each pod that either has, with what both say of it.
template <class Visit>
void for_each_pod(const ByPod& recorded, const ByPod& replayed, Visit visit) {
  for (const auto& [pod, then] : recorded) {
    const auto found = replayed.find(pod);
    visit(pod, then, found == replayed.end() ? nullptr : found->second);
  }
  for (const auto& [pod, now] : replayed)
    if (!recorded.contains(pod)) visit(pod, nullptr, now);
}

void compare_binds(const Decisions& recorded, const Decisions& replayed, Strictly how, std::vector<std::string>& out) {
  for_each_pod(
      by_pod(recorded.binds), by_pod(replayed.binds), [&](const std::string& pod, const Placement* then, const Placement* now) {
        if (now == nullptr)
          out.push_back(pod + " was bound to " + then->node + " and is not bound now");
        else if (then == nullptr)
          out.push_back(pod + " was not bound and is bound to " + now->node + " now");
        else if (then->node != now->node)
          out.push_back(pod + " was bound to " + then->node + " and is bound to " + now->node + " now");
        else if (*then != *now && how == Strictly::kEverything)
          out.push_back(pod + " was bound to " + then->node + " as it is now, but with other devices, annotations or words");
      });
}

void compare_evictions(const Decisions& recorded, const Decisions& replayed, Strictly how, std::vector<std::string>& out) {
  for_each_pod(by_pod(recorded.evictions), by_pod(replayed.evictions),
               [&](const std::string& pod, const Placement* then, const Placement* now) {
                 if (now == nullptr)
                   out.push_back(pod + " was evicted and is not now");
                 else if (then == nullptr)
                   out.push_back(pod + " was not evicted and is now");
                 else if (*then != *now && how == Strictly::kEverything)
                   out.push_back(pod + " was evicted as it is now, but with other words");
               });
}

void compare_others(const Decisions& recorded, const Decisions& replayed, std::vector<std::string>& out) {
  std::map<std::string, std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>>> all;
  for (const auto& one : recorded.others) all[one.what].first.push_back(one.digest);
  for (const auto& one : replayed.others) all[one.what].second.push_back(one.digest);
  for (const auto& [what, both] : all) {
    const auto& [then, now] = both;
    if (then == now) continue;
    if (now.empty())
      out.push_back(what + " was written and is not now");
    else if (then.empty())
      out.push_back(what + " was not written and is now");
    else
      out.push_back(what + " was written as it is now, but with other words");
  }
}

}  // namespace

std::vector<std::string> differences_of(const Decisions& recorded, const Decisions& replayed, Strictly how) {
  std::vector<std::string> out;
  if (recorded == replayed) return out;
  compare_binds(recorded, replayed, how, out);
  compare_evictions(recorded, replayed, how, out);
  if (how == Strictly::kPlaces) return out;
  compare_others(recorded, replayed, out);
  if (out.empty()) out.emplace_back("the same was decided, in another order");
  return out;
}

}  // namespace muster::daemon::tape
