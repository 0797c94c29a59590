#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "daemon/state_keeper.h"
#include "kube/clock.h"
#include "server/router.h"

namespace muster::daemon {

// Answers POST /api/v1/whatif from copies of what a scheduler knows, on a thread of its own: neither the scheduler nor the server
// waits. One question after the other, and so many at once at most.
class WhatIfService {
 public:
  static constexpr std::size_t kMostAsked = 4;

  WhatIfService(std::shared_ptr<StateKeeper> keeper, const kube::Clock& clock, MakeOfWorkloads make = {});
  ~WhatIfService();  // after the server has stopped
  WhatIfService(const WhatIfService&) = delete;
  WhatIfService& operator=(const WhatIfService&) = delete;

  void add_routes(server::Router& router);
  server::Answer ask(const server::Request& request);
  // What would make a job fit that is there and waits. An error says why that cannot be told, or not now.
  using TellFitsIf = std::function<void(const Result<WhatIfAnswer>&)>;
  void fits_if(std::string job, TellFitsIf tell);

 private:
  struct Work {
    std::string name;  // of the question, in errors; of the job
    std::string question;
    std::shared_ptr<server::Deferred> later;  // none: it is told what would make the job fit
    TellFitsIf tell;
    Result<SharedState> state;
  };
  // Shared with the keeper, who may still have something to tell when this is gone.
  struct Inbox {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Work> waiting;  // guarded by the mutex
    std::size_t asked = 0;     // not answered yet; guarded by the mutex
    std::atomic<bool> stopping = false;
  };
  bool may_ask();
  void run();
  server::Response answer(const Work& work) const;
  Result<WhatIfAnswer> changes_for(const Work& work) const;
  Result<std::unique_ptr<WhatIfCluster>> copies(const Work& work) const;
  WhatIfBounds bounds() const;

  const std::shared_ptr<StateKeeper> keeper_;
  const kube::Clock& clock_;
  const MakeOfWorkloads make_;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::thread thread_;
};

}  // namespace muster::daemon
