#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <optional>
#include <string>
#include <unordered_map>

#include "metrics/volcano_metrics.h"
#include "policy/volcano/session.h"

namespace muster::daemon {

// What Volcano's metrics say of jobs, by name as the original has it: jobs of one name in two namespaces share some of the series.
// Only jobs that something happened to, or that wait, are looked at in a cycle.
class VolcanoJobNumbers {
 public:
  explicit VolcanoJobNumbers(metrics::VolcanoMetrics& metrics) : metrics_(metrics) {}

  // The actions of a cycle are over: shares, with what is only promised.
  void on_closing(volcano::Session& session);
  // It is closed. `late_micros` is how long it took.
  void on_closed(volcano::Session& session, std::int64_t late_micros);
  void on_gone(const std::string& ns, const std::string& name);
  void forget_all();

 private:
  struct Series {
    std::string queue;
    metrics::Gauge* share = nullptr;
    metrics::Gauge* lacking = nullptr;
    metrics::Counter* retries = nullptr;
  };
  // Of a job that has a PodGroup.
  Series& series_of(const volcano::Job& job);
  void tell_share(const volcano::Job& job, double share);
  void tell_gang(const volcano::Job& job);
  void tell_placed(const volcano::Job& job, const Timestamp& now, std::int64_t late_micros);

  metrics::VolcanoMetrics& metrics_;
  std::unordered_map<std::string, Series> jobs_;                   // by "namespace/name"
  boost::unordered_flat_map<std::string, std::size_t> namesakes_;  // how many jobs have a name
  boost::unordered_flat_set<Series*> unready_;
  std::optional<Amounts> total_;  // what the cluster had when shares were told last
};

}  // namespace muster::daemon
