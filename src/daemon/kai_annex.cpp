#include "daemon/kai_annex.h"

#include <atomic>
#include <thread>

#include "app/kai_config_json.h"
#include "app/kai_setup.h"
#include "codec/kai_snapshot.h"
#include "codec/zip_writer.h"
#include "daemon/object_lists.h"
#include "kube/json_span.h"
#include "model/json.h"

namespace muster::daemon {
namespace {

using server::Access;
using server::Method;

constexpr int kSnapshotUnavailable = 503;

server::Response cannot_now(const std::string& why) { return server::error_response(kSnapshotUnavailable, why); }

// The kinds that a snapshot has, and under which key.
std::vector<std::pair<const kube::ResourceKind*, std::string_view>> snapshot_kinds() {
  std::vector<std::pair<const kube::ResourceKind*, std::string_view>> kinds;
  for (const auto& list : kai_snapshot_lists())
    for (const auto& kind : kube::resource_kinds()) {
      const auto group = list.api_version.substr(0, std::min(list.api_version.find('/'), list.api_version.size()));
      const auto own_group = list.api_version.find('/') == std::string_view::npos ? std::string_view() : group;
      if (kind.kind == list.kind && kind.group == own_group) kinds.emplace_back(&kind, list.key);
    }
  return kinds;
}

StringMap labels_in(const std::string& object) {
  StringMap labels;
  std::optional<Json> meta;
  const auto read = kube::each_member(object, 0, [&](std::string_view key, kube::JsonSpan value) -> Result<void> {
    if (key == "metadata") meta = read_json(value.in(object));
    return {};
  });
  const auto* named = read && meta ? meta->find("labels") : nullptr;
  if (named != nullptr)
    for (const auto& [key, value] : named->members) labels.set(key, value.text);
  return labels;
}

// What this shard does not look at, the original does not give out.
void keep_own_shard(std::string_view key, const kai::ClusterOptions& options, std::vector<std::string>& items) {
  if (key != "nodes" && key != "queues" && key != "podGroups") return;
  std::erase_if(items, [&](const std::string& object) { return !kai::in_shard(labels_in(object), options); });
}

server::Response archive_of(const KaiSnapshotContent& content) {
  auto archive = zip_of("snapshot.json", kai_snapshot_text(content));
  if (!archive) return cannot_now(archive.error().text());
  return {.status = 200,
          .content_type = "application/zip",
          .body = std::move(*archive),
          .headers = {{"Content-Disposition", "attachment; filename=\"snapshot.zip\""}}};
}

// Takes one snapshot at a time. The lists are read by the loop; packing them takes a while and has a thread of its own.
class SnapshotDesk : public std::enable_shared_from_this<SnapshotDesk> {
 public:
  SnapshotDesk(LiveSources sources, kai::ClusterOptions options) : sources_(std::move(sources)), options_(std::move(options)) {}
  ~SnapshotDesk() {
    if (packer_.joinable()) packer_.join();
  }
  SnapshotDesk(const SnapshotDesk&) = delete;
  SnapshotDesk& operator=(const SnapshotDesk&) = delete;

  server::Answer take() {
    if (busy_.exchange(true)) return cannot_now("a snapshot is being taken for somebody else: try again");
    auto later = std::make_shared<server::Deferred>();
    sources_.on_loop([self = shared_from_this(), later](kube::Loop& loop) { self->list(loop, later); });
    return later;
  }

 private:
  using Later = std::shared_ptr<server::Deferred>;

  void list(kube::Loop& loop, const Later& later) {
    auto content = std::make_shared<KaiSnapshotContent>();
    content->settings.flags = kai_flag_texts(options_);
    content->settings.config = kai_config_json(sources_.config(), "").value_or("");
    kube::HttpRequest version;
    version.path = "/version";
    constexpr std::size_t kLongestVersion = std::size_t{64} << 10;
    kube::ask(loop, version, kLongestVersion, [self = shared_from_this(), content, later, &loop](const kube::HttpAnswer& answer) {
      if (answer.status == 200 && read_json(answer.body)) content->server_version = answer.body;
      self->list_objects(loop, content, later);
    });
  }

  void list_objects(kube::Loop& loop, const std::shared_ptr<KaiSnapshotContent>& content, const Later& later) {
    std::vector<const kube::ResourceKind*> kinds;
    for (const auto& [kind, key] : snapshot_kinds()) kinds.push_back(kind);
    ObjectLists::collect(loop, kinds, [self = shared_from_this(), content, later](Result<std::vector<ObjectList>> lists) {
      if (lists) return self->pack(std::move(*lists), content, later);
      self->busy_ = false;
      later->give(cannot_now(lists.error().text()));
    });
  }

  void pack(std::vector<ObjectList> lists, const std::shared_ptr<KaiSnapshotContent>& content, const Later& later) {
    const auto kinds = snapshot_kinds();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (!lists[i].problem.empty())
        sources_.log.warn("a snapshot was given out without " + std::string(kinds[i].second) + ": " + lists[i].problem);
      content->lists[std::string(kinds[i].second)] = std::move(lists[i].items);
    }
    if (packer_.joinable()) packer_.join();  // of the one before, which has been given out
    packer_ = std::thread([this, content, later] {
      for (auto& [key, items] : content->lists) keep_own_shard(key, options_, items);
      auto response = archive_of(*content);
      busy_ = false;
      later->give(std::move(response));
    });
  }

  const LiveSources sources_;
  const kai::ClusterOptions options_;
  std::atomic<bool> busy_ = false;
  std::thread packer_;  // on the loop's thread only
};

server::Answer job_order(const LiveSources& sources) {
  auto later = std::make_shared<server::Deferred>();
  const bool posted = sources.post([later](CycleLoop& cycles) {
    if (const auto why = cycles.why_no_sights(); !why.empty()) return later->give(cannot_now(why));
    cycles.add_sight({.what = Sight::What::kJobOrder, .tell = [later](const Result<std::string>& told) {
                        later->give(told ? server::json_response(*told + "\n") : cannot_now(told.error().text()));
                      }});
  });
  if (!posted) return cannot_now("the cluster is being read: try again");
  return later;
}

}  // namespace

Annex kai_annex(std::string listen, std::map<std::string, std::string> flags) {
  return {.listen = std::move(listen),
          .add_routes = [flags = std::move(flags)](server::Router& router, const LiveSources& sources) {
            auto desk = std::make_shared<SnapshotDesk>(sources, kai_options(flags).value_or(kai::ClusterOptions()));
            router.on(Method::kGet, "/get-snapshot", [desk](const server::Request&) { return desk->take(); }, Access::kPrivate);
            router.on(
                Method::kGet, "/get-job-order", [sources](const server::Request&) { return job_order(sources); }, Access::kPrivate);
          }};
}

}  // namespace muster::daemon
