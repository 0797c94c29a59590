#pragma once

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Keeps system pods from being evicted. It has no say in placing.
class Conformance final : public Plugin {
 public:
  explicit Conformance(Session& session) : Plugin(session) {}
  Points points() const override { return Points(); }
};

}  // namespace muster::volcano
