#include "daemon/cluster_views.h"

#include <fmt/format.h>

#include "codec/gzip.h"
#include "server/conditional.h"

namespace muster::daemon {
namespace {

constexpr kube::Duration kFresh = std::chrono::seconds(1);
constexpr kube::Duration kAskAgain = std::chrono::seconds(5);  // the thread that was asked may be gone
constexpr std::size_t kMostWaiting = 64;                       // for one answer
constexpr std::size_t kWorthPacking = 1024;                    // bytes
constexpr int kNobodyCanSay = 503;

}  // namespace

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("{:016x}", hash);
}

server::Response SharedAnswer::for_request(const server::Request& request) {
  if (etag_.empty()) etag_ = "W/\"" + fingerprint(body_) + "\"";
  auto response = server::tagged(request, etag_, server::json_response({}));
  response.headers.add("Cache-Control", "no-cache");
  response.headers.add("Vary", "Accept-Encoding");
  if (response.status != 200) return response;
  if (body_.size() < kWorthPacking || !server::accepts_coding(request, "gzip")) {
    response.body = body_;
    return response;
  }
  if (packed_.empty()) packed_ = gzip(body_);
  response.headers.add("Content-Encoding", "gzip");
  response.body = packed_;
  return response;
}

std::shared_ptr<SharedAnswer> ClusterViews::fresh(Sight::What what) {
  const std::lock_guard lock(mutex_);
  const auto& view = views_[what];
  return clock_.now() - view.made < kFresh ? view.last : nullptr;
}

server::Answer ClusterViews::get(Sight::What what, const server::Request& request) {
  // Not under the lock, for which the deciding thread may wait.
  if (const auto last = fresh(what)) return last->for_request(request);
  auto later = std::make_shared<server::Deferred>();
  {
    const std::lock_guard lock(mutex_);
    auto& view = views_[what];
    // Who has waited in vain has been told so.
    std::erase_if(view.waiting, [](const Reader& one) { return one.later.use_count() == 1; });
    if (view.waiting.size() >= kMostWaiting) return server::error_response(kNobodyCanSay, "too many ask at once: try again");
    view.waiting.push_back({later, request});
    if (view.waiting.size() > 1 && clock_.now() - view.asked < kAskAgain) return later;
    view.asked = clock_.now();
  }
  const bool posted = post_([this, what](CycleLoop& cycles) {
    if (auto why = cycles.why_no_sights(); !why.empty()) return on_told(what, fail(std::move(why)));
    cycles.add_sight(
        {.what = what, .tell = [this, what](const Result<std::string>& told) { on_told(what, told); }, .on_job = on_job_});
  });
  if (!posted) on_told(what, fail("the cluster is being read: try again"));
  return later;
}

void ClusterViews::on_told(Sight::What what, const Result<std::string>& told) {
  const auto answer = told ? std::make_shared<SharedAnswer>(*told + "\n") : nullptr;
  std::vector<Reader> waiting;
  {
    const std::lock_guard lock(mutex_);
    auto& view = views_[what];
    waiting.swap(view.waiting);
    view.last = answer;
    view.made = clock_.now();
  }
  for (const auto& [later, request] : waiting) {
    if (answer)
      later->give_made([answer, asked = request] { return answer->for_request(asked); });
    else
      later->give(server::error_response(kNobodyCanSay, told.error().text()));
  }
}

}  // namespace muster::daemon
