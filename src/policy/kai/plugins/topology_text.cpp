#include <algorithm>
#include <fmt/ranges.h>
#include <tuple>

#include "policy/kai/original_text.h"
#include "policy/kai/plugins/topology.h"
#include "policy/kai/session.h"

// What is said when no domain takes a part of a job.

namespace muster::kai {
namespace {

bool has_name(const std::string& sub_group) { return !sub_group.empty() && sub_group != SubGroups::kDefault; }

std::string whose(const Job& job, SubGroupId part) {
  const auto& name = job.part(part).name;
  return has_name(name) ? "subgroup " + name + " of job " + job.name : "job " + job.name;
}

std::string no_domain(const Job& job, SubGroupId part) {
  return "no domain of topology " + job.part(part).constraint.topology + " has room for " + whose(job, part);
}

std::string tell_no_match(const Job& job, SubGroupId part) {
  const auto& [name, constraint] = std::tie(job.part(part).name, job.part(part).constraint);
  return fmt::format("topology {}, requirement {} couldn't be satisfied for job <{}/{}>{}", constraint.topology,
                     constraint.required_level, job.ns, job.name, has_name(name) ? ", subgroup " + name : "");
}

// The first few of them.
std::string domain_names(const DomainTree& tree, const std::vector<DomainId>& domains) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(domains.size(), kNamed); ++i) text.append(i == 0 ? "" : ", ").append(tree[domains[i]].name);
  return domains.size() <= kNamed ? text : text + " and " + std::to_string(domains.size() - kNamed) + " more";
}

// Of a resource, in the original's words and numbers.
struct ToldDomainLack {
  std::string what, short_what, requested, available;
};
ToldDomainLack tell_lack(const Session& session, ResourceId id, double asked, double free) {
  const auto in = [&](const char* what, double unit) {
    return ToldDomainLack{what, what, cut_number(asked / unit), cut_number(free / unit)};
  };
  if (id == session.cluster().gpu()) return {"resource: GPUs", "resources: GPUs", short_number(asked), short_number(free)};
  if (id == kCpu) return in("resources: CPU cores", kMilliPerCore);
  if (id == kMemory) return in("resources: memory", kBytesPerGb);
  const auto& resource = id == kPodCount ? std::string("pods") : session.books().resource_name(id);
  const auto whole = [&](double amount) {
    return std::to_string(static_cast<std::int64_t>(amount / static_cast<double>(books_per_unit(resource))));
  };
  return {"resource: " + resource, (is_mig(resource) ? "of mig profile: " : "resources: ") + resource, whole(asked), whole(free)};
}

}  // namespace

void Topology::note_too_little(Job& job, SubGroupId part, const DomainTree& tree, DomainId common) {
  const auto& name = tree[common].name;
  job.fail(FitReason::kPodSchedulingErrors, no_domain(job, part) + ": " + name + " has not enough",
           tell_no_match(job, part) + ": not enough resources in " + (tree[common].depth == 0 ? "the cluster" : name) +
               " to allocate the job");
}

void Topology::note_full(Job& job, SubGroupId part, const DomainRooms::View& view, const Tried& tried) const {
  const auto& tree = *tried.tree;
  std::vector<DomainId> full;
  for (const auto domain : tree.at_depth(tried.widest))
    if (may_take(tree, tried.held, domain)) full.push_back(domain);
  for (const auto domain : full) {
    job.errors.push_back(tell_full(view, tried, domain, job.part(part).name));
    job.errors.back().message = tree[domain].name + " has not enough for " + whose(job, part);
  }
  const auto who = full.empty() ? "" : ": " + domain_names(tree, full) + (full.size() == 1 ? " has" : " have") + " not enough";
  job.fail(FitReason::kPodSchedulingErrors, no_domain(job, part) + who, tell_no_match(job, part));
}

// In the original's words. Where none of the nodes in question is, nothing counts as free.
JobFitError Topology::tell_full(const DomainRooms::View& view, const Tried& tried, DomainId domain,
                                const std::string& sub_group) const {
  JobFitError error{FitReason::kNotEnoughResources, {}};
  const auto& name = (*tried.tree)[domain].name;
  const bool counts = tried.tree->is_within(domain, tried.common);
  std::vector<std::string> details;
  if (view.demand().alike) {
    error.told.push_back(fmt::format("node-group {} can allocate only {} of {} required pods", name,
                                     counts ? view.takes(domain) : 0, view.demand().tasks));
    details.push_back(error.told.front());
  }
  for (std::size_t r = 0; !view.demand().alike && r < view.demand().sum.size(); ++r) {
    const auto asked = view.demand().sum[r], free = counts ? view.free(r, domain) : 0;
    if (asked <= free) continue;
    const auto lack = tell_lack(session(), ResourceId(r), asked, free);
    details.push_back(
        fmt::format("{} didn't have enough {}, requested: {}, available: {}", name, lack.what, lack.requested, lack.available));
    error.told.push_back("node-group(s) didn't have enough " + lack.short_what);
  }
  error.detail =
      fmt::format("<{}>: {}{}", name, has_name(sub_group) ? "subgroup " + sub_group + ": " : "", fmt::join(details, ", "));
  return error;
}

}  // namespace muster::kai
