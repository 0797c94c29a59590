#include "daemon/object_lists.h"

#include "base/percent_encoding.h"
#include "kube/api_status.h"

namespace muster::daemon {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr kube::Duration kListTimeout = std::chrono::seconds(60);

}  // namespace

void ObjectLists::collect(kube::Loop& loop, const std::vector<const kube::ResourceKind*>& kinds, OnDone on_done) {
  auto lists = std::make_shared<ObjectLists>(loop, std::move(on_done));
  for (const auto* kind : kinds) lists->lists_.push_back({.kind = kind});
  lists->ask();
}

void ObjectLists::ask() {
  if (at_ == lists_.size()) return on_done_(std::move(lists_));
  const auto& kind = *lists_[at_].kind;
  kube::HttpRequest request;
  request.path = kube::collection_path(kind, kind.versions[version_]) + (limit_ == 0 ? "" : "?limit=" + std::to_string(limit_));
  if (!next_page_.empty()) request.path += "&continue=" + percent_encoded(next_page_);
  request.timeout = kListTimeout;
  kube::ask(loop_, std::move(request), kMostBytes,
            [self = shared_from_this()](kube::HttpAnswer answer) { self->on_answer(std::move(answer)); });
}

void ObjectLists::on_answer(kube::HttpAnswer answer) {
  const auto judged = kube::judge(answer, loop_.clock().wall());
  if (judged.kind == kube::AnswerKind::kGood) return take(std::move(answer.body));
  if (judged.kind == kube::AnswerKind::kExpired && limit_ != 0) return begin_again(0);
  const auto& kind = *lists_[at_].kind;
  if (judged.kind == kube::AnswerKind::kMissing) {
    if (++version_ < kind.versions.size()) return ask();
    return next_kind();
  }
  if (judged.kind == kube::AnswerKind::kForbidden) {
    lists_[at_].problem = judged.status.text();
    return next_kind();
  }
  fail_with(std::string(kind.plural) + " cannot be listed: " + (answer.failure.empty() ? judged.status.text() : answer.failure));
}

void ObjectLists::take(std::string text) {
  const auto page = kube::read_list_page(text);
  if (!page) return fail_with(page.error().text());
  for (const auto& item : page->items) lists_[at_].items.emplace_back(item.in(text));
  bytes_ += text.size();
  if (bytes_ > kMostBytes) return fail_with("the cluster has more than 1 GiB of objects");
  next_page_ = page->next_page;
  next_page_.empty() ? next_kind() : ask();
}

// The next page would be of another moment than those before.
void ObjectLists::begin_again(std::size_t limit) {
  lists_[at_].items.clear();
  next_page_.clear();
  limit_ = limit;
  ask();
}

void ObjectLists::next_kind() {
  ++at_;
  version_ = 0;
  limit_ = kPage;
  next_page_.clear();
  ask();
}

void ObjectLists::fail_with(std::string problem) { on_done_(fail(std::move(problem))); }

}  // namespace muster::daemon
