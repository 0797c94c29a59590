#include "app/explanation_subject.h"

#include <algorithm>

#include "app/printable_text.h"
#include "base/lower_case.h"
#include "base/nearest_name.h"
#include "model/workload.h"

namespace muster {
namespace {

bool is_named(std::string_view key, std::string_view name) {
  if (key == name) return true;
  return name.find('/') == std::string_view::npos && key.size() > name.size() && key.ends_with(name) &&
         key[key.size() - name.size() - 1] == '/';
}

Error ambiguous(const std::string& name, const std::vector<std::string>& keys) {
  return Error("\"" + name + "\" is the name of several: " + listed(keys, 5) + "; say which");
}

Error ambiguous(const std::string& name, const std::vector<const NamedJobs::Job*>& meant) {
  std::vector<std::string> keys;
  for (const auto* job : meant) keys.push_back(with_workload(job->name, job->workload));
  return ambiguous(name, keys);
}

std::string_view without_namespace(std::string_view key) { return key.substr(key.find('/') + 1); }
std::string_view namespace_of(std::string_view key) { return key.substr(0, key.find('/')); }

Error unknown(const NamedJobs& jobs, const std::string& name) {
  const auto near = jobs.nearest(name);
  return Error("no job and no pod of this scheduler is called \"" + name + "\"" +
               (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
}

// The job of that name, of those that a name may mean: one.
Result<Subject> only_one(const std::vector<const NamedJobs::Job*>& meant, const std::string& name) {
  if (meant.size() == 1) return Subject{meant.front()->id, PodId()};
  return fail(ambiguous(name, meant));
}

Result<Subject> find_workload(const NamedJobs& jobs, const std::string& name) {
  const auto called = jobs.called(name);
  return called.empty() ? fail(unknown(jobs, name)) : only_one(called, name);
}

Result<Subject> find_pod(const Books& books, const NamedJobs& jobs, const std::string& name) {
  std::vector<PodId> found;
  std::vector<std::string> keys;
  for (const auto id : IdRange<PodId>(books.pod_count()))
    if (!books.removed(id) && name.ends_with(books.pod(id).name) && is_named(books.pod_key(id), name)) {
      found.push_back(id);
      keys.push_back(books.pod_key(id));
    }
  if (found.empty()) return find_workload(jobs, name);
  if (found.size() > 1) return fail(ambiguous(name, keys));
  const auto group = books.pod(found.front()).group;
  if (!group) return fail("pod " + keys.front() + " belongs to no PodGroup, so this scheduler does not place it");
  return Subject{group, found.front()};
}

}  // namespace

void NamedJobs::add(GroupId id, std::string name, std::string workload) {
  const auto& job = jobs_.emplace_back(Job{id, std::move(name), std::move(workload)});
  by_name_[job.name].push_back(&job);
}

std::vector<const NamedJobs::Job*> NamedJobs::meant_by(std::string_view name) const {
  if (name.find('/') != std::string_view::npos) {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::vector<const Job*>() : found->second;
  }
  std::vector<const Job*> out;
  for (const auto& job : jobs_)
    if (is_named(job.name, name)) out.push_back(&job);
  return out;
}

std::vector<const NamedJobs::Job*> NamedJobs::called(std::string_view name) const {
  const auto typed = lower_case(name);
  const auto last = typed.substr(typed.rfind('/') + 1);
  const auto begins_so = [&](std::string_view own) { return begins_in_any_case(own, last); };
  std::vector<const Job*> out;
  for (const auto& job : jobs_) {
    if (!begins_so(name_in_workload(job.workload)) && !begins_so(without_namespace(job.name))) continue;  // most, without all names
    const auto names = names_of_job(job.name, job.workload);
    if (std::ranges::any_of(names, [&](const std::string& key) { return is_named(key, typed); })) out.push_back(&job);
  }
  return out;
}

std::string NamedJobs::nearest(const std::string& name) const {
  if (name.empty() || jobs_.size() > kMostCompared) return {};
  const bool qualified = name.find('/') != std::string::npos;
  NearestName near(name);
  std::string begins_so;
  std::size_t compared = 0;
  const auto compare = [&](std::string_view key) {
    ++compared;
    near.consider(key);
    if (begins_so.empty() && key.starts_with(name)) begins_so = key;
  };
  std::string key;
  for (const auto& job : jobs_) {
    const auto own = without_namespace(job.name);
    compare(qualified ? std::string_view(job.name) : own);
    for (const auto& workload : workload_names(job.workload)) {
      if (workload.name == own) continue;
      if (qualified) key.assign(namespace_of(job.name)).append("/").append(workload.name);
      compare(qualified ? key : workload.name);
    }
    if (compared > kMostCompared) return {};
  }
  return near.found().empty() ? begins_so : near.found();
}

Result<const NamedJobs::Job*> NamedJobs::find(const std::string& name) const {
  auto meant = meant_by(name);
  if (meant.empty()) meant = called(name);
  if (meant.size() > 1) return fail(ambiguous(name, meant));
  return meant.empty() ? nullptr : meant.front();
}

Result<Subject> find_subject(const Books& books, const NamedJobs& jobs, const std::string& name) {
  const auto found = jobs.meant_by(name);
  return found.empty() ? find_pod(books, jobs, name) : only_one(found, name);
}

}  // namespace muster
