#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "app/decision_list.h"
#include "daemon/effects.h"

namespace muster::daemon {

// The latest binds and evictions, with their reasons: as many as there is room for. From any thread.
class DecisionLog {
 public:
  // So many are remembered for the timelines of jobs, and the latest of those are told as a list.
  explicit DecisionLog(std::size_t most = 20'000, std::size_t listed = 1000) : most_(most), listed_(listed) {}

  void add(std::uint64_t cycle, const Timestamp& now, const Effects& effects);
  // The server did not take a bind, and said why.
  void add_failure(const Timestamp& now, const Bind& bind, std::string why);
  // {"decisions": […]}, the latest first.
  std::string json() const;
  // {"events": […]}: what was decided of a job or for it, the latest first. What was decided at once is one event.
  std::string timeline(const std::string& job) const;
  // The evictions among the latest, the latest last.
  std::vector<Eviction> evictions() const;

 private:
  using Entry = DecisionEntry;
  using Kind = DecisionEntry::Kind;
  // Several of one cycle that say the same of other pods.
  struct Event {
    const Entry* first = nullptr;
    std::vector<const Entry*> all;
  };
  void push(Entry entry);
  static bool belong_together(const Entry& a, const Entry& b);
  static std::string_view kind_of(const Entry& entry, const std::string& job);
  static std::string text_of(const Event& event, const std::string& job);

  const std::size_t most_;
  const std::size_t listed_;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
};

}  // namespace muster::daemon
