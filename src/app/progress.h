#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace muster {

// Is told now and then how far long work has come: "reading objects", 120000. Whoever listens decides whether anybody sees it.
using Progress = std::function<void(std::string_view doing, std::uint64_t done)>;

}  // namespace muster
