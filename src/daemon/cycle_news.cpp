#include "daemon/cycle_news.h"

#include <utility>

#include "codec/json_writer.h"

namespace muster::daemon {
namespace {

constexpr kube::Duration kBetweenNews = std::chrono::seconds(1);
constexpr std::size_t kMostListeners = 64;
constexpr const char* kAlive = ": alive\n\n";

std::string json_of(const CycleNews::News& news) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("cycle", news.cycle).member("time", news.time.rfc3339());
  json.member("binds", news.binds).member("evictions", news.evictions).end_object();
  return out;
}

}  // namespace

std::shared_ptr<server::Stream> CycleNews::listen() {
  if (listeners_.listeners() >= kMostListeners) return nullptr;
  auto stream = std::make_shared<server::Stream>(server::Stream::Settings{.heartbeat = kAlive});
  stream->send(kAlive);  // so that a proxy on the way passes on at once that there is an answer
  listeners_.add(stream);
  return stream;
}

void CycleNews::tell(const News& news) {
  if (listeners_.listeners() == 0) return;
  kube::Duration wait{};
  {
    const std::lock_guard lock(mutex_);
    news_ = {
        .cycle = news.cycle, .time = news.time, .binds = news_.binds + news.binds, .evictions = news_.evictions + news.evictions};
    if (std::exchange(is_waiting_, true)) return;
    wait = next_ - clock_.now();
  }
  if (wait <= kube::Duration(0)) return send();
  after_(wait, [this] { send(); });
}

void CycleNews::send() {
  News news;
  {
    const std::lock_guard lock(mutex_);
    news = std::exchange(news_, {});
    is_waiting_ = false;
    next_ = clock_.now() + kBetweenNews;
  }
  listeners_.send_event("cycle", json_of(news));
}

}  // namespace muster::daemon
