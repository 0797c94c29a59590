#pragma once

#include "base/strong_id.h"

namespace muster {

// Dense 32-bit ids of everything the engine keeps in tables. Ids of one kind follow the order of arrival, which is the stable order
// that breaks ties.
using SymbolId = StrongId<struct SymbolTag>;      // an interned string
using ResourceId = StrongId<struct ResourceTag>;  // a resource name
using NodeId = StrongId<struct NodeTag>;
using PodId = StrongId<struct PodTag>;
using GroupId = StrongId<struct GroupTag>;  // pods that are scheduled together
using QueueId = StrongId<struct QueueTag>;
using ShapeId = StrongId<struct ShapeTag>;        // what a pod asks of a node
using LabelSetId = StrongId<struct LabelSetTag>;  // a namespace and a set of labels
using PodTermsId = StrongId<struct PodTermsTag>;  // rules about other pods: affinity and spread
using ClassId = StrongId<struct ClassTag>;        // pods that every enabled plugin treats alike
using ReasonId = StrongId<struct ReasonTag>;      // why a pod does not fit a node
using VerdictId = StrongId<struct VerdictTag>;    // all reasons of one node together

}  // namespace muster
