#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/server.h"

namespace muster::daemon {

// Lists of the objects that it was given; watches of which nothing comes. Takes every write and remembers only where it went.
class SilentApiServer {
 public:
  SilentApiServer() {
    server::Router router;
    const auto read = [this](const server::Request& request) { return answer(request); };
    const auto write = [this](const server::Request& request) -> server::Answer {
      const std::lock_guard lock(mutex_);
      written_.push_back(request.path);
      return server::json_response(request.body, 201);
    };
    for (const std::string prefix : {"/api/", "/apis/"})
      router.on_prefix(server::Method::kGet, prefix, read)
          .on_prefix(server::Method::kPost, prefix, write)
          .on_prefix(server::Method::kPatch, prefix, write)
          .on_prefix(server::Method::kPut, prefix, write);
    server::Settings settings;
    settings.listen = "127.0.0.1:0";
    server_ = std::make_unique<server::Server>(std::move(settings), std::move(router));
    EXPECT_TRUE(server_->start());
  }

  void set(const std::string& collection, const std::string& name, std::string object) {
    const std::lock_guard lock(mutex_);
    objects_[collection][name] = std::move(object);
  }
  // Whether there was a write to this path.
  bool is_written(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return std::find(written_.begin(), written_.end(), path) != written_.end();
  }
  std::uint16_t port() const { return server_->port(); }

 private:
  server::Answer answer(const server::Request& request) {
    if (request.parameter("sendInitialEvents")) return server::error_response(422, "lists are not streamed");
    const std::lock_guard lock(mutex_);
    if (request.parameter("watch")) {
      streams_.push_back(std::make_shared<server::Stream>(
          server::Stream::Settings{.content_type = "application/json", .most_bytes = 1 << 20, .heartbeat = ""}));
      return streams_.back();
    }
    std::string items;
    for (const auto& [name, object] : objects_[request.path]) items += (items.empty() ? "" : ",") + object;
    return server::json_response(R"({"metadata":{"resourceVersion":"100"},"items":[)" + items + "]}");
  }

  std::mutex mutex_;
  std::map<std::string, std::map<std::string, std::string>> objects_;
  std::vector<std::shared_ptr<server::Stream>> streams_;
  std::vector<std::string> written_;
  std::unique_ptr<server::Server> server_;
};

// The beginning of an object's metadata, left open.
inline std::string open_metadata(const std::string& name, int version, bool namespaced = true) {
  return R"("metadata":{"name":")" + name + R"(",)" + (namespaced ? R"("namespace":"ns",)" : "") + R"("uid":"u-)" + name +
         R"(","resourceVersion":")" + std::to_string(version) + "\"";
}

}  // namespace muster::daemon
