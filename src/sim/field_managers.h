#pragma once

#include <string>

#include "sim/api_error.h"
#include "sim/field_sets.h"
#include "sim/kinds.h"
#include "sim/tree.h"

namespace muster::sim {

// Who writes. What one name writes by a subresource it owns apart from what it writes otherwise: an apply of the status takes
// nothing of the rest away.
struct FieldWriter {
  std::string manager;
  std::string now;               // RFC 3339
  std::string subresource = {};  // "status"
};

enum class OnConflict { kRefuse, kTakeOver };

// Server-side apply, simplified: `live` becomes what it was with the fields of `applied` set, and without those that the manager
// applied before and no longer does, unless another manager has them. Fields that another manager has with another value are a
// conflict (409), or are taken over.
//
// Who owns what is known of the managers that apply, and of other writes since the first apply: before it, nobody owns anything.
Answered<Tree> applied_onto(const Kind& kind, Tree live, const Tree& applied, const FieldWriter& writer, OnConflict on_conflict);

// After another kind of write: what it changed now belongs to its manager. Does nothing for objects that were never applied.
void note_update(const Kind& kind, const Tree& before, Tree& after, const FieldWriter& writer);

}  // namespace muster::sim
