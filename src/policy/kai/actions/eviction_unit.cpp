#include "policy/kai/actions/eviction_unit.h"

#include <algorithm>

namespace muster::kai {
namespace {

class UnitSearch {
 public:
  UnitSearch(Session& session, const Job& job) : session_(session), job_(job) {}

  std::vector<PodId> find() {
    if (auto tasks = surplus(job_.groups.root()); !tasks.empty()) return tasks;
    std::vector<PodId> all;
    append_all(job_.groups.root(), all);
    return all;
  }

 private:
  // Tasks that a part can do without; empty: it needs all that it has.
  std::vector<PodId> surplus(SubGroupId id) {
    const auto& part = job_.part(id);
    if (part.is_pod_set) {
      if (static_cast<std::int64_t>(part.active_allocated) <= part.minimum) return {};
      auto tasks = active(part);
      if (!tasks.empty()) tasks.resize(1);
      return tasks;
    }
    auto members = session_.ordered_members(job_, id);
    std::reverse(members.begin(), members.end());
    for (const auto member : members)
      if (auto tasks = surplus(member); !tasks.empty()) return tasks;
    if (job_.groups.satisfied_members(id) <= part.minimum) return {};
    for (const auto member : members) {
      std::vector<PodId> tasks;
      append_all(member, tasks);
      if (!tasks.empty()) return tasks;
    }
    return {};
  }

  // Last come, first to go.
  std::vector<PodId> active(const SubGroup& part) {
    std::vector<PodId> tasks;
    for (const auto pod : part.pods)
      if (kActiveAllocated.contains(session_.cluster().task(pod).status)) tasks.push_back(pod);
    std::sort(tasks.begin(), tasks.end(), [&](PodId l, PodId r) { return session_.task_before(r, l); });
    return tasks;
  }

  void append_all(SubGroupId id, std::vector<PodId>& out) {
    const auto& part = job_.part(id);
    if (part.is_pod_set) {
      const auto tasks = active(part);
      out.insert(out.end(), tasks.begin(), tasks.end());
      return;
    }
    auto members = session_.ordered_members(job_, id);
    std::reverse(members.begin(), members.end());
    for (const auto member : members) append_all(member, out);
  }

  Session& session_;
  const Job& job_;
};

}  // namespace

std::vector<PodId> eviction_unit(Session& session, const Job& job) { return UnitSearch(session, job).find(); }

}  // namespace muster::kai
