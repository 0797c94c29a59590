#pragma once

#include <string>
#include <vector>

#include "engine/books.h"
#include "engine/filters/volume_catalog.h"
#include "model/objects.h"

namespace muster::volcano {

// Volumes of storage drivers count as a resource, attachable-volumes-csi-<driver>: one per volume on the pod's side, the driver's
// limit on the node's. Both are plain counts.

// Adds what a pod's volumes ask for. Claims that are not known ask for nothing yet.
void add_attachments(const Pod& pod, const VolumeCatalog& volumes, const std::vector<std::string>& ignored_provisioners,
                     Books& books, Amounts& request);

// Adds what a node's drivers allow.
void add_attachment_limits(const CsiNode& node, Books& books, Amounts& allocatable);

}  // namespace muster::volcano
