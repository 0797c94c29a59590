#include "cli/large_pages.h"

#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace muster::cli {

void prefer_large_pages() {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  constexpr int kLargestOnHeap = 32 << 20;  // the most that the allocator admits
  constexpr int kReserved = 512 << 20;
  constexpr int kUsualGrowth = 1 << 20;
  // The heap is extended once by a range of addresses, which the kernel backs only as it is touched.
  mallopt(M_MMAP_THRESHOLD, kLargestOnHeap);
  mallopt(M_TRIM_THRESHOLD, kReserved);
  mallopt(M_TOP_PAD, kReserved);
  void* volatile first = std::malloc(kLargePage);
  const auto begin = (reinterpret_cast<std::uintptr_t>(first) + kLargePage - 1) & ~(kLargePage - 1);
  std::free(first);
  mallopt(M_TOP_PAD, kUsualGrowth);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  if (first != nullptr && begin < end) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the addresses between two others are nobody's object
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // advice: may fail
  }
#endif
}

}  // namespace muster::cli
