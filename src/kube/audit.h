#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/list_page.h"
#include "kube/reflector.h"

namespace muster::kube {

struct AuditSettings {
  double per_second = 20;                            // objects that are compared; 0: none, ever
  std::size_t slice = 100;                           // objects of one answer
  Duration longest_wait = std::chrono::seconds(90);  // for a watch to reach what was read; bookmarks come every minute
  std::size_t largest_answer = std::size_t{64} << 20;
};

// Compares what reflectors have told with what the server has, a slice at a time, one kind after the other, for ever. A slice is
// read as it was at the moment that the watch has reached, or, where the server can no longer say, as it is now, and compared when
// the watch has come as far. What the watch told of meanwhile is left out, so a difference means that a change was lost or told
// wrongly, never that it is late. Whatever differs is told anew through the reflector; what does not, pods and nodes alone, is told
// as unchanged.
//
// Lives on a loop, as the reflectors, which must outlive it.
class Audit {
 public:
  struct Events {
    std::function<void(std::size_t objects)> on_checked;
    // `what` is wrong with it, in words.
    std::function<void(const ResourceKind& kind, const Identity& id, std::string_view what)> on_mismatch;
  };
  Audit(Loop& loop, std::vector<Reflector*> reflectors, AuditSettings settings, Events events);
  ~Audit();
  Audit(const Audit&) = delete;
  Audit& operator=(const Audit&) = delete;

  void start();
  // How often all kinds have been gone through, whether or not each could be read.
  std::uint64_t rounds() const { return rounds_; }

 private:
  // An answer that waits for the watch.
  struct Slice {
    Slice(std::string body, Instant at) : text(std::move(body)), read(at) {}
    std::string text;
    ListPage page;
    Instant read;
  };

  Reflector& subject() { return *reflectors_[at_]; }
  void ask_slice();
  void on_answer(HttpAnswer answer);
  void on_refused(const HttpAnswer& answer, const Judged& judged);
  void compare_or_wait();
  void compare();
  std::size_t compare_items(std::vector<std::string>& names);
  std::size_t compare_missing(std::vector<std::string>& names);
  void mismatch(const Identity& id, std::string_view what);
  void next_kind(std::size_t objects);
  void pause(std::size_t objects);
  bool was_listed_anew() { return subject().seen().lists() != lists_; }

  Loop& loop_;
  const std::vector<Reflector*> reflectors_;
  const AuditSettings settings_;
  const Events events_;

  std::size_t at_ = 0;  // the kind
  std::uint64_t rounds_ = 0;
  std::string next_page_;    // where its next slice begins; empty: at the beginning
  std::string last_name_;    // of the slice before
  bool in_order_ = true;     // by their names, up to here: then a name that is left out is one that does not exist
  std::uint64_t lists_ = 0;  // of the kind, when its first slice was asked for
  std::optional<Slice> slice_;
  CallId call_{};
  std::optional<TimerId> timer_;
};

}  // namespace muster::kube
