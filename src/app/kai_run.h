#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/kai_report.h"
#include "app/kai_usage_source.h"
#include "app/offline_run.h"
#include "app/progress.h"

namespace muster {

// What came of scheduling a cluster in the KAI dialect.
struct KaiRunOutcome {
  std::vector<KaiCycle> cycles;
  std::map<std::string, std::string> final_pods;
  std::vector<std::string> warnings;  // what went wrong in the cycles outside of any job
};

// A scheduler of the KAI dialect over a cluster from files, without any cluster behind it. Of the options, those that belong to
// Volcano have no effect. Of a snapshot, the configuration and the flags in it count where the options name none.
class KaiOfflineRun {
 public:
  static Result<KaiOfflineRun> prepare(OfflineOptions options, const Progress& progress);
  KaiOfflineRun(std::unique_ptr<kai::Scheduler> scheduler, OfflineOptions options, std::vector<std::string> notes,
                std::optional<KaiUsageSource> usage)
      : scheduler_(std::move(scheduler)), options_(std::move(options)), notes_(std::move(notes)), usage_(std::move(usage)) {}

  // What was assumed and what is of no use, in sentences.
  const std::vector<std::string>& notes() const { return notes_; }
  kai::Cluster& cluster() { return scheduler_->cluster(); }

  using Look = std::function<void(kai::Session&)>;
  struct Looks {
    Look at_opening;
    Look after_actions;  // everything is still as the actions left it
  };
  // Runs all cycles; `looks` are taken in the last one. An error is something that is not built.
  Result<KaiRunOutcome> run(const Looks& looks, const Progress& progress);

 private:
  std::unique_ptr<kai::Scheduler> scheduler_;
  OfflineOptions options_;
  std::vector<std::string> notes_;
  std::optional<KaiUsageSource> usage_;
};

}  // namespace muster
