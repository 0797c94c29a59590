#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/kai_usage_file.h"
#include "policy/kai/cluster.h"

namespace muster {

// What queues used in the past, asked for as often as the configuration says: of Prometheus, or of a file in its place.
class KaiUsageSource {
 public:
  // The file counts before what the configuration names; neither brings nothing. What cannot be asked is said in notes.
  KaiUsageSource(kai::UsageParams params, std::optional<KaiUsageFile> file, kai::Behaviour behaviour,
                 std::vector<std::string>& notes);

  // Brings a cluster what is known at a time. Asking takes no longer than `usageQueryTimeout` in all; who does not answer at all
  // is not asked again. What is missing or old is said in notes.
  void bring(kai::Cluster& cluster, Timestamp now, std::vector<std::string>& notes);

 private:
  void take_file(Timestamp now, std::vector<std::string>& notes);
  void ask(Timestamp now, std::vector<std::string>& notes);
  void note_age(Timestamp now, std::vector<std::string>& notes);

  kai::UsageParams params_;
  std::optional<KaiUsageFile> file_;
  kai::Behaviour behaviour_;
  std::string address_;  // empty: nobody can be asked
  bool given_up_ = false;
  bool told_age_ = false;
  kai::UsageMemory memory_;
};

// Where a configuration's Prometheus is; empty, with a note, when it cannot be asked.
std::string kai_usage_address(const kai::UsageParams& params, std::vector<std::string>& notes);
// Whether the original asks for that window in a way that no Prometheus answers, and that is kept.
bool is_window_unanswered(const kai::UsageParams& params, const kai::Behaviour& behaviour);

// One fetch from Prometheus. None: it failed, and `why` says why.
struct KaiUsageAnswer {
  std::optional<kai::QueueUsage> usage;
  std::string why;
  bool unreachable = false;
};
KaiUsageAnswer ask_kai_usage(const std::string& address, const kai::UsageParams& params, Timestamp now, std::stop_token stop = {});

}  // namespace muster
