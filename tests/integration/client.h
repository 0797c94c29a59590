#pragma once

// What a test needs to talk to a server as the scheduler does.

#include <future>
#include <gtest/gtest.h>

#include "kube/curl_loop.h"
#include "kube/reflector.h"

namespace muster::kube {

class Client {
 public:
  explicit Client(const Access& access, CurlSettings settings = {}) {
    auto credentials = Credentials::open(access, clock_);
    if (!credentials) throw std::runtime_error(credentials.error().text());
    loop_ = std::make_unique<CurlLoop>(std::move(*credentials), clock_, std::move(settings));
  }
  ~Client() {
    loop_->run([this] { reflectors_.clear(); });
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  CurlLoop& loop() { return *loop_; }
  EventQueue& queue() { return queue_; }

  HttpAnswer get(HttpRequest request) {
    std::promise<HttpAnswer> answer;
    loop_->post(
        [&] { ask(*loop_, std::move(request), std::size_t{64} << 20, [&](HttpAnswer one) { answer.set_value(std::move(one)); }); });
    return answer.get_future().get();
  }

  Reflector& follow(const ResourceKind& kind, const ReflectorSettings& settings) {
    Reflector* out = nullptr;
    loop_->run([&] {
      reflectors_.push_back(std::make_unique<Reflector>(*loop_, kind, queue_, settings, system_random()));
      out = reflectors_.back().get();
      out->start();
    });
    queue_.on_room([this] {
      loop_->post([this] {
        for (auto& one : reflectors_) one->on_room();
      });
    });
    return *out;
  }

  // "+a1 *b2 -c =": waits until that many changes have come, or ten seconds.
  std::string told(std::size_t count) {
    std::string out;
    const auto end = clock_.now() + std::chrono::seconds(10);
    for (std::size_t seen = 0; seen < count && clock_.now() < end;)
      for (const auto& change : queue_.take(count - seen, std::chrono::milliseconds(100))) {
        ++seen;
        if (!out.empty()) out += " ";
        switch (change.type) {
          case ChangeType::kAdded: out += "+" + change.id.name + change.id.resource_version; break;
          case ChangeType::kModified: out += "*" + change.id.name + change.id.resource_version; break;
          case ChangeType::kDeleted: out += "-" + change.id.name; break;
          case ChangeType::kUnchanged: out += "~" + change.id.name + change.id.resource_version; break;
          case ChangeType::kSynced: out += "="; break;
        }
      }
    return out;
  }

 private:
  SystemClock clock_;
  std::unique_ptr<CurlLoop> loop_;
  EventQueue queue_{1000};
  std::vector<std::unique_ptr<Reflector>> reflectors_;
};

}  // namespace muster::kube
