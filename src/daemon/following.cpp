#include "daemon/following.h"

#include <algorithm>
#include <string_view>

namespace muster::daemon {
namespace {

// What leaders write and decide by: of nodes the locks of their devices, of PodGroups who was let in and since when. Watches may
// not have told of it yet, and whoever decided without it would give nodes, volumes and devices away a second time. The other
// kinds are written by others, whose news may always come late.
constexpr std::string_view kWrittenByLeaders[] = {
    "Node", "PersistentVolume", "PersistentVolumeClaim", "ResourceClaim", "PodGroup", "BindRequest", "Pod"};

}  // namespace

void Following::catch_up() {
  for (auto& reflector : reflectors)
    if (std::ranges::count(kWrittenByLeaders, reflector->kind().kind) > 0 && reflector->list_again()) cycles->await_list();
}

}  // namespace muster::daemon
