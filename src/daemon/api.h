#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "daemon/cycle_loop.h"
#include "daemon/decision_log.h"
#include "server/router.h"

namespace muster::daemon {

// What others may read of a running scheduler, as JSON under /api/v1/. What is told of the cluster is looked at by the deciding
// thread, in a cycle that begins for it, so that all of one answer belongs together. Answers about the whole cluster are given
// again for a second, and whoever asks meanwhile gets the same, so that many readers cost as much as one.
class Api {
 public:
  struct Questions {
    const kube::Clock& clock;
    // Has something done by the deciding thread; false: there is none at the moment.
    std::function<bool(std::function<void(CycleLoop&)>)> post;
    std::function<bool()> leading;
    std::function<std::string()> leader;  // its identity, as far as it is known
    std::function<bool()> evictions_stopped;
    std::function<std::string()> config_hash;
  };
  Api(std::string dialect, Questions questions) : dialect_(std::move(dialect)), questions_(std::move(questions)) {}

  void add_routes(server::Router& router);
  void on_cycle(std::uint64_t cycle, const CycleOutcome& outcome);

 private:
  using Later = std::shared_ptr<server::Deferred>;
  struct View {
    std::string body;  // of the last answer; empty: there was none yet
    kube::Instant made{};
    kube::Instant asked{};
    std::vector<Later> waiting;
  };
  server::Answer state();
  server::Answer whole(Sight::What what);
  server::Answer job(const server::Request& request);
  void on_whole(Sight::What what, const Result<std::string>& told);

  const std::string dialect_;
  const Questions questions_;
  DecisionLog decisions_;
  std::mutex mutex_;
  std::map<Sight::What, View> views_;  // guarded by the mutex
  std::shared_ptr<std::atomic<int>> explaining_ = std::make_shared<std::atomic<int>>(0);
};

// A short name of a text, by which two are told apart.
std::string fingerprint(std::string_view text);

}  // namespace muster::daemon
