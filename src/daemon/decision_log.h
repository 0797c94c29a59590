#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/decision_list.h"
#include "daemon/effects.h"
#include "daemon/timeline_event.h"

namespace muster::daemon {

// The latest binds and evictions, with their reasons: as many as there is room for. From any thread.
class DecisionLog {
 public:
  // So many are remembered, and so many of them are told at once where nobody asks for more or fewer.
  explicit DecisionLog(std::size_t most = 20'000, std::size_t listed = 1000) : most_(most), listed_(listed) {}

  void add(std::uint64_t cycle, const Timestamp& now, const Effects& effects);
  // A bind came to nothing: the server did not take it, or was not asked.
  void add_failure(const Timestamp& now, const Bind& bind, DecisionEntry::Kind how, std::string why);
  // Which of them are told.
  struct Part {
    std::optional<std::uint64_t> before = {};  // those with smaller numbers; nothing: the latest
    std::optional<std::size_t> most = {};
  };
  // {"decisions": […], "process": "…"}, the latest first, each with its number, which means nothing with those of another process.
  std::string json(const Part& part, std::string_view process = {}) const;
  // What was decided of a job or for it, the latest first. What was decided at once is one event.
  std::vector<TimelineEvent> events_of(const std::string& job) const;
  // The evictions among the latest, the latest last.
  std::vector<Eviction> evictions() const;

 private:
  using Entry = DecisionEntry;
  using Kind = DecisionEntry::Kind;
  // Several of one cycle that say the same of other pods, or binds that came to nothing one after the other for the same reason.
  struct Event {
    const Entry* first = nullptr;
    std::vector<const Entry*> all;
  };
  void push(Entry entry);
  static bool is_decision(const Entry& entry) { return entry.kind == Kind::kBind || entry.kind == Kind::kEvict; }
  static bool belong_together(const Entry& a, const Entry& b);
  static std::string_view kind_of(const Entry& entry, const std::string& job);
  static std::string text_of(const Event& event, const std::string& job);

  const std::size_t most_;
  const std::size_t listed_;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  std::uint64_t last_ = 0;  // the number of the latest
};

}  // namespace muster::daemon
