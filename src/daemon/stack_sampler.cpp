#include "daemon/stack_sampler.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <sys/time.h>
#include <thread>
#include <ucontext.h>
#include <unwind.h>

namespace muster::daemon {
namespace {

struct Stack {
  std::array<std::uintptr_t, StackSampler::kDeepest> frames;
  std::size_t depth;
};

}  // namespace

struct StackSampler::Slots {
  std::unique_ptr<Stack[]> stacks = std::make_unique_for_overwrite<Stack[]>(kMost);  // pages that are not used cost nothing
  std::atomic<std::size_t> used = 0;
};

namespace {

// What the handler knows. It counts itself before it looks whether somebody samples, so that who ends the sampling can wait until
// nobody is inside.
std::atomic<StackSampler::Slots*> sampling = nullptr;
std::atomic<int> handlers_inside = 0;
std::atomic<bool> is_sampling = false;  // is taken
static_assert(std::atomic<StackSampler::Slots*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

std::uintptr_t interrupted_at(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#else
#error "where a signal interrupts is not known for this processor"
#endif
}

// The stack as it is walked: first the frames of the handler, which do not count.
struct Walk {
  Stack& stack;
  std::uintptr_t interrupted;
  bool reached = false;
};

_Unwind_Reason_Code on_frame(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  int is_before_call = 0;
  const auto at = static_cast<std::uintptr_t>(_Unwind_GetIPInfo(context, &is_before_call));
  walk.reached = walk.reached || at == walk.interrupted;
  if (!walk.reached) return _URC_NO_REASON;
  if (walk.stack.depth == walk.stack.frames.size() || at == 0) return _URC_END_OF_STACK;
  // Where a call returns to may be another function already.
  walk.stack.frames[walk.stack.depth++] = is_before_call != 0 ? at : at - 1;
  return _URC_NO_REASON;
}

// Runs in the middle of anything: nothing here allocates, locks or waits. The unwinder finds its tables without a lock
// (_dl_find_object of glibc 2.35 and later) and was used once before, so that it has nothing left to set up.
void on_sigprof(int, siginfo_t*, void* context) {
  const int error = errno;
  handlers_inside.fetch_add(1);
  if (auto* slots = sampling.load()) {
    const auto at = slots->used.fetch_add(1);
    if (at < StackSampler::kMost) {
      auto& stack = slots->stacks[at];
      stack.depth = 0;
      Walk walk{.stack = stack, .interrupted = interrupted_at(context)};
      _Unwind_Backtrace(on_frame, &walk);
      if (stack.depth == 0) stack.frames[stack.depth++] = walk.interrupted;
    }
  }
  handlers_inside.fetch_sub(1);
  errno = error;
}

_Unwind_Reason_Code on_first_frame(_Unwind_Context*, void*) { return _URC_END_OF_STACK; }

void set_timer(std::int64_t period_nanos) {
  itimerval timer{};
  timer.it_interval.tv_usec = static_cast<suseconds_t>(period_nanos / 1000);
  timer.it_value = timer.it_interval;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

StackSampler::StackSampler(std::unique_ptr<Slots> slots) : slots_(std::move(slots)) {}

Result<std::unique_ptr<StackSampler>> StackSampler::begin() {
  if (is_sampling.exchange(true)) return fail("a profile is being taken already");
  std::unique_ptr<StackSampler> made(new StackSampler(std::make_unique<Slots>()));
  _Unwind_Backtrace(on_first_frame, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_sigprof;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPROF, &action, nullptr);  // stays: a signal may still be under way when the sampling has ended
  sampling = made->slots_.get();
  set_timer(kPeriodNanos);
  return made;
}

void StackSampler::stop() {
  if (sampling.load() != slots_.get()) return;
  set_timer(0);
  sampling = nullptr;
  while (handlers_inside.load() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  is_sampling = false;
}

StackSampler::~StackSampler() { stop(); }

StackSamples StackSampler::end() {
  stop();
  StackSamples samples;
  samples.taken = std::min(slots_->used.load(), kMost);
  samples.lost = slots_->used.load() - samples.taken;
  for (std::size_t i = 0; i < samples.taken; ++i) {
    const auto& stack = slots_->stacks[i];
    ++samples.stacks[{stack.frames.begin(), stack.frames.begin() + static_cast<std::ptrdiff_t>(stack.depth)}];
  }
  return samples;
}

}  // namespace muster::daemon
