#pragma once

#include <functional>

#include "kube/loop.h"

namespace muster::grouper {

// Asks the API server and waits for its answer.
using Exchange = std::function<kube::HttpAnswer(kube::HttpRequest)>;

}  // namespace muster::grouper
