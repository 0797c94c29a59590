// Requests to the embedded cluster, several in a row: "METHOD target", a Content-Type, then a body; a line "----" ends each, and a
// second passes, in which kubelets and controllers work. Every answer is JSON, every refusal a Status with its code, and whoever
// watched has what a list shows.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/split.h"
#include "server/target.h"
#include "sim/cluster.h"

namespace muster::sim {
namespace {

std::string_view next_line(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

server::Answer ask(Cluster& cluster, server::Method method, std::string_view target, std::string_view type, std::string_view body) {
  server::Request request;
  request.method = method;
  if (auto parsed = server::parse_target(target)) {
    request.path = std::move(parsed->path);
    request.query = std::move(parsed->query);
  }
  request.headers.add("Content-Type", std::string(type));
  request.headers.add("Accept", std::string(type.find("as=") == std::string_view::npos ? "application/json" : type));
  request.body = body;
  return cluster.answer(request);
}

void check_answer(const server::Answer& answer) {
  const auto* response = std::get_if<server::Response>(&answer);
  if (response == nullptr || !response->content_type.starts_with("application/json")) return;
  const auto body = Tree::parse(response->body);
  MUSTER_ASSERT(body.has_value());
  if (response->status < 400) return;
  MUSTER_ASSERT(body->text_at("kind") == "Status" && body->integer_at("code") == response->status &&
                !body->text_at("message").empty());
}

void check_watch(Cluster& cluster, server::Stream& stream) {
  std::map<std::string, std::string> seen;
  const auto taken = stream.take();
  for (const auto line : split(taken.bytes, '\n')) {
    if (line.empty()) continue;
    const auto event = Tree::parse(line);
    MUSTER_ASSERT(event.has_value());
    const std::string key =
        std::string(event->text_at("object.metadata.namespace")) + "/" + std::string(event->text_at("object.metadata.name"));
    if (event->text_at("type") == "DELETED")
      MUSTER_ASSERT(seen.erase(key) == 1);
    else
      seen[key] = event->find("object")->text();
  }
  cluster.with([&](Registry& registry) {
    const auto& now = registry.store().objects(kind_named("", "configmaps"));
    MUSTER_ASSERT(now.size() == seen.size());
    for (const auto& [key, object] : now) MUSTER_ASSERT(seen.at(key.ns + "/" + key.name) == object->text);
  });
}

}  // namespace
}  // namespace muster::sim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::sim;
  ClusterSettings settings;
  settings.controllers = true;
  std::int64_t now = 1'700'000'000;
  settings.outside.now = [&now] { return muster::Timestamp{now, 0}; };
  settings.outside.random = [count = std::uint64_t{0}]() mutable { return ++count * 0x9E3779B97F4A7C15ULL; };
  Cluster cluster(settings);
  MUSTER_ASSERT(cluster.open().has_value());
  const auto watch = ask(cluster, muster::server::Method::kGet, "/api/v1/configmaps?watch=1", "", "");
  std::string_view text(reinterpret_cast<const char*>(bytes), size);
  while (!text.empty()) {
    const auto end = text.find("\n----\n");
    auto one = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 6);
    const auto first = next_line(one);
    const auto type = next_line(one);
    const auto space = std::min(first.find(' '), first.size());
    check_answer(ask(cluster, muster::server::method_from(first.substr(0, space)), first.substr(std::min(space + 1, first.size())),
                     type, one));
    ++now;
    cluster.tick();
  }
  check_watch(cluster, *std::get<std::shared_ptr<muster::server::Stream>>(watch));
  return 0;
}
