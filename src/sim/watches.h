#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/stream.h"
#include "sim/outside.h"
#include "sim/rendering.h"
#include "sim/selectors.h"
#include "sim/store.h"

namespace muster::sim {

struct WatchRequest {
  const Kind* kind;  // as it was asked for
  Selection selection;
  Form form = Form::kWhole;
  bool rows_have_objects = false;
  // Where to go on; nothing begins with everything that there is.
  std::optional<std::uint64_t> from = {};
  bool bookmarks = false;
  bool ends_initial_events = false;  // with a bookmark that says so
  std::optional<std::int64_t> timeout_seconds = {};
};

// The clients that follow a kind. Every change after the revision from which a client goes on reaches it once, in order; a client
// that does not take them in time is cut off and has to ask again.
class Watches {
 public:
  Watches(Store& store, Outside outside);

  // Of a revision that is forgotten, a stream with the error 410 in it.
  std::shared_ptr<server::Stream> open(WatchRequest request);
  // About once a second: ends those whose time is over, and sends bookmarks once a minute.
  void tick();
  void end_all();
  std::size_t count() const;

 private:
  struct Watcher {
    WatchRequest request;
    std::shared_ptr<server::Stream> stream;
    std::uint64_t sent = 0;  // up to this revision
    std::int64_t ends_at = 0;
    std::int64_t bookmark_at = 0;
  };
  // Lines that several watchers get.
  struct Line {
    const Kind* kind;
    Form form;
    bool rows_have_objects;
    ChangeType type;
    std::string text;
  };

  void on_change(const Kind& kind, const Change& change);
  bool tell(Watcher& watcher, const Change& change, std::vector<Line>& lines) const;
  const std::string& line_for(const Watcher& watcher, ChangeType type, const Object& object, std::vector<Line>& lines) const;
  bool send_bookmark(Watcher& watcher, bool ends_initial_events) const;
  std::string initial_events(const WatchRequest& request) const;

  Store& store_;
  Outside outside_;
  std::vector<std::vector<Watcher>> watchers_;  // by the index of the kind that is stored
};

}  // namespace muster::sim
