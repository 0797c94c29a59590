#include "policy/kai/numa/numa_request.h"

namespace muster::kai {
namespace {

double whole_cores(const Container& container) {
  constexpr std::int64_t kCore = 1000;
  const auto found = container.requests.find("cpu");
  if (found == container.requests.end()) return 0;
  const auto milli = found->second.milli();
  return milli % kCore == 0 ? static_cast<double>(milli) : 0;
}

// All that runs at the same time, or the peak of the start where that is more.
class Total {
 public:
  void add(const NumaAmounts& amounts) { sum_.add(amounts); }
  void add_sidecar(const NumaAmounts& amounts) {
    sum_.add(amounts);
    sidecars_.add(amounts);
    peak_.raise(sidecars_);
  }
  void add_starter(NumaAmounts amounts) {
    amounts.add(sidecars_);
    peak_.raise(amounts);
  }
  NumaAmounts take() {
    sum_.raise(peak_);
    return std::move(sum_);
  }

 private:
  NumaAmounts sum_, sidecars_, peak_;
};

}  // namespace

NumaRequest numa_request_of(const Pod& pod, Interner<SymbolId>& symbols) {
  NumaRequest request;
  request.guaranteed = pod.status.qos_class == "Guaranteed";
  request.observed = pod.numa_observed;
  request.predicted = pod.numa_predicted;
  const auto cpu = NumaAmounts::resource("cpu", symbols);
  Total asked, aligned;
  const auto aligned_of = [&](const Container& container, NumaAmounts amounts) {
    amounts.set(cpu, request.guaranteed ? whole_cores(container) : 0);
    return amounts;
  };
  for (const auto& container : pod.spec.init_containers) {
    const NumaAmounts amounts(container.requests, symbols);
    auto part = aligned_of(container, amounts);
    container.restartable ? asked.add_sidecar(amounts) : asked.add_starter(amounts);
    container.restartable ? aligned.add_sidecar(part) : aligned.add_starter(part);
    (container.restartable ? request.together : request.one_by_one).push_back(std::move(part));
  }
  for (const auto& container : pod.spec.containers) {
    const NumaAmounts amounts(container.requests, symbols);
    auto part = aligned_of(container, amounts);
    asked.add(amounts);
    aligned.add(part);
    request.together.push_back(std::move(part));
  }
  request.asked = asked.take();
  request.pod = aligned.take();
  // Overhead counts for the pod as a whole, of cores excepted.
  NumaAmounts overhead(pod.spec.overhead, symbols);
  request.asked.add(overhead);
  overhead.set(cpu, 0);
  request.pod.add(overhead);
  return request;
}

}  // namespace muster::kai
