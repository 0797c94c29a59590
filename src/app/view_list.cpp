#include "app/view_list.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "app/name_filter.h"
#include "app/view_tables.h"
#include "base/lower_case.h"
#include "base/nearest_name.h"
#include "model/workload.h"

namespace muster {
namespace {

// The member by which things of a kind are called.
std::string_view name_key(ViewKind kind) {
  switch (kind) {
    case ViewKind::kQueues: return "queue";
    case ViewKind::kJobs: return "job";
    case ViewKind::kNodes: return "node";
    case ViewKind::kDecisions: return "pod";
  }
  return "";
}

// All names of a thing: a job may be called by its workload, too.
std::vector<std::string> keys_of(ViewKind kind, const Json& item) {
  auto key = text_at(&item, name_key(kind));
  if (kind == ViewKind::kJobs) return names_of_job(key, text_at(&item, "workload"));
  return {std::move(key)};
}

bool is_called(ViewKind kind, const Json& item, const NameFilter& names) {
  return std::ranges::any_of(keys_of(kind, item), [&](const std::string& key) { return names.chooses_key(key); });
}

bool is_one_of(const std::vector<std::string>& wanted, const std::string& text) {
  return wanted.empty() || std::ranges::find(wanted, text) != wanted.end();
}

// A job that is gone has no other name than that of its decisions.
bool is_of_job(const ViewChoice& choice, const Json& decision) {
  const NameFilter jobs(choice.jobs);
  return std::ranges::any_of(std::array{"job", "for_job"}, [&](const char* member) {
    const auto job = text_at(&decision, member);
    return jobs.chooses_key(job) || choice.called.contains(job);
  });
}

// The name of which only the end was typed, "gpu" of "nvidia.com/gpu", or one that looks alike.
std::string nearest_of(const std::string& typed, const std::vector<std::string>& known) {
  const auto whole = std::ranges::find_if(known, [&](const std::string& name) { return name.ends_with("/" + typed); });
  const auto near = whole != known.end() ? *whole : nearest_name(typed, std::vector<std::string_view>(known.begin(), known.end()));
  return near.empty() ? "" : "; did you mean \"" + near + "\"?";
}

// A name that looks alike, and the pattern that chooses names of which only the beginning was typed.
std::string others_called(const std::string& typed, const std::vector<std::string>& known) {
  const bool is_beginning = std::ranges::any_of(known, [&](const std::string& name) { return name.starts_with(typed); });
  auto near = nearest_of(typed, known);
  if (is_beginning) near += (near.empty() ? "; '" : " '") + typed + "*' chooses all that begin so";
  return near;
}

// Who asks for the decisions of a job may take it for their name.
std::string taken_for_pod(const std::string& name, const std::vector<const Json*>& decisions) {
  const NameFilter names({name});
  const auto is_its_job = [&](const Json* decision) { return names.chooses_key(text_at(decision, "job")); };
  return std::ranges::any_of(decisions, is_its_job) ? "; those of the job of that name: --job " + name : std::string();
}

// Decisions are called by what they are about.
std::string nothing_called(ViewKind kind, const std::string& name) {
  const auto thing = std::string(name_key(kind));
  return (kind == ViewKind::kDecisions ? "no decision is about a " + thing + " called" : "no " + thing + " is called") + " \"" +
         name + "\"";
}

}  // namespace

std::string_view name_of(ViewKind kind) {
  switch (kind) {
    case ViewKind::kQueues: return "queues";
    case ViewKind::kJobs: return "jobs";
    case ViewKind::kNodes: return "nodes";
    case ViewKind::kDecisions: return "decisions";
  }
  return "";
}

std::vector<NamedElsewhere> named_elsewhere(const ViewChoice& choice) {
  std::vector<NamedElsewhere> named;
  if (!choice.queues.empty()) named.push_back({ViewKind::kQueues, choice.queues});
  if (!choice.jobs.empty()) named.push_back({ViewKind::kJobs, choice.jobs});
  if (!choice.nodes.empty()) named.push_back({ViewKind::kNodes, choice.nodes});
  return named;
}

Result<ViewList> ViewList::read(ViewKind kind, std::string json, ViewChoice choice) {
  ViewList view;
  view.kind_ = kind;
  view.choice_ = std::move(choice);
  view.text_ = std::make_unique<const std::string>(std::move(json));
  auto document = read_json(*view.text_);
  const auto* list = document ? document->find(name_of(kind)) : nullptr;
  if (list == nullptr || list->kind != Json::Kind::kList) return fail("the answer is no list of " + std::string(name_of(kind)));
  view.document_ = std::make_unique<const Json>(std::move(*document));
  for (const auto& item : view.document_->find(name_of(kind))->items) view.all_.push_back(&item);
  if (auto checked = view.check_names(); !checked) return fail(std::move(checked.error()));
  if (auto checked = view.check_resources(); !checked) return fail(std::move(checked.error()));
  for (const auto* item : view.all_)
    if (view.chooses(*item) && view.chosen_.size() < view.choice_.most.value_or(view.all_.size())) view.chosen_.push_back(item);
  return view;
}

// Who names one thing wants to hear that it does not exist; a pattern may choose nothing.
Result<void> ViewList::check_names() const {
  if (choice_.names.empty()) return {};
  std::vector<std::string> keys;
  for (const auto* item : all_) std::ranges::move(keys_of(kind_, *item), std::back_inserter(keys));
  const auto unknown = NameFilter(choice_.names).unknown_among_keys(keys);
  if (unknown.empty()) return {};
  if (kind_ == ViewKind::kDecisions)
    if (const auto job = taken_for_pod(unknown.front(), all_); !job.empty())
      return fail(nothing_called(kind_, unknown.front()) + job);
  if (unknown.front().find('/') == std::string::npos)
    for (auto& key : keys) key.erase(0, key.rfind('/') + 1);
  return fail(nothing_called(kind_, unknown.front()) + others_called(lower_case(unknown.front()), keys));
}

Result<void> ViewList::check_resources() const {
  std::set<std::string> known;
  for (const auto* item : all_)
    if (const auto* resources = item->find("resources"))
      for (const auto& [resource, amounts] : resources->members) known.insert(resource);
  if (known.empty()) return {};  // nobody has anything, and the table says so
  const std::vector<std::string> names(known.begin(), known.end());
  const auto unknown = NameFilter(choice_.resources).unknown_among(names);
  if (unknown.empty()) return {};
  return fail("no " + std::string(name_key(kind_)) + " has a resource called \"" + unknown.front() + "\"" +
              nearest_of(unknown.front(), names));
}

std::vector<std::string> ViewList::not_here(const NamedElsewhere& named) const {
  std::vector<std::string> here;
  for (const auto* item : all_) {
    here.push_back(text_at(item, name_key(named.kind)));
    if (named.kind == ViewKind::kJobs) here.push_back(text_at(item, "for_job"));
  }
  return NameFilter(named.names).unknown_among_keys(here);
}

std::set<std::string> ViewList::jobs_called(const std::vector<std::string>& patterns) const {
  std::set<std::string> jobs;
  for (const auto* item : all_)
    if (is_called(kind_, *item, NameFilter(patterns))) jobs.insert(text_at(item, name_key(kind_)));
  return jobs;
}

bool ViewList::chooses(const Json& item) const {
  if (!is_called(kind_, item, NameFilter(choice_.names))) return false;
  switch (kind_) {
    case ViewKind::kQueues:
    case ViewKind::kNodes: return true;
    case ViewKind::kJobs:
      return NameFilter(choice_.queues).chooses_key(text_at(&item, "queue")) &&
             is_one_of(choice_.states, text_at(&item, "state")) && is_one_of(choice_.reasons, text_at(item.find("reason"), "code"));
    case ViewKind::kDecisions:
      return is_one_of(choice_.kinds, text_at(&item, "kind")) && is_of_job(choice_, item) &&
             NameFilter(choice_.nodes).chooses_key(text_at(&item, "node"));
  }
  return false;
}

std::string ViewList::json() const {
  std::string out = "{" + json_string(name_of(kind_)) + ":[";
  for (const auto* item : chosen_) {
    if (item != chosen_.front()) out += ',';
    out += item->raw;
  }
  return out + "]}";
}

std::string ViewList::table(Page page) const {
  switch (kind_) {
    case ViewKind::kQueues: return queues_table(*this, choice_.resources, page);
    case ViewKind::kJobs: return jobs_table(*this, page);
    case ViewKind::kNodes: return nodes_table(*this, choice_.resources, page);
    case ViewKind::kDecisions: return decisions_table(*this, page);
  }
  return "";
}

}  // namespace muster
