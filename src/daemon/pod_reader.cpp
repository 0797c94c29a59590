#include "daemon/pod_reader.h"

#include "base/assert.h"

namespace muster::daemon {
namespace {

// What reads objects of a collection.
const KindReader& reader_of(const kube::ObjectPath& path) {
  const KindReader* found = nullptr;
  for (const auto& kind : kube::resource_kinds())
    if (found == nullptr && kind.plural == path.plural) found = find_kind(path.api_version, kind.kind);
  MUSTER_ASSERT(found != nullptr);  // orders are of a kind that is followed
  return *found;
}

}  // namespace

void PodReader::read(const kube::Identity& pod) {
  kube::ObjectPath path{.api_version = "v1", .plural = "pods", .ns = pod.ns, .name = pod.name};
  const auto& kind = reader_of(path);
  reader_.read(std::move(path), kind, [this, pod](std::optional<Object> object) {
    // Another one of that name: the watch tells of both.
    if (object && std::get<Pod>(*object).meta.uid != pod.uid) object.reset();
    callbacks_.on_pod({pod, std::move(object)});
  });
}

void PodReader::read(UnsureOrder order) {
  auto path = order.bind.order->collection;
  path.name = order.bind.order->name;
  const auto& kind = reader_of(path);
  reader_.read(std::move(path), kind,
               [this, order = std::move(order)](std::optional<Object> object) { callbacks_.on_order({order, std::move(object)}); });
}

}  // namespace muster::daemon
