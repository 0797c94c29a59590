#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "metrics/volcano_metrics.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
class Capacity;
class Proportion;
}  // namespace muster::volcano

namespace muster::daemon {

// What Volcano's metrics say of queues: as capacity sees them, or proportion. What has not changed is not told again, because there
// may be thousands.
class VolcanoQueueNumbers {
 public:
  explicit VolcanoQueueNumbers(metrics::VolcanoMetrics& metrics) : metrics_(metrics) {}

  // A cycle has opened: what queues deserve, ask for and may have does not change before the next one.
  void on_open(volcano::Session& session);
  // Its actions are over: what queues hold, with what is only promised to them.
  void on_closing(volcano::Session& session);
  void on_gone(const std::string& queue);
  void forget_all();

 private:
  enum Amount { kAllocated, kRequest, kDeserved, kInqueue, kCapacity, kRealCapacity, kAmounts };
  enum Number { kShare, kWeight, kOverused, kNumbers };
  enum class Source { kNone, kProportion, kCapacity };
  struct Told {
    std::array<std::optional<volcano::Resource>, kAmounts> amounts;
    std::array<std::optional<double>, kNumbers> numbers;
  };

  void open_proportion(const volcano::Session& session, const volcano::Proportion& plugin);
  void open_capacity(const volcano::Session& session, const volcano::Capacity& plugin);
  metrics::VolcanoMetrics::QueueAmounts& family(Amount amount);
  metrics::Family<metrics::Gauge>& family(Number number);
  void tell(const std::string& queue, Amount amount, const volcano::Resource& value, const Books& books);
  void tell(const std::string& queue, Number number, double value);
  // Nothing is said of it any more.
  void withdraw(const std::string& queue, Amount amount);
  void withdraw(const std::string& queue, Number number);

  metrics::VolcanoMetrics& metrics_;
  std::map<std::string, Told, std::less<>> told_;
  Source source_ = Source::kNone;
};

}  // namespace muster::daemon
