#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/cycle_loop.h"
#include "server/router.h"

namespace muster::daemon {

// A short name of a text, by which two are told apart.
std::string fingerprint(std::string_view text);

// An answer about the whole cluster, for many readers. Only the server's thread calls it, so that tagging and packing megabytes
// does not take the time of the one that decides.
class SharedAnswer {
 public:
  explicit SharedAnswer(std::string body) : body_(std::move(body)) {}

  // Under its tag, packed for who can read that; 304 for who has it.
  server::Response for_request(const server::Request& request);

 private:
  const std::string body_;
  std::string etag_;    // empty: nobody has asked yet
  std::string packed_;  // empty: nobody wanted it yet
};

// Lists of the whole cluster: each is given again for a second, and whoever asks meanwhile gets the same, so that many readers cost
// as much as one.
class ClusterViews {
 public:
  // Has something done by the deciding thread; false: there is none at the moment.
  using Post = std::function<bool(std::function<void(CycleLoop&)>)>;
  // Who wants to know of the jobs that are looked at is told by the deciding thread.
  ClusterViews(const kube::Clock& clock, Post post, Sight::OnJob on_job = {})
      : clock_(clock), post_(std::move(post)), on_job_(std::move(on_job)) {}

  // On the server's thread.
  server::Answer get(Sight::What what, const server::Request& request);

 private:
  struct Reader {
    std::shared_ptr<server::Deferred> later;
    server::Request request;
  };
  struct View {
    std::shared_ptr<SharedAnswer> last;  // nothing: there was none yet, or it was an error
    kube::Instant made{};
    kube::Instant asked{};
    std::vector<Reader> waiting;
  };
  std::shared_ptr<SharedAnswer> fresh(Sight::What what);
  void on_told(Sight::What what, const Result<std::string>& told);

  const kube::Clock& clock_;
  const Post post_;
  const Sight::OnJob on_job_;
  std::mutex mutex_;
  std::map<Sight::What, View> views_;  // guarded by the mutex
};

}  // namespace muster::daemon
