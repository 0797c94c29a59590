#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/result.h"

namespace muster::daemon {

// Where this process spent processor time.
struct StackSamples {
  // How often each stack was seen. A stack begins where the processor was; the others are calls, by an address within the call.
  std::map<std::vector<std::uintptr_t>, std::uint64_t> stacks;
  std::uint64_t taken = 0;
  std::uint64_t lost = 0;  // there was no room for them
};

// Looks a hundred times per second of processor time at the stack of the thread that uses it, from a signal (SIGPROF). Threads that
// wait are not disturbed and not seen. Costs about a microsecond per frame, and room for 20,000 stacks of 64 frames at most, which
// are 200 seconds of one processor. One at a time in a process.
class StackSampler {
 public:
  struct Slots;  // where the signal's handler puts them

  static constexpr std::int64_t kPeriodNanos = 10'000'000;
  static constexpr std::size_t kDeepest = 64;
  static constexpr std::size_t kMost = 20'000;

  // An error: one is at work already.
  static Result<std::unique_ptr<StackSampler>> begin();
  ~StackSampler();
  StackSampler(const StackSampler&) = delete;
  StackSampler& operator=(const StackSampler&) = delete;

  StackSamples end();

 private:
  explicit StackSampler(std::unique_ptr<Slots> slots);
  void stop();

  std::unique_ptr<Slots> slots_;
};

}  // namespace muster::daemon
