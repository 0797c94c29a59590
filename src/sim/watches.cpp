#include "sim/watches.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace muster::sim {
namespace {

constexpr std::int64_t kBookmarkSeconds = 60;
constexpr std::int64_t kLongestWatch = 3600;
constexpr std::size_t kMostWaiting = std::size_t{64} << 20;

std::string_view text_of(ChangeType type) {
  switch (type) {
    case ChangeType::kAdded: return "ADDED";
    case ChangeType::kModified: return "MODIFIED";
    case ChangeType::kDeleted: return "DELETED";
  }
  return {};
}

std::string event_line(std::string_view type, std::string_view object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
}

// What a change is to someone who sees only a part of the objects.
std::optional<ChangeType> seen_as(const Selection& selection, const Change& change) {
  const bool was = change.before && selection.matches(*change.before);
  if (change.type == ChangeType::kDeleted) return was ? std::optional(ChangeType::kDeleted) : std::nullopt;
  const bool is = selection.matches(*change.now);
  if (is) return was ? ChangeType::kModified : ChangeType::kAdded;
  return was ? std::optional(ChangeType::kDeleted) : std::nullopt;
}

std::shared_ptr<server::Stream> new_stream(std::size_t begins_with) {
  return std::make_shared<server::Stream>(
      server::Stream::Settings{.content_type = "application/json", .most_bytes = kMostWaiting + begins_with, .heartbeat = ""});
}

}  // namespace

Watches::Watches(Store& store, Outside outside) : store_(store), outside_(std::move(outside)), watchers_(kinds().size()) {
  store_.on_change([this](const Kind& kind, const Change& change) { on_change(kind, change); });
}

std::size_t Watches::count() const {
  std::size_t out = 0;
  for (const auto& of_kind : watchers_) out += of_kind.size();
  return out;
}

std::string Watches::initial_events(const WatchRequest& request) const {
  std::string out;
  const Rendering rendering{*request.kind, request.form, outside_.now(), request.rows_have_objects};
  for (const auto& [key, object] : store_.objects(stored_kind(*request.kind)))
    if (request.selection.matches(*object)) out += event_line("ADDED", rendering.object(*object));
  return out;
}

std::shared_ptr<server::Stream> Watches::open(WatchRequest request) {
  const auto& kind = stored_kind(*request.kind);
  std::string begin;
  std::vector<Change> missed;
  if (request.from) {
    auto changes = store_.changes_after(kind, *request.from);
    if (!changes) {
      const auto error = expired(fmt::format("too old resource version: {} ({})", *request.from, store_.revision()));
      const auto line = event_line("ERROR", error.status().text());
      auto stream = new_stream(line.size());
      stream->send(line);
      stream->close();
      return stream;
    }
    missed = std::move(*changes);
  } else {
    begin = initial_events(request);
  }
  const auto now = outside_.now().seconds;
  auto stream = new_stream(begin.size());
  const auto lasts = std::clamp<std::int64_t>(request.timeout_seconds.value_or(kLongestWatch), 1, kLongestWatch);
  const auto from = request.from.value_or(store_.revision());
  Watcher watcher{std::move(request), stream, from, now + lasts, now + kBookmarkSeconds};
  if (!begin.empty()) stream->send(begin);
  if (watcher.request.ends_initial_events) send_bookmark(watcher, true);
  std::vector<Line> lines;
  for (const auto& change : missed) {
    lines.clear();
    if (!tell(watcher, change, lines)) return stream;
  }
  watchers_[index_of(kind)].push_back(std::move(watcher));
  return stream;
}

const std::string& Watches::line_for(const Watcher& watcher, ChangeType type, const Object& object,
                                     std::vector<Line>& lines) const {
  const auto& request = watcher.request;
  const auto known = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
    return line.kind == request.kind && line.form == request.form && line.rows_have_objects == request.rows_have_objects &&
           line.type == type;
  });
  if (known != lines.end()) return known->text;
  const Rendering rendering{*request.kind, request.form, outside_.now(), request.rows_have_objects};
  return lines
      .emplace_back(
          Line{request.kind, request.form, request.rows_have_objects, type, event_line(text_of(type), rendering.object(object))})
      .text;
}

bool Watches::tell(Watcher& watcher, const Change& change, std::vector<Line>& lines) const {
  if (change.now->revision <= watcher.sent) return true;  // asked from a revision that is yet to come
  const auto type = seen_as(watcher.request.selection, change);
  if (!type) return watcher.stream->is_open();
  watcher.sent = change.now->revision;
  return watcher.stream->send(line_for(watcher, *type, *change.now, lines));
}

void Watches::on_change(const Kind& kind, const Change& change) {
  std::vector<Line> lines;
  std::erase_if(watchers_[index_of(kind)], [&](Watcher& watcher) { return !tell(watcher, change, lines); });
}

bool Watches::send_bookmark(Watcher& watcher, bool ends_initial_events) const {
  const auto& kind = *watcher.request.kind;
  const auto revision = std::max(watcher.sent, store_.revision());
  watcher.sent = revision;
  const auto object =
      fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{{"resourceVersion":"{}","creationTimestamp":null{}}}}})",
                  watcher.request.form == Form::kTable ? "Table" : kind.kind,
                  watcher.request.form == Form::kTable ? "meta.k8s.io/v1" : kind.api_version(), revision,
                  ends_initial_events ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "");
  return watcher.stream->send(event_line("BOOKMARK", object));
}

void Watches::tick() {
  const auto now = outside_.now().seconds;
  for (auto& of_kind : watchers_)
    std::erase_if(of_kind, [&](Watcher& watcher) {
      if (now >= watcher.ends_at) {
        watcher.stream->close();
        return true;
      }
      if (watcher.request.bookmarks && now >= watcher.bookmark_at) {
        watcher.bookmark_at = now + kBookmarkSeconds;
        return !send_bookmark(watcher, false);
      }
      return !watcher.stream->is_open();
    });
}

void Watches::end_all() {
  for (auto& of_kind : watchers_) {
    for (auto& watcher : of_kind) watcher.stream->close();
    of_kind.clear();
  }
}

}  // namespace muster::sim
