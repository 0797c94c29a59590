#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/live_cluster.h"
#include "daemon/outside.h"
#include "daemon/tape_entries.h"
#include "daemon/tape_segment.h"

namespace muster::daemon::tape {

struct ReplayOptions {
  std::optional<std::uint64_t> until;  // the last cycle to replay
  std::string dialect;                 // empty: any
  std::string version;                 // of this program
};

// What came of one segment.
struct SegmentReplay {
  std::string file;
  std::string version;
  std::string dialect;
  bool from_the_start = false;  // of the scheduler's life
  std::uint64_t objects = 0;    // told, with those of the state that was needed
  std::uint64_t cycles = 0;
  std::uint64_t skipped = 0;
  std::uint64_t binds = 0;
  std::uint64_t evictions = 0;
  std::uint64_t different = 0;  // cycles
  bool closed = false;
};

// A cycle that was decided otherwise.
struct CycleDifference {
  std::string file;
  std::uint64_t cycle = 0;
  std::vector<std::string> lines;  // which pod, and how
};

struct Replay {
  std::vector<SegmentReplay> segments;
  std::vector<CycleDifference> differences;  // the first of them
  std::vector<std::string> notes;
  std::optional<Error> broken;         // where reading ended before its time
  std::uint64_t last_cycle = 0;        // that was replayed
  std::optional<Decisions> decisions;  // of that one, as they came out now

  std::uint64_t cycles() const;
  std::uint64_t different() const;
};

// Who did what to which pod in one and not in the other, in words. Of decisions that were made from a state in the middle of a life
// only binds and evictions count: what was written about before is not known.
enum class Strictly { kEverything, kPlaces };
std::vector<std::string> differences_of(const Decisions& recorded, const Decisions& replayed, Strictly how);

// Answers of others that are in the recording, given again in their order.
struct TapeAnswers {
  std::deque<ExtenderTold> extender;
  UsageTold usage;
  std::vector<std::string> problems;  // questions that were not asked then
};
Outside taped_outside(std::shared_ptr<TapeAnswers> answers, std::string gpu_groups);

// Feeds the segments, in this order, to the clusters that they were taken from. What is wrong with a file ends the replay and is in
// the result with all that was replayed until then.
Replay replay(const std::vector<std::filesystem::path>& segments, const ReplayOptions& options);

// The same of segments that are open; for tests.
using OpenSegment = std::function<Result<std::unique_ptr<ByteSource>>(std::size_t index)>;
Replay replay(const std::vector<std::string>& names, const OpenSegment& open, const ReplayOptions& options);

}  // namespace muster::daemon::tape
