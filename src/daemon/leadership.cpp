#include "daemon/leadership.h"

#include "daemon/latch.h"

namespace muster::daemon {

std::optional<Error> Leadership::problem() const { return by_ == By::kLease ? kube::check(settings_) : std::nullopt; }

void Leadership::begin(kube::Loop& loop) {
  if (by_ != By::kLease) return;
  kube::LeaderElection::Events events;
  events.on_leading = [this] {
    log_.info("leading", {{"identity", settings_.identity}});
    events_.on_leading();
    is_told_ = true;  // whoever reads this sees what was done before
  };
  events.on_lost = [this] {
    is_told_ = false;
    log_.warn("no longer leading");
    events_.on_lost();
  };
  events.on_leader = [this](const std::string& holder) {
    log_.info("the leader is", {{"identity", holder}});
    const std::lock_guard lock(mutex_);
    leader_ = holder;
  };
  events.on_problem = [this](const std::string& problem) { log_.warn("leader election: " + problem); };
  {
    const std::lock_guard lock(mutex_);
    election_ = std::make_unique<kube::LeaderElection>(loop, settings_, kube::system_random(), std::move(events));
  }
  election_->start();
}

void Leadership::give_back(kube::Loop& loop, kube::Duration longest) {
  if (by_ != By::kLease) return;
  auto released = std::make_shared<Latch>();
  auto is_free = std::make_shared<std::atomic<bool>>(false);
  loop.post([this, released, is_free] {
    election_->stop([released, is_free](bool free) {
      *is_free = free;
      released->open();
    });
  });
  if (!released->wait(longest) || !*is_free) log_.warn("the lease was not given back; others will wait for its end");
}

void Leadership::end() {
  const std::lock_guard lock(mutex_);
  election_.reset();
}

std::optional<kube::Identity> Leadership::lease() const {
  const std::lock_guard lock(mutex_);
  return election_ ? std::optional(election_->lease()) : std::nullopt;
}

bool Leadership::may_write() const {
  if (by_ != By::kLease) return by_ == By::kNature;
  const std::lock_guard lock(mutex_);
  return election_ && is_told_ && election_->may_write();
}

kube::Duration Leadership::time_left() const {
  if (by_ != By::kLease) return by_ == By::kNature ? kube::Duration::max() : kube::Duration(0);
  const std::lock_guard lock(mutex_);
  return election_ ? election_->time_left() : kube::Duration(0);
}

std::string Leadership::leader() const {
  const std::lock_guard lock(mutex_);
  return leader_;
}

}  // namespace muster::daemon
