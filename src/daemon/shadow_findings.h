#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "app/text_table.h"
#include "daemon/shadow_moves.h"

namespace muster::daemon::shadow {

// What came of comparing one decision: "there" is the scheduler that is watched, "here" is muster.
enum class Verdict {
  kSame,
  kTie,           // another node that is like it in all but its name
  kTiming,        // the same from a state of a moment before or after
  kOtherNodes,    // starts with both, on other nodes
  kWaitsHere,     // starts there and would wait here
  kWaitsThere,    // would start here, and has not started there for longer than the time of grace
  kSlower,        // has started there, later than here by more than the time of grace
  kEvictedThere,  // evicted there; nobody would be here
  kOtherVictims,  // evicted there; here others would be
  kEvictedHere,   // would be evicted here, and has not been there for longer than the time of grace
  kByOthers,      // deleted, and neither would muster have nor does anything say that the scheduler did
  kNotCompared,   // too much at once
};
inline constexpr std::size_t kVerdicts = 12;
std::string_view name_of(Verdict verdict);  // "other-nodes"
// Whether it is told as a difference between the two.
bool is_otherwise(Verdict verdict);

struct Finding {
  Timestamp at;
  Verdict verdict{};
  MoveKind kind{};
  std::string group;
  std::map<std::string, std::string> there = {};  // node by pod
  std::map<std::string, std::string> here = {};
  std::string why = {};
  double seconds = 0;  // later
};

// All findings together.
struct Summary {
  std::array<std::uint64_t, kVerdicts> counts{};
  std::uint64_t binds = 0;      // pods
  std::uint64_t evictions = 0;  // pods, for certain or by muster's plan as well
  std::uint64_t avoided = 0;    // of these: pods that muster would have left alone
  std::uint64_t started = 0;    // PodGroups whose whole wait was seen
  double waited = 0;            // seconds, all of these together, from the last pod's creation to the first node
  std::uint64_t earlier = 0;    // PodGroups that muster would have started before
  double earlier_by = 0;        // seconds, all of these together
  double most_earlier_by = 0;
  std::uint64_t waiting = 0;  // PodGroups that wait with both at the end
  std::uint64_t plans = 0;
  double planning = 0;  // seconds, all of them
  double longest_plan = 0;
  double watched = 0;  // seconds

  std::uint64_t of(Verdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
  std::uint64_t compared() const;
  std::uint64_t otherwise() const;
};

// A line for people or for programs, with its end.
std::string finding_text(const Finding& finding, Paint paint);
std::string finding_json(const Finding& finding);
std::string summary_text(const Summary& summary, Paint paint);
std::string summary_json(const Summary& summary);

}  // namespace muster::daemon::shadow
