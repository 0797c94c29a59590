#pragma once

#include <string>
#include <string_view>

namespace muster::server {

// The name in a Host field, in small letters and without port and brackets: "[::1]:80" is "::1", "Muster.Example:8080" is
// "muster.example". Empty: there is none that can be read.
std::string host_name(std::string_view field);

// Whether it means this machine whatever a name server says: "localhost" or an address of the loopback. Any other name may belong
// to a stranger who has made it point here, so that his page in a browser on this machine can read what is told to this machine
// alone.
bool is_loopback_name(const std::string& name);

}  // namespace muster::server
