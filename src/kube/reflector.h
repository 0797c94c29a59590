#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/api_status.h"
#include "kube/backoff.h"
#include "kube/event_queue.h"
#include "kube/loop.h"
#include "kube/object_decoder.h"
#include "kube/resource_kinds.h"
#include "kube/seen_objects.h"
#include "kube/watch_stream.h"

namespace muster::kube {

struct ReflectorSettings {
  std::size_t page = 500;  // objects per answer to a list
  std::size_t largest_page = std::size_t{256} << 20;
  std::size_t largest_event = std::size_t{16} << 20;
  Duration list_timeout = std::chrono::seconds(60);
  Duration shortest_watch = std::chrono::minutes(5);     // the server ends a watch after one to two times this
  Duration longest_silence = std::chrono::seconds(150);  // bookmarks come every minute: without any the connection is dead
  Duration longest_stall = std::chrono::seconds(30);     // of a list that comes as a stream
  Duration install_wait = std::chrono::seconds(30);      // the longest between two looks for a kind that the server does not have
  Duration longest_absence = std::chrono::seconds(30);   // of a kind that was there, before it counts as gone
  bool streams_lists = true;                             // asks for lists as streams where the server can
  std::string selector = {};                             // more of the query: "fieldSelector=metadata.namespace%3Dx"
  Backoff::Settings backoff = {};
  // While nobody answers. It costs a server that is not there nothing, and what happens when it is back is heard of soon.
  Backoff::Settings unreached = {.first = std::chrono::milliseconds(200), .most = std::chrono::seconds(1), .jitter = 1.0};
};

enum class ReflectorState {
  kStarting,
  kSynced,        // everything has been told once; still so while a connection is being renewed
  kNotInstalled,  // the server has no such kind; it is looked for again and again
};

// Follows all objects of one kind: a list, then a watch from where the list ended, for ever. Every change reaches the queue once
// and in order. When the server no longer knows where a watch was (410), a new list is compared with what was told before: only
// differences are told, and what is gone meanwhile is told as deleted. A kind whose versions are all unknown (404) is waited for;
// one that was there before is looked for every second, and counts as gone only after a while, because a server that starts gives
// such answers too. Kinds of the core group are never taken for gone: every server has them, so such an answer is somebody else's.
//
// Lists come as a stream where the server offers that, else in pages. When the token of a page has expired, the list is asked for
// anew and in one piece: the token that the server offers instead would mix two moments, and what changed between them would be
// lost.
//
// Lives on a loop: everything but state() and synced() on its thread only.
class Reflector {
 public:
  using OnProblem = std::function<void(const ResourceKind& kind, const Error& error)>;
  using OnInstalled = std::function<void(const ResourceKind& kind, bool installed)>;

  Reflector(Loop& loop, const ResourceKind& kind, EventQueue& queue, ReflectorSettings settings, RandomSource random,
            OnProblem on_problem = {});
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  // Told when the server turns out not to have the kind, and when it is there after that.
  void on_installed(OnInstalled tell) { on_installed_ = std::move(tell); }
  void start();
  // Lists once more, to be sure of all that happened up to now: only differences are told, then kSynced again. False: a list that
  // was still to end is begun anew, so no further kSynced comes of it.
  bool list_again();
  // The queue has room again.
  void on_room();

  ReflectorState state() const { return state_; }
  bool synced() const { return state_ != ReflectorState::kStarting; }
  const ResourceKind& kind() const { return kind_; }

  // ---- for who compares what was told with what the server has (audit.h)
  // Whether everything has been told and a watch is open; the queue has room.
  bool is_following() const { return asked_ == Asked::kWatch && state_ == ReflectorState::kSynced && !queue_.full(); }
  // Up to where everything was told.
  const std::string& resource_version() const { return resource_version_; }
  SeenObjects& seen() { return seen_; }
  // Of the collection, with more of a query.
  std::string path(const std::string& query) const;
  // An object as the server has it, which must be told anew. False: nothing can be told, because it cannot be read.
  bool tell_again(std::string_view text, JsonSpan span);
  // One that the server does not have.
  void tell_gone(const Identity& id);
  void tell_unchanged(std::string_view text, JsonSpan span);

 private:
  class Stream;
  enum class Asked { kNothing, kPage, kStreamedList, kWatch };

  void list();
  void list_pages(std::size_t limit);
  void ask_page();
  void on_page(HttpAnswer answer);
  void take_page(std::string text);
  void on_page_refused(const Judged& judged);
  void stream_list();
  void check_stall(std::uint64_t lines_before);
  void end_list(const std::string& resource_version);
  void on_missing();
  bool may_come_back();
  void set_state(ReflectorState state);
  void note_answer();

  void watch();
  void open_stream(std::string query);
  Flow on_piece(std::string_view piece);
  bool take_line(const WatchLine& line);
  bool take_error(const ApiStatus& status);
  void on_stream_end(const HttpAnswer& answer);
  void on_stream_refused(const Judged& judged);
  void break_stream(const Error& error);
  void go_on_after(Duration delay);

  void tell_object(std::string_view text, JsonSpan span);
  void tell_news(Identity id, Object object);
  void tell_deleted(Identity id);
  void tell_synced();
  void problem(std::string message);
  void stop_asking();
  const KindReader& reader() const;
  void later(Duration delay, void (Reflector::*what)());

  Loop& loop_;
  const ResourceKind& kind_;
  EventQueue& queue_;
  const ReflectorSettings settings_;
  RandomSource random_;
  OnProblem on_problem_;
  OnInstalled on_installed_;
  Backoff backoff_;
  Backoff unreached_;
  Backoff looks_;  // for a kind that is not there
  std::atomic<ReflectorState> state_ = ReflectorState::kStarting;

  std::size_t version_ = 0;               // into kind_.versions
  std::size_t missing_versions_ = 0;      // in a row
  std::optional<Instant> missing_since_;  // of a kind that was there
  SeenObjects seen_;
  std::unique_ptr<ObjectDecoder> decoder_;
  std::string resource_version_;  // where to go on; empty before the first list has ended

  Asked asked_ = Asked::kNothing;
  CallId call_{};
  std::optional<TimerId> timer_;
  std::optional<TimerId> stall_timer_;
  std::size_t limit_ = 0;  // of the list in pages; 0: in one piece
  std::string next_page_;
  bool waits_for_room_ = false;
  bool can_stream_lists_;
  int broken_streams_ = 0;  // in a row, without a line that was good
  int failed_lists_ = 0;    // streamed ones in a row
  bool told_synced_ = false;
  std::uint64_t lines_ = 0;
  std::uint64_t lines_at_open_ = 0;
  Instant opened_at_{};
  std::unique_ptr<WatchStream> cutter_;
};

}  // namespace muster::kube
