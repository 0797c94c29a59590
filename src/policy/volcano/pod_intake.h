#pragma once

#include "engine/books.h"
#include "model/objects.h"

namespace muster::volcano {

// What Volcano reads out of a pod object.

// What the pod asks of a node, in the dialect's units; `attachments` are the volumes of storage drivers.
PodShape shape_of(const Pod& pod, const Amounts& attachments, Books& books);
// The same when the volumes of storage drivers turn out to be others.
PodShape with_attachments(PodShape shape, const Amounts& before, const Amounts& now);
PodTerms terms_of(const Pod& pod);
PodState state_of(const Pod& pod);
// The PodGroup that the pod says it belongs to, without its namespace; empty: none.
std::string_view group_name_of(const Pod& pod);
// Its role in the job, Volcano's "task spec", by an annotation or else by a label; empty: none.
std::string_view role_name_of(const Pod& pod);

// The number after the last dash of a name with at least three dash-separated parts.
std::optional<std::int64_t> name_index(const std::string& name);

// Whether an annotation or a label spells a boolean that is true.
bool parses_true(std::string_view text);

}  // namespace muster::volcano
