#pragma once

// Three kinds of assertion. A failed one is a bug in muster, never bad input.
//
//   MUSTER_ASSERT(x)  always checked, ends the process: going on would decide wrongly
//   MUSTER_DCHECK(x)  checked in debug and sanitizer builds only: too dear for the hot path
//   MUSTER_EXPECT(x)  always checked, counted and reported once, and the caller goes on safely; yields the condition

namespace muster {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

// Reports the first failure of each place and counts all of them.
void expectation_failed(const char* condition, const char* file, int line);

// How many MUSTER_EXPECT have failed since the process started: exported as a metric, asserted to be 0 by tests.
unsigned long failed_expectations();

}  // namespace muster

#define MUSTER_ASSERT(x) ((x) ? void(0) : ::muster::assertion_failed(#x, __FILE__, __LINE__))
#define MUSTER_EXPECT(x) ((x) ? true : (::muster::expectation_failed(#x, __FILE__, __LINE__), false))
#ifdef MUSTER_DEBUG_CHECKS
#define MUSTER_DCHECK(x) MUSTER_ASSERT(x)
#else
#define MUSTER_DCHECK(x) static_cast<void>(sizeof(!(x)))
#endif
