#pragma once

#include <optional>

#include "model/devices.h"

namespace muster {

// What a request takes of a device's capacity, by the device's policies: its own wish rounded up to what is offered, or the
// default, or all. Nothing when it wishes for a capacity that the device does not have, or an amount that the device does not
// offer.
std::optional<Counters> capacity_taken(const ResourceList& wishes, const Device& device);

// Whether the amounts fit into a device's capacity besides those that others take.
bool capacity_left(const Device& device, const Counters& wanted, const Counters* taken, const Counters& planned);

}  // namespace muster
