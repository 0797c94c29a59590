#include "base/assert.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

namespace muster {
namespace {
std::atomic<unsigned long> g_failed{0};
}

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "muster: assertion failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

void expectation_failed(const char* condition, const char* file, int line) {
  static std::mutex mutex;
  static std::set<std::string> reported;
  ++g_failed;
  const std::lock_guard lock(mutex);
  if (!reported.insert(std::string(file) + ":" + std::to_string(line)).second) return;
  std::fprintf(stderr, "muster: unexpected: not %s (%s:%d); going on, further ones are only counted\n", condition, file, line);
}

unsigned long failed_expectations() { return g_failed; }

}  // namespace muster
