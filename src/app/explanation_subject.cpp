#include "app/explanation_subject.h"

#include "app/printable_text.h"
#include "base/nearest_name.h"

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

Error unknown(const NamedJobs& jobs, const std::string& name) {
  const bool qualified = name.find('/') != std::string::npos;
  std::vector<std::string_view> names;
  for (const auto& [id, key] : jobs.all())
    names.push_back(qualified ? std::string_view(key) : std::string_view(key).substr(key.find('/') + 1));
  const auto near = nearest_name(name, names);
  return Error("no job and no pod of this scheduler is called \"" + name + "\"" +
               (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
}

Result<Subject> find_pod(const Books& books, const NamedJobs& jobs, const std::string& name) {
  std::vector<PodId> found;
  std::vector<std::string> keys;
  for (const auto id : IdRange<PodId>(books.pod_count()))
    if (!books.removed(id) && books.pod(id).name.size() <= name.size() && is_named(books.pod_key(id), name)) {
      found.push_back(id);
      keys.push_back(books.pod_key(id));
    }
  if (found.empty()) return fail(unknown(jobs, name));
  if (found.size() > 1) return fail(ambiguous(name, keys));
  const auto group = books.pod(found.front()).group;
  if (!group) return fail("pod " + keys.front() + " belongs to no PodGroup, so this scheduler does not place it");
  return Subject{group, found.front()};
}

}  // namespace

void NamedJobs::add(GroupId id, std::string name) {
  const auto& job = jobs_.emplace_back(id, std::move(name));
  by_name_[job.second].push_back(&job);
}

std::vector<const NamedJobs::Job*> NamedJobs::meant_by(std::string_view name) const {
  if (name.find('/') != std::string_view::npos) {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::vector<const Job*>() : found->second;
  }
  std::vector<const Job*> out;
  for (const auto& job : jobs_)
    if (is_named(job.second, name)) out.push_back(&job);
  return out;
}

Result<Subject> find_subject(const Books& books, const NamedJobs& jobs, const std::string& name) {
  const auto found = jobs.meant_by(name);
  if (found.empty()) return find_pod(books, jobs, name);
  if (found.size() == 1) return Subject{found.front()->first, PodId()};
  std::vector<std::string> keys;
  for (const auto* job : found) keys.push_back(job->second);
  return fail(ambiguous(name, keys));
}

}  // namespace muster
