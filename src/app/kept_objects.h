#pragma once

namespace muster {

// Whether the objects of a cluster are kept besides what the cluster makes of them: to make another one of them.
enum class Objects { kForgotten, kKept };

}  // namespace muster
