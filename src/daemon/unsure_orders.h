#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "daemon/effects.h"
#include "model/objects.h"

namespace muster::daemon {

// An order to bind that may be there without our knowing.
struct UnsureOrder {
  Bind bind;
  kube::WriteResult result;  // of its creation
  std::uint64_t number = 0;  // another one whenever we are unsure
  std::uint64_t term = 0;    // of the leadership in which it was decided
};

// The order as it was read on purpose; nothing: there is none.
struct OrderReading {
  UnsureOrder asked;
  std::optional<Object> order;
};

// Orders that got no answer, or one that does not tell whether the server took them. Their pods count as decided about until the
// order has been read: whoever would be given their room before might find it taken.
class UnsureOrders {
 public:
  // Whether only a look at the server tells.
  static bool is_unsure(const Bind& bind, kube::WriteOutcome outcome);

  // To be read.
  UnsureOrder begin(const Bind& bind, const kube::WriteResult& result, std::uint64_t term);
  // Whether we are still unsure about just this one: something else may have told by now.
  bool contains(const UnsureOrder& order) const;
  // Whether it is to be created again when it is not there. Not for ever: there may be something about it that breaks connections.
  bool may_come_again(const UnsureOrder& order) const;
  // How it ended is known, or the pod is gone.
  void forget(const std::string& pod) { pods_.erase(pod); }

 private:
  struct Doubt {
    std::uint64_t number = 0;
    int unanswered = 0;  // times in a row
  };
  boost::unordered_flat_map<std::string, Doubt> pods_;  // by uid
  std::uint64_t last_ = 0;
};

}  // namespace muster::daemon
