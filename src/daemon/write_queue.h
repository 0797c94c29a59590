#pragma once

#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "daemon/event_filter.h"
#include "daemon/write_sender.h"
#include "kube/backoff.h"

namespace muster::daemon {

struct WriteSettings {
  std::size_t most_in_flight = 64;
  double per_second = 2000;                // --kube-api-qps; 0: as fast as it goes
  double burst = 2000;                     // --kube-api-burst
  bool evict_by_delete = false;            // instead of asking the eviction API, which keeps disruption budgets
  std::string scheduler_name = "volcano";  // that events come from
  std::string instance = "muster";
  std::size_t most_events = 10'000;  // that wait; the oldest is dropped for a new one
  double events_per_second = 200;
  kube::Duration settling = std::chrono::seconds(1);     // how long what can wait does, for what follows to replace it
  int most_attempts = 8;                                 // of a patch that the server could not take
  int most_unanswered = 60;                              // attempts at a write that gets no answer, or is put off by a busy server
  int most_evictions = 12;                               // attempts at one that a disruption budget blocks
  kube::Duration budget_wait = std::chrono::seconds(5);  // between two of them
  // Attempts at an eviction that is refused for anything else, and the pauses between them, which are those of denied patches, too.
  // As long as they last, the pod counts as leaving, and its gang as smaller: all of them together are shorter than what dialects
  // forgive a gang for that.
  int most_refused_evictions = 6;
  kube::Backoff::Settings refused = {.first = std::chrono::seconds(1), .most = std::chrono::seconds(30), .jitter = 0};
  kube::Backoff::Settings backoff = {.first = std::chrono::milliseconds(100), .most = std::chrono::seconds(10), .jitter = 1.0};
  kube::Backoff::Settings unanswered = {.first = std::chrono::milliseconds(100), .most = std::chrono::seconds(1), .jitter = 1.0};
};

// How a bind, an eviction, a creation, a deletion or a step before a bind ended; of a patch only that it was not written, and may
// be when somebody asks again.
struct WriteReport {
  std::variant<Bind, Evict, Create, Delete, ClaimStep, Patch> write;
  kube::WriteResult result;
  kube::Duration took{};   // from when it was last sent to its answer
  std::uint64_t term = 0;  // in which it was decided
};

// Carries effects out, as many at a time as is allowed: binds first, and what has to be done for them, then evictions and
// creations, then patches, then events, which are sent when nothing else waits. What can wait is held for a moment: pods of a gang
// come one by one, and what is true of the first of them is news of yesterday with the last. An event that only repeats what was
// said last in this term is not sent; what did not reach the server was not said. Writes to one object are sent one
// after the other; of patches that wait for the same part of an object only the latest is sent, and none to a pod that is being
// bound. A server that is busy is given the time that it asks for. While no answers come, one write after the other is tried, and
// the rest waits. A write that fails by itself comes again by itself, and nobody waits for it but what follows it on its object. So
// does an eviction that the server refuses, for whatever reason: whoever decided it would only decide it once more. So does a patch
// that a webhook denies, which may think otherwise later.
// Nothing is sent while we may not write: what was to be bound or evicted is reported as unknown. Nor is anybody evicted while we
// may not evict. Both are asked until the last moment, when a request has its connection and is about to be written to it.
//
// A term is the time from one loss of the leadership, or of what is remembered, to the next. What was decided in one is sent in it
// or never: somebody else may have decided otherwise since.
//
// Lives on a loop; submit() and term() are for any thread, reports come on the loop's thread.
class WriteQueue {
 public:
  struct Counts {
    std::uint64_t sent = 0;
    std::uint64_t events_sent = 0;
    std::uint64_t events_dropped = 0;
    std::size_t waiting = 0;
    std::size_t in_flight = 0;
  };
  struct Callbacks {
    std::function<bool()> may_write;
    std::function<kube::Duration()> time_left = {};  // for which a write may be under way; none: as long as it takes
    std::function<bool()> may_evict = {};            // none: always
    std::function<void(WriteReport)> on_report;
    std::function<void(std::string_view kind, std::string_view object, kube::WriteOutcome outcome, const Decided& by)> on_outcome =
        {};
    // The server does not evict the pod, because of a disruption budget or of anything else. It may come again, and be told again.
    std::function<void(const Evict& evict, const std::string& answer)> on_blocked = {};
    std::function<void(std::string problem, const Decided& of)> on_problem = {};
    std::function<void(kube::Duration waited)> on_first_bind = {};  // of a gang is sent, so long after it was complete
  };

  WriteQueue(kube::Loop& loop, WriteSettings settings, kube::RandomSource random, Callbacks callbacks);
  ~WriteQueue();
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  void submit(Effects effects);
  std::uint64_t term() const { return term_; }

  // Why something was not sent, in words that follow on these.
  static constexpr const char* kNotLeading = "we may not write";
  static constexpr const char* kListedAnew = "everything is listed anew";
  static constexpr const char* kNoEvictions = "nobody is evicted for now";
  static constexpr const char* kGangRefused = "the bind of another pod of its gang was refused";

  // On the loop's thread, as all that follows: somebody else may lead by now, or nobody remember. Another term begins.
  void drop_unsent(const char* why = kNotLeading);
  // Nobody is to be evicted any more by what was decided until now, nor asked to leave again. What was written to a connection
  // stays sent.
  void drop_evictions();
  // Binds of this gang that were decided until now are not to be sent any more, unless they were sent before and may have been
  // taken.
  void drop_binds(const std::string& gang);
  // Takes no more, and tells when all that was sent is answered. What waits is dropped.
  void stop(std::function<void()> on_idle);
  Counts counts() const;
  std::size_t places_of_patches() const { return patch_order_.size(); }

