#pragma once

#include <functional>
#include <memory>

#include "daemon/log.h"
#include "daemon/monitor.h"
#include "daemon/pod_reader.h"
#include "daemon/write_queue.h"
#include "kube/loop.h"

namespace muster::daemon {

// What is asked of the API server besides lists and watches: the writes that were decided, and readings of what may not have come
// true. What comes back is told on the loop's thread, logged and counted.
class Dispatch {
 public:
  struct Links {
    std::function<bool()> may_write;
    std::function<kube::Duration()> time_left;  // for which a write may be under way
    std::function<bool()> may_evict;
    std::function<void(WriteReport)> on_written;
    std::function<void(const Evict&, const std::string& answer)> on_blocked;
    std::function<void(PodReading)> on_read;
    std::function<void(OrderReading)> on_order_read;
  };
  Dispatch(WriteSettings settings, Monitor& monitor, Log& log, Links links)
      : settings_(std::move(settings)), monitor_(monitor), log_(log), links_(std::move(links)) {}

  // On the loop's thread. The loop is gone before this is.
  void begin(kube::Loop& loop);

  // ---- from any thread, between begin() and end()
  void submit(Effects effects) { writes_->submit(std::move(effects)); }
  std::uint64_t term() const { return writes_->term(); }
  // Of this gang, what was decided until now and is not sent yet.
  void drop_binds(const std::string& gang);
  void read(const kube::Identity& pod) { reader_->read(pod); }
  void read(UnsureOrder order) { reader_->read(std::move(order)); }

  // ---- on the loop's thread; nothing happens when it has not begun or has ended
  // Another term begins, for this reason: see WriteQueue.
  void drop_unsent(const char* why);
  void drop_evictions();
  // Whether nothing waits and nothing is under way.
  bool is_idle() const;
  void end();

  // From other threads than the loop's: sends nothing any more, and waits so long for the answers to what was sent. False: some are
  // still missing.
  bool stop(kube::Duration longest);

 private:
  void count_writes();

  const WriteSettings settings_;
  Monitor& monitor_;
  Log& log_;
  const Links links_;
  kube::Loop* loop_ = nullptr;
  std::unique_ptr<WriteQueue> writes_;
  std::unique_ptr<PodReader> reader_;  // stays until the loop has ended: it does not mind what it hears
};

}  // namespace muster::daemon
