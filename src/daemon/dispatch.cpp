#include "daemon/dispatch.h"

#include "daemon/latch.h"

namespace muster::daemon {
namespace {

constexpr kube::Duration kLookAtWrites = std::chrono::milliseconds(250);

}  // namespace

void Dispatch::begin(kube::Loop& loop) {
  loop_ = &loop;
  WriteQueue::Callbacks callbacks;
  callbacks.may_write = links_.may_write;
  callbacks.time_left = links_.time_left;
  callbacks.may_evict = links_.may_evict;
  callbacks.on_report = links_.on_written;
  callbacks.on_blocked = links_.on_blocked;
  callbacks.on_problem = [this](const std::string& problem, const Decided& of) { log_.warn(problem, of, {}); };
  callbacks.on_outcome = [this](std::string_view kind, std::string_view object, kube::WriteOutcome outcome, const Decided& by) {
    monitor_.on_outcome(kind, outcome, by);
    if (log_.shows(LogLevel::kDebug))
      log_.debug("a write was answered", by,
                 {{"kind", std::string(kind)}, {"object", std::string(object)}, {"outcome", std::string(kube::text_of(outcome))}});
  };
  callbacks.on_first_bind = [this](kube::Duration waited) { monitor_.on_first_bind(waited); };
  writes_ = std::make_unique<WriteQueue>(loop, settings_, kube::system_random(), std::move(callbacks));
  PodReader::Callbacks readings;
  readings.on_pod = links_.on_read;
  readings.on_order = links_.on_order_read;
  readings.on_problem = [this](const std::string& problem) { log_.warn(problem); };
  reader_ = std::make_unique<PodReader>(loop, kube::system_random(), std::move(readings));
  count_writes();
}

// Whoever asks for metrics is on another thread.
void Dispatch::count_writes() {
  if (!writes_) return;
  monitor_.on_writes(writes_->counts());
  loop_->after(kLookAtWrites, [this] { count_writes(); });
}

void Dispatch::drop_binds(const std::string& gang) {
  loop_->post([this, gang] {
    if (writes_) writes_->drop_binds(gang);
  });
}

void Dispatch::drop_unsent(const char* why) {
  if (writes_) writes_->drop_unsent(why);
}

void Dispatch::drop_evictions() {
  if (writes_) writes_->drop_evictions();
}

bool Dispatch::is_idle() const {
  if (!writes_) return true;
  const auto counts = writes_->counts();
  return counts.waiting + counts.in_flight == 0;
}

bool Dispatch::stop(kube::Duration longest) {
  auto answered = std::make_shared<Latch>();
  loop_->post([this, answered] { writes_->stop([answered] { answered->open(); }); });
  return answered->wait(longest);
}

void Dispatch::end() { writes_.reset(); }

}  // namespace muster::daemon