 private:
  struct Waiting {
    Write write;
    std::string key;         // the object that it concerns
    std::string patch = {};  // of a patch: with the part of the object
    bool announces = false;  // of a patch: an eviction follows
    int attempts = 0;
    kube::Instant sent = {};   // the last time
    std::uint64_t term = 0;    // in which that was
    std::uint64_t stops = 0;   // of evictions, or of binds of its gang, until then
    bool is_in_order = false;  // of a patch: its key is
  };
  struct Postponed {
    Waiting waiting;
    kube::TimerId timer;
  };
  using Lane = std::deque<Waiting>;

  void begin_term();
  void begin_evictions();
  static bool evicts(const Waiting& waiting) { return std::holds_alternative<Evict>(waiting.write) || waiting.announces; }
  // By what was decided when evictions had been dropped so often.
  bool may_evict(std::uint64_t stops) const { return stops == stops_ && (!callbacks_.may_evict || callbacks_.may_evict()); }
  std::uint64_t stops_of(const Waiting& waiting) const;
  kube::TimeLeft time_for(const Waiting& waiting) const;
  const char* why_unsent(const Waiting& waiting) const;
  void take(Effects effects);
  void take_bind(Bind bind);
  void take_patch(Patch patch);
  void take_event(Event event);
  void measure(const Bind& bind);
  void hold_event(Event event);
  void release_held();
  Lane& lane_of(const Write& write);
  void pump();
  bool send_first_of(Lane& lane);
  bool send_patch();
  void send(Waiting waiting);
  void answered(Waiting waiting, kube::WriteResult result);
  void tell_end(Waiting waiting, kube::WriteResult result);
  void take_event_back(const Event& event, const kube::WriteResult& result);
  void note_refused_event(const kube::WriteResult& result);
  static bool is_kept(const Waiting& waiting, const kube::WriteResult& result);
  static bool is_denied(const Waiting& waiting, const kube::WriteResult& result);
  void note_denied(const Waiting& waiting, const kube::WriteResult& result);
  bool comes_again(Waiting& waiting, const kube::WriteResult& result);
  kube::Duration pause_after(int attempts, const kube::Backoff::Settings& pauses) const;
  void note_answer(const kube::WriteResult& result);
  void put_back(Waiting waiting);
  void put_back_later(Waiting waiting, const kube::Backoff::Settings& pauses);
  std::size_t most_in_flight() const { return is_unanswered_ ? 1 : settings_.most_in_flight; }
  void send_later(Waiting waiting, kube::Duration delay);
  void put_in_order(Waiting& patch);
  void release_behind(const std::string& key);
  void drop_all(const char* why);
  void drop(Effects effects, const char* why);
  void withhold_evictions(Effects& effects);
  void drop(Waiting waiting, const char* why);
  template <class One>
  void report_unsent(One write, const char* why);
  void send_events();
  void pause(kube::Duration duration);
  void back_off(kube::Backoff& backoff, std::optional<kube::Duration> asked = {});
  bool take_token(double& tokens);
  void refill();

  kube::Loop& loop_;
  const WriteSettings settings_;
  WriteSender sender_;
  kube::RandomSource random_;
  kube::Backoff backoff_;
  kube::Backoff unanswered_;
  Callbacks callbacks_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // callbacks that come later look whether we still are

  Lane again_;                                               // binds that were sent before
  Lane urgent_;                                              // binds, what goes before them, and deletions
  Lane ordinary_;                                            // evictions and creations
  std::deque<std::string> patch_order_;                      // keys; those that are no longer in patches_ are passed over
  boost::unordered_flat_map<std::string, Waiting> patches_;  // the latest of each part of an object
  std::deque<std::pair<kube::Instant, std::string>> held_;   // keys of patches, by when they may go
  Lane events_;
  EventFilter event_filter_;                                                // of what came to stand in it
  boost::unordered_flat_map<std::string, std::vector<Event>> held_events_;  // by the uid of what they are about, one of a reason
  std::deque<std::pair<kube::Instant, std::string>> held_event_order_;      // uids, by when they may go
  boost::unordered_flat_set<std::string> busy_;                             // objects that a write is on its way to
  boost::unordered_flat_map<std::string, Postponed> postponed_;             // by those of them that wait for a better time
  boost::unordered_flat_map<std::string, Lane> behind_;                     // what waits for those
  boost::unordered_flat_map<std::string, kube::Instant> complete_;          // gangs, by the uid of the pod that is bound first
  std::atomic<std::uint64_t> term_ = 0;
  const char* why_over_ = kNotLeading;                                // the term before
  std::uint64_t stops_ = 0;                                           // how often evictions were dropped
  boost::unordered_flat_map<std::string, std::uint64_t> gang_stops_;  // and binds of a gang
  kube::TimeLeft time_left_;                                          // of what is sent in this term
  kube::TimeLeft time_to_evict_;                                      // and before the next stop
  unsigned refused_events_ = 0;                                       // outcomes of which it was said, a bit for each
  Counts counts_;
  double tokens_ = 0;
  double event_tokens_ = 0;
  kube::Instant filled_at_{};
  std::optional<kube::TimerId> timer_;  // nothing is sent before
  std::optional<kube::TimerId> held_timer_;
  std::optional<kube::TimerId> event_timer_;  // no event is sent before
  std::function<void()> on_idle_;
  bool backing_off_ = false;
  bool is_unanswered_ = false;  // what was sent last
  bool stopping_ = false;
};

}  // namespace muster::daemon
