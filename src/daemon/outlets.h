#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "daemon/annex.h"
#include "daemon/live_sources.h"
#include "server/server.h"

namespace muster::daemon {

class CacheDumper;

// Where the original lets out what it works on.
struct OutletSettings {
  Annex annex = {};
  std::string dump_folder = {};  // for files; empty: nothing is dumped, neither to a file nor to the log
};

enum class DumpTo { kFile, kLog };

// Those of a running scheduler: the annex of its dialect, and dumps. Open only while its sources can be used.
class Outlets {
 public:
  Outlets();
  ~Outlets();
  Outlets(const Outlets&) = delete;
  Outlets& operator=(const Outlets&) = delete;

  // An address that cannot be had is told in the log: nothing else depends on it.
  void open(const OutletSettings& settings, const LiveSources& sources, const kube::Clock& clock);
  void close();

  // From any thread, open or not. Does not wait for what it begins.
  void dump(DumpTo where);

 private:
  std::unique_ptr<server::Server> annex_;
  std::mutex mutex_;
  std::shared_ptr<CacheDumper> dumper_;  // guarded by the mutex
};

}  // namespace muster::daemon
