#pragma once

#include "codec/plain_bytes.h"
#include "model/objects.h"

namespace muster {

template <>
struct LastOf<SelectorOp> {
  static constexpr auto kValue = SelectorOp::kLt;
};
template <>
struct LastOf<TaintEffect> {
  static constexpr auto kValue = TaintEffect::kNoExecute;
};
template <>
struct LastOf<TolerationOp> {
  static constexpr auto kValue = TolerationOp::kGt;
};
template <>
struct LastOf<SpreadAction> {
  static constexpr auto kValue = SpreadAction::kScheduleAnyway;
};
template <>
struct LastOf<NodeInclusion> {
  static constexpr auto kValue = NodeInclusion::kIgnore;
};
template <>
struct LastOf<TopologyMode> {
  static constexpr auto kValue = TopologyMode::kSoft;
};
template <>
struct LastOf<HyperNodeMember::Type> {
  static constexpr auto kValue = HyperNodeMember::Type::kHyperNode;
};
template <>
struct LastOf<AllocationMode> {
  static constexpr auto kValue = AllocationMode::kUnknown;
};

// Compiled once: an object is much code.
extern template void write_plain<Object>(ByteWriter&, const Object&);
extern template void read_plain<Object>(ByteReader&, Object&);

}  // namespace muster
