#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "kube/loop.h"
#include "kube/object_decoder.h"
#include "kube/resource_kinds.h"

namespace muster::kube {

// The spec of a coordination.k8s.io/v1 Lease, and the version that a write must name.
struct LeaseRecord {
  std::string holder;
  std::string resource_version;
  std::string acquire_time;  // as they are written; only compared
  std::string renew_time;
  std::int64_t duration_seconds = 0;
  std::int64_t transitions = 0;
  std::string text = {};  // of the object, with what others wrote on it; empty where there is none

  // Whether it says the same, whatever its version.
  bool same_as(const LeaseRecord& other) const;
};
Result<LeaseRecord> read_lease(std::string_view text);
// The lease as its holder would write it; a resource version makes it a replacement, in which everything else stays as it was read.
std::string lease_body(const LeaseRecord& record, const ObjectPath& path);

struct ElectionSettings {
  std::string ns = "kube-system";
  std::string name = "muster";
  std::string identity;  // who we are: unique among all candidates
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);  // a leader that could not renew for that long gives up; must be shorter
  Duration retry_period = std::chrono::seconds(2);     // between two attempts; must be shorter still
};
// What is wrong with them, or nothing.
std::optional<Error> check(const ElectionSettings& settings);

// Leader election on a Lease, as Kubernetes' own components do it and together with them. Whoever holds the lease renews it; the
// others take it when they have seen it unchanged for its whole duration by their own clock. The times that are written in it are
// never believed.
//
// may_write() is for all threads: it turns false by itself when the last renewal that we know to have succeeded is older than the
// renewal deadline, counted from when it was sent, so before anybody else can hold the lease. Everything else is on the loop's
// thread.
class LeaderElection {
 public:
  struct Events {
    std::function<void()> on_leading = {};
    std::function<void()> on_lost = {};  // after it, this object only watches on to lead again
    std::function<void(const std::string& holder)> on_leader = {};
    std::function<void(const std::string& problem)> on_problem = {};
  };

  LeaderElection(Loop& loop, ElectionSettings settings, RandomSource random, Events events);
  ~LeaderElection();
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;

  void start();
  // Stops for good. A leader gives the lease back, so that the next one need not wait; on_released comes when that was answered,
  // and says whether the lease is not ours any more, for all we know.
  void stop(std::function<void(bool)> on_released);

  bool may_write() const;
  // For how long a write that is sent now may be under way without reaching the server when somebody else holds the lease. Nothing
  // while we may not write. For all threads, too.
  Duration time_left() const;
  bool leading() const { return leading_; }
  // As it was last read or written; without a uid when there was none.
  Identity lease() const;

 private:
  void attempt();
  void on_lease(const HttpAnswer& answer);
  void observe(LeaseRecord record);
  void take();
  void write(LeaseRecord record, bool create, Instant since);
  void on_written(const HttpAnswer& answer, const LeaseRecord& record, Instant since);
  void confirmed(Instant since);
  void lose(const std::string& why);
  void again();
  void failed(const std::string& what);
  void give_back(bool held);
  void look_and_give_back();
  bool is_free(Instant now) const;
  Instant end_of_observed() const;
  CallId ask_urgently(HttpRequest request, std::function<void(HttpAnswer)> on_answer);

  Loop& loop_;
  const ElectionSettings settings_;
  const ObjectPath path_;
  RandomSource random_;
  Events events_;

  std::optional<LeaseRecord> observed_;
  Instant observed_at_{};  // when it last said something new
  std::string told_leader_;
  std::optional<TimerId> timer_;
  std::optional<TimerId> deadline_;
  std::optional<CallId> call_;
  bool writing_ = false;  // the call is one that takes or renews the lease
  bool stopped_ = false;
  std::function<void(bool)> on_released_;
  std::atomic<bool> leading_ = false;
  std::atomic<std::int64_t> write_until_ = 0;  // nanoseconds of the loop's clock
};

}  // namespace muster::kube
