#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/usage_file.h"
#include "model/time.h"
#include "policy/volcano/behaviour.h"

namespace muster {

// The metrics source of a configuration, as its key `metrics` describes it.
struct MetricsSource {
  std::string address;
  bool check_certificate = true;
};

// The source to ask for the load of nodes. None: the configuration names none, or one that cannot be asked, which a note says.
std::optional<MetricsSource> metrics_source(const volcano::Config& config, std::vector<std::string>& notes);

// Asks Prometheus for each node's average load over ten minutes: two instant queries per node, with the node's name as the label
// `instance`. It ends after a minute at the latest, and sooner when nobody answers. Nodes without an answer are left out; where the
// behaviour keeps the original's quirk they count as idle instead. What is missing is said in notes.
std::vector<MeasuredNode> ask_prometheus(const MetricsSource& source, const std::vector<std::string>& nodes, Timestamp now,
                                         const volcano::Behaviour& behaviour, std::vector<std::string>& notes);

// The first number of an instant query's answer; none when there is none.
std::optional<double> prometheus_value(std::string_view body);

}  // namespace muster
