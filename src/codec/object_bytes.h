#pragma once

#include "codec/plain_bytes.h"
#include "model/objects.h"

namespace muster {

template <>
struct LastOf<SelectorOp> {
  static constexpr auto value = SelectorOp::kLt;
};
template <>
struct LastOf<TaintEffect> {
  static constexpr auto value = TaintEffect::kNoExecute;
};
template <>
struct LastOf<TolerationOp> {
  static constexpr auto value = TolerationOp::kGt;
};
template <>
struct LastOf<SpreadAction> {
  static constexpr auto value = SpreadAction::kScheduleAnyway;
};
template <>
struct LastOf<NodeInclusion> {
  static constexpr auto value = NodeInclusion::kIgnore;
};
template <>
struct LastOf<TopologyMode> {
  static constexpr auto value = TopologyMode::kSoft;
};
template <>
struct LastOf<HyperNodeMember::Type> {
  static constexpr auto value = HyperNodeMember::Type::kHyperNode;
};
template <>
struct LastOf<AllocationMode> {
  static constexpr auto value = AllocationMode::kUnknown;
};

// Compiled once: an object is much code.
extern template void write_plain<Object>(ByteWriter&, const Object&);
extern template void read_plain<Object>(ByteReader&, Object&);

}  // namespace muster
