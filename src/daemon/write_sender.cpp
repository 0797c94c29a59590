#include "daemon/write_sender.h"

#include "daemon/event_body.h"

namespace muster::daemon {

std::string_view kind_of(const Write& write) {
  static constexpr std::string_view kKinds[] = {"bind", "evict", "create", "delete", "patch", "event", "claim"};
  return kKinds[write.index()];
}

Decided decided_by(const Write& write) {
  return std::visit([](const auto& one) { return decided_of(one); }, write);
}

void WriteSender::send(const Write& write, std::uint64_t number, kube::TimeLeft time_left, kube::OnWritten on_written) {
  writer_.set_time_left(std::move(time_left));
  if (const auto* bind = std::get_if<Bind>(&write)) return send(*bind, std::move(on_written));
  if (const auto* evict = std::get_if<Evict>(&write)) return send(*evict, std::move(on_written));
  if (const auto* create = std::get_if<Create>(&write))
    return writer_.create(create->collection, create->body, std::move(on_written));
  if (const auto* deletion = std::get_if<Delete>(&write))
    return writer_.remove(deletion->object, deletion->uid, std::move(on_written));
  if (const auto* patch = std::get_if<Patch>(&write))
    return writer_.patch(patch->object, patch->type, patch->body, std::move(on_written));
  if (const auto* step = std::get_if<ClaimStep>(&write))
    return writer_.patch(step->object, step->type, step->body, std::move(on_written));
  send(std::get<Event>(write), number, std::move(on_written));
}

void WriteSender::send(const Bind& bind, kube::OnWritten on_written) {
  if (bind.order) return writer_.create(bind.order->collection, bind.order->body, std::move(on_written));
  writer_.bind({.pod = {bind.pod.ns, bind.pod.name, bind.pod.uid, {}}, .node = bind.node, .annotations = bind.annotations},
               std::move(on_written));
}

void WriteSender::send(const Evict& evict, kube::OnWritten on_written) {
  if (!settings_.evict_by_delete) return writer_.evict({.pod = evict.pod}, std::move(on_written));
  writer_.remove({.api_version = "v1", .plural = "pods", .ns = evict.pod.ns, .name = evict.pod.name}, evict.pod.uid,
                 std::move(on_written));
}

void WriteSender::send(const Event& event, std::uint64_t number, kube::OnWritten on_written) {
  const auto ns = event.about.ns.empty() ? std::string("default") : event.about.ns;
  writer_.create({.api_version = "events.k8s.io/v1", .plural = "events", .ns = ns},
                 event_body(event, settings_.scheduler_name, settings_.instance, loop_.clock().wall(), number),
                 std::move(on_written));
}

}  // namespace muster::daemon
