#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/between_cycles.h"
#include "app/cycle_recorder.h"
#include "app/progress.h"
#include "app/volcano_report.h"
#include "base/result.h"
#include "model/time.h"
#include "policy/volcano/scheduler.h"

namespace muster {

// What `muster schedule` and `muster explain` are asked to do.
struct OfflineOptions {
  std::vector<std::string> files;            // files, directories or "-"
  std::optional<std::string> config;         // a path; none: the built-in default
  bool lenient_config = false;               // as the original reads it, instead of refusing what it would pass over
  std::map<std::string, std::string> flags;  // of the original, by name
  bool exact = false;                        // the behaviour: exact instead of safe
  int cycles = 1;
  Between between = Between::kNothing;
  SearchKind search = SearchKind::kIndex;
  std::optional<Timestamp> now;            // of the first cycle; none: the machine's clock
  std::int64_t period_nanos = 0;           // from one cycle to the next, not less than 0
  std::optional<std::string> usage;        // a path: what was measured on the nodes
  std::optional<std::string> plugins_dir;  // a directory with plugins and actions from outside

  // When a cycle takes place; the first is number 1.
  Timestamp time_of(int cycle) const;
};

// A scheduler over a cluster from files, without any cluster behind it.
class OfflineRun {
 public:
  static Result<OfflineRun> prepare(OfflineOptions options, const Progress& progress);
  OfflineRun(std::unique_ptr<volcano::Scheduler> scheduler, OfflineOptions options, std::vector<std::string> notes)
      : scheduler_(std::move(scheduler)), options_(std::move(options)), notes_(std::move(notes)) {}

  // What was assumed and what is of no use, in sentences.
  const std::vector<std::string>& notes() const { return notes_; }
  const volcano::Cluster& cluster() const { return scheduler_->cluster(); }

  struct Looks {
    CycleRecorder::Look at_opening;
    CycleRecorder::Look after_actions;
  };
  // Runs all cycles; `looks` are taken in the last one.
  std::vector<VolcanoCycle> run(const Looks& looks, const Progress& progress);

 private:
  std::unique_ptr<volcano::Scheduler> scheduler_;
  OfflineOptions options_;
  std::vector<std::string> notes_;
};

}  // namespace muster
