#include "policy/volcano/actions/gang_minimum.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "policy/volcano/actions/eviction_nodes.h"
#include "policy/volcano/actions/worksheet.h"
#include "policy/volcano/plugins/gang.h"

namespace muster::volcano {
namespace {

// Whether gang is in the first tier that says who starves.
bool gang_tells_who_starves(Session& session) {
  const auto speaks = [&](const PluginOption& option) {
    const auto* plugin = session.plugin<Plugin>(option.name);
    return plugin != nullptr && plugin->points().contains(Point::kJobStarving) && option.enabled(Hook::kJobStarving);
  };
  for (const auto& tier : session.config().tiers)
    if (std::any_of(tier.plugins.begin(), tier.plugins.end(), speaks))
      return std::any_of(tier.plugins.begin(), tier.plugins.end(), [&](const PluginOption& option) {
        return speaks(option) && session.plugin<Gang>(option.name) != nullptr;
      });
  return false;
}

bool minimum_ends_starving(Session& session) {
  const auto& pipelined = session.chain(Point::kJobPipelined);
  return gang_tells_who_starves(session) &&
         std::all_of(pipelined.begin(), pipelined.end(), [](const Plugin* plugin) { return judges_alike(*plugin); });
}

// Picks pods and counts down what is still lacking.
class Picker {
 public:
  Picker(Session& session, const Job& job)
      : books_(session.books()), lacking_(job.min_available - session.counts(job).ready() - session.counts(job).waiting()) {
    if (session.counts(job).roles_matter())
      for (const auto& role : job.roles)
        roles_[role.name] = role.minimum - role_ready(role) - role.count[static_cast<std::size_t>(PodState::kPipelined)];
    if (job.sub_jobs)
      for (const auto& group : job.sub_jobs->groups()) groups_.push_back(group.minimum - group.pipelined);
    JobWorksheet worksheet(session, job, GatedTasks::kNone);
    while (!worksheet.empty()) {
      auto& sheet = worksheet.next();
      Sheet own{sheet.sub_job ? &(*job.sub_jobs)[sheet.sub_job] : nullptr, {}};
      while (!sheet.tasks.empty()) own.pods.push_back(sheet.tasks.pop());
      sheets_.push_back(std::move(own));
    }
  }

  // False: there are too few pods, or not the right ones.
  bool pick() {
    for (auto& sheet : sheets_)
      if (sheet.sub_job == nullptr || sheet.sub_job->is_pipelined()) sheet.open = true;
    for (auto& sheet : sheets_)
      if (!sheet.open && groups_[sheet.sub_job->group] > 0) open(sheet);
    for (auto& sheet : sheets_)
      if (sheet.open) fill(sheet);
    for (auto& sheet : sheets_)
      if (!sheet.open && (lacking_ > 0 || lacks_role(sheet))) open(sheet), fill(sheet);
    return lacking_ <= 0 && std::none_of(roles_.begin(), roles_.end(), [](const auto& role) { return role.second > 0; });
  }

  std::vector<PodId> picked() && { return std::move(picked_); }

 private:
  struct Sheet {
    const SubJob* sub_job;  // none: the whole job
    std::vector<PodId> pods;
    bool open = false;  // single pods of it count: it is complete, or will be
  };

  // All that the sub-job needs.
  void open(Sheet& sheet) {
    const auto& sub_job = *sheet.sub_job;
    take(sheet, sub_job.missing() - sub_job.of(PodState::kPipelined));
    sheet.open = true;
    --groups_[sub_job.group];
  }
  // As far as the job needs it.
  void fill(Sheet& sheet) {
    take_lacking_roles(sheet, static_cast<std::int64_t>(sheet.pods.size()));
    take(sheet, lacking_);
  }
  // So many pods, of roles that are lacking first.
  void take(Sheet& sheet, std::int64_t count) {
    count -= take_lacking_roles(sheet, count);
    take_if(sheet, count, [](PodId) { return true; });
  }
  std::int64_t take_lacking_roles(Sheet& sheet, std::int64_t most) {
    return roles_.empty() ? 0 : take_if(sheet, most, [&](PodId pod) { return lacks(pod); });
  }
  template <class Wanted>
  std::int64_t take_if(Sheet& sheet, std::int64_t most, Wanted wanted) {
    std::vector<PodId> left;
    std::int64_t taken = 0;
    for (const auto pod : sheet.pods) {
      const bool takes = taken < most && wanted(pod);
      takes ? take(pod) : left.push_back(pod);
      taken += takes;
    }
    sheet.pods = std::move(left);
    return taken;
  }
  void take(PodId pod) {
    picked_.push_back(pod);
    --lacking_;
    if (const auto role = roles_.find(books_.pod(pod).role); role != roles_.end()) --role->second;
  }
  bool lacks(PodId pod) const {
    const auto role = roles_.find(books_.pod(pod).role);
    return role != roles_.end() && role->second > 0;
  }
  bool lacks_role(const Sheet& sheet) const {
    return std::any_of(sheet.pods.begin(), sheet.pods.end(), [&](PodId pod) { return lacks(pod); });
  }

  const Books& books_;
  std::int64_t lacking_;
  boost::unordered_flat_map<SymbolId, std::int64_t> roles_;
  std::vector<std::int64_t> groups_;  // sub-jobs that are lacking
  std::vector<Sheet> sheets_;         // in the order of the worksheet
  std::vector<PodId> picked_;
};

}  // namespace

std::optional<std::vector<PodId>> fewest_to_run(Session& session, const Job& job) {
  if (!minimum_ends_starving(session)) return std::nullopt;
  Picker picker(session, job);
  if (!picker.pick()) return std::nullopt;
  return std::move(picker).picked();
}

}  // namespace muster::volcano
