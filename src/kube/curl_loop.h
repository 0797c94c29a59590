#pragma once

#include <memory>
#include <string>

#include "kube/credentials.h"
#include "kube/loop.h"

namespace muster::kube {

struct CurlSettings {
  std::string user_agent = "muster";  // the server formats its answers for people when it begins with "curl"
  std::size_t most_exchanges = 16;    // at a time, streams and urgent ones aside; more wait in the order in which they came
  Duration connect_timeout = std::chrono::seconds(10);
};

// The loop of production: libcurl's multi interface in a thread of its own, HTTP/1.1 over connections that are kept. No redirects;
// proxies only where the access names one. Certificates never touch the disk.
class CurlLoop final : public Loop {
 public:
  CurlLoop(std::unique_ptr<Credentials> credentials, const Clock& clock, CurlSettings settings = {});
  // Drops what is under way; handlers hear nothing more.
  ~CurlLoop() override;
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  void post(std::function<void()> work) override;
  CallId send(HttpRequest request, std::shared_ptr<HttpHandler> handler) override;
  void cancel(CallId call) override;
  void resume(CallId call) override;
  TimerId after(Duration delay, std::function<void()> work) override;
  void cancel(TimerId timer) override;
  const Clock& clock() const override { return clock_; }

  // Runs work on the loop's thread and waits until it is done; from other threads only.
  void run(const std::function<void()>& work);

 private:
  class Engine;

  const Clock& clock_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace muster::kube
