#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "daemon/live_sources.h"
#include "daemon/object_lists.h"

namespace muster::daemon {

// The dump of Volcano's scheduler, made of objects as the API server has them: maps of nodes with their pods, of HyperNodes, and of
// jobs with their PodGroups and pods, one after the other, each in a line. `muster schedule -f` reads it.
std::string cache_dump_text(const std::vector<ObjectList>& lists);

// Shows on demand what the scheduler works on, as Volcano's does on signals: in a file, or in the log. One at a time; whoever asks
// meanwhile is passed over, and told so in the log.
class CacheDumper : public std::enable_shared_from_this<CacheDumper> {
 public:
  CacheDumper(LiveSources sources, const kube::Clock& clock, std::string folder)
      : sources_(std::move(sources)), clock_(clock), folder_(std::move(folder)) {}
  ~CacheDumper();
  CacheDumper(const CacheDumper&) = delete;
  CacheDumper& operator=(const CacheDumper&) = delete;

  // ---- from any thread; they do not wait
  // Writes snapshot-<seconds since 1970>.json.
  void write_file();
  // A line for each node and each job, as the scheduler sees them in its next cycle.
  void tell_log();

 private:
  void list(kube::Loop& loop);
  void write(std::vector<ObjectList> lists);
  void tell(Sight::What what);

  const LiveSources sources_;
  const kube::Clock& clock_;
  const std::string folder_;
  std::atomic<bool> busy_ = false;
  std::thread writer_;  // on the loop's thread only
};

}  // namespace muster::daemon
