#include "app/view_list.h"

#include <algorithm>

#include "app/name_filter.h"
#include "app/view_tables.h"
#include "base/nearest_name.h"

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

bool is_one_of(const std::vector<std::string>& wanted, const std::string& text) {
  return wanted.empty() || std::ranges::find(wanted, text) != wanted.end();
}

bool is_of_job(const NameFilter& jobs, const Json& decision) {
  return jobs.chooses_key(text_at(&decision, "job")) || jobs.chooses_key(text_at(&decision, "for_job"));
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
  for (const auto* item : view.all_)
    if (view.chooses(*item) && view.chosen_.size() < view.choice_.most.value_or(view.all_.size())) view.chosen_.push_back(item);
  return view;
}

// Who names one thing wants to hear that it does not exist; a pattern may choose nothing. Decisions come and go.
Result<void> ViewList::check_names() const {
  if (kind_ == ViewKind::kDecisions || choice_.names.empty()) return {};
  std::vector<std::string> keys;
  for (const auto* item : all_) keys.push_back(text_at(item, name_key(kind_)));
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  const auto unknown = NameFilter(choice_.names).unknown_among(views);
  if (unknown.empty()) return {};
  std::vector<std::string_view> comparable = views;
  if (unknown.find('/') == std::string::npos)
    for (auto& key : comparable) key = key.substr(key.find('/') + 1);
  const auto near = nearest_name(unknown, comparable);
  return fail("no " + std::string(name_key(kind_)) + " is called \"" + unknown + "\"" +
              (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
}

bool ViewList::chooses(const Json& item) const {
  const NameFilter names(choice_.names);
  if (!names.chooses_key(text_at(&item, name_key(kind_)))) return false;
  switch (kind_) {
    case ViewKind::kQueues:
    case ViewKind::kNodes: return true;
    case ViewKind::kJobs:
      return NameFilter(choice_.queues).chooses(text_at(&item, "queue")) && is_one_of(choice_.states, text_at(&item, "state")) &&
             is_one_of(choice_.reasons, text_at(item.find("reason"), "code"));
    case ViewKind::kDecisions:
      return is_one_of(choice_.kinds, text_at(&item, "kind")) && is_of_job(NameFilter(choice_.jobs), item) &&
             NameFilter(choice_.nodes).chooses(text_at(&item, "node"));
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
