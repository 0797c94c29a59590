#include "kube/audit.h"

#include <algorithm>
#include <charconv>

#include "base/percent_encoding.h"

namespace muster::kube {
namespace {

constexpr std::size_t kLeastCost = 5;  // a request without objects costs something, too
constexpr Duration kLookAgain = std::chrono::seconds(1);

std::optional<std::uint64_t> number_of(const std::string& version) {
  std::uint64_t number = 0;
  const auto* end = version.data() + version.size();
  const auto read = std::from_chars(version.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

// Whether a watch that has come to `reached` has told all that a list of version `wanted` shows.
bool has_reached(const std::string& reached, const std::string& wanted) {
  const auto have = number_of(reached);
  const auto need = number_of(wanted);
  return have && need ? *have >= *need : reached == wanted;
}

// What decisions rest on most, and what is compared a second time with what was made of it.
bool is_worth_a_second_look(const ResourceKind& kind) { return kind.group.empty() && (kind.kind == "Pod" || kind.kind == "Node"); }

}  // namespace

Audit::Audit(Loop& loop, std::vector<Reflector*> reflectors, AuditSettings settings, Events events)
    : loop_(loop), reflectors_(std::move(reflectors)), settings_(settings), events_(std::move(events)) {}

Audit::~Audit() {
  loop_.cancel(call_);
  if (timer_) loop_.cancel(*timer_);
  for (auto* reflector : reflectors_) reflector->seen().end_tracking();
}

void Audit::start() {
  if (settings_.per_second > 0 && !reflectors_.empty()) pause(0);
}

void Audit::ask_slice() {
  auto& reflector = subject();
  const bool first = next_page_.empty();
  if (!reflector.is_following() || (!first && was_listed_anew())) return next_kind(0);
  auto query = "limit=" + std::to_string(settings_.slice);
  if (first) {
    lists_ = reflector.seen().lists();
    last_name_.clear();
    in_order_ = true;
    reflector.seen().begin_tracking();
    query += "&resourceVersion=" + percent_encoded(reflector.resource_version()) + "&resourceVersionMatch=Exact";
  } else {
    query += "&continue=" + percent_encoded(next_page_);
  }
  call_ = ask(loop_, {Method::kGet, reflector.path(query)}, settings_.largest_answer,
              [this](HttpAnswer answer) { on_answer(std::move(answer)); });
}

void Audit::on_answer(HttpAnswer answer) {
  const auto judged = judge(answer, loop_.clock().wall());
  if (judged.kind != AnswerKind::kGood) return on_refused(answer, judged);
  slice_.emplace(std::move(answer.body), loop_.clock().now());
  auto page = read_list_page(slice_->text);
  if (!page) return next_kind(0);
  slice_->page = std::move(*page);
  compare_or_wait();
}

// A server that has forgotten the moment of the earlier slices offers to go on at the same place with how things are now.
void Audit::on_refused(const HttpAnswer& answer, const Judged& judged) {
  const auto offered =
      judged.kind == AnswerKind::kExpired && !next_page_.empty() ? read_meta(answer.body).next_page : std::string();
  if (offered.empty() || offered == next_page_) return next_kind(0);
  next_page_ = offered;
  subject().seen().begin_tracking();
  pause(0);
}

void Audit::compare_or_wait() {
  if (was_listed_anew()) return next_kind(0);
  if (has_reached(subject().resource_version(), slice_->page.resource_version)) return compare();
  if (loop_.clock().now() - slice_->read >= settings_.longest_wait) return next_kind(0);
  timer_ = loop_.after(kLookAgain, [this] {
    timer_.reset();
    compare_or_wait();
  });
}

void Audit::compare() {
  std::vector<std::string> names;
  auto objects = compare_items(names);
  objects += compare_missing(names);
  if (objects != 0 && events_.on_checked) events_.on_checked(objects);
  next_page_ = slice_->page.next_page;
  if (!names.empty()) last_name_ = names.back();
  slice_.reset();
  if (next_page_.empty()) return next_kind(objects);
  pause(objects);
}

// How many were compared. `names` gets those of all.
std::size_t Audit::compare_items(std::vector<std::string>& names) {
  auto& reflector = subject();
  std::size_t compared = 0;
  for (const auto& item : slice_->page.items) {
    const auto id = read_meta(item.in(slice_->text)).id;
    names.push_back(SeenObjects::key_of(id));
    in_order_ &= names.back() > (names.size() == 1 ? last_name_ : names[names.size() - 2]);
    if (reflector.seen().touched(id)) continue;
    const auto known = reflector.seen().find(id);
    ++compared;
    if (known && known->uid == id.uid && known->resource_version == id.resource_version) {
      if (is_worth_a_second_look(reflector.kind())) reflector.tell_unchanged(slice_->text, item);
      continue;
    }
    if (reflector.tell_again(slice_->text, item))
      mismatch(id, known ? "is remembered as of version " + known->resource_version + ", the server has " + id.resource_version
                         : std::string("was never told of"));
  }
  return compared;
}

// Of objects that were told and are not among the names.
std::size_t Audit::compare_missing(std::vector<std::string>& names) {
  if (!in_order_) return 0;
  auto& reflector = subject();
  const bool to_the_end = slice_->page.next_page.empty();
  if (!to_the_end && names.empty()) return 0;
  std::size_t compared = 0;
  for (const auto& id : reflector.seen().between(last_name_, to_the_end ? std::string() : names.back())) {
    if (std::ranges::binary_search(names, SeenObjects::key_of(id)) || reflector.seen().touched(id)) continue;
    ++compared;
    reflector.tell_gone(id);
    mismatch(id, "is remembered, the server does not have it");
  }
  return compared;
}

void Audit::mismatch(const Identity& id, std::string_view what) {
  if (events_.on_mismatch) events_.on_mismatch(subject().kind(), id, what);
}

void Audit::next_kind(std::size_t objects) {
  subject().seen().end_tracking();
  slice_.reset();
  next_page_.clear();
  at_ = (at_ + 1) % reflectors_.size();
  rounds_ += at_ == 0 ? 1 : 0;
  pause(objects);
}

void Audit::pause(std::size_t objects) {
  const auto seconds = static_cast<double>(std::max(objects, kLeastCost)) / settings_.per_second;
  timer_ = loop_.after(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)), [this] {
    timer_.reset();
    ask_slice();
  });
}

}  // namespace muster::kube
