#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/result.h"
#include "kube/access.h"
#include "kube/clock.h"
#include "kube/exec_credential.h"

namespace muster::kube {

// What a request shows to the server, at one moment.
struct Secrets {
  std::string authorization;  // the header's value; empty for none
  std::string authority;      // PEM texts
  std::string certificate;
  std::string key;
};

// Keeps what proves who we are up to date: files are read again every `kReread`, plugins are run again shortly before what they
// gave expires, both at once when the server refused us. While a plugin runs or a file cannot be read, the last good secrets are
// used. From any thread.
class Credentials {
 public:
  static constexpr Duration kReread = std::chrono::seconds(30);
  static constexpr Duration kLongestPlugin = std::chrono::seconds(60);

  // Reads everything once, and runs the plugin, so that what is wrong is said at the start.
  static Result<std::unique_ptr<Credentials>> open(Access access, const Clock& clock);
  ~Credentials();
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  const Access& access() const { return access_; }
  std::shared_ptr<const Secrets> current();
  // The server answered 401.
  void refused();

 private:
  Credentials(Access access, const Clock& clock) : access_(std::move(access)), clock_(clock) {}
  Result<Secrets> read(const std::optional<ExecCredential>& plugin) const;
  bool plugin_is_stale() const;
  void run_plugin();

  const Access access_;
  const Clock& clock_;
  std::mutex mutex_;
  std::shared_ptr<const Secrets> secrets_;
  std::optional<ExecCredential> plugin_;
  Instant read_at_{};
  Instant plugin_at_{};  // when it was started last
  bool refused_ = false;
  bool running_ = false;
  std::thread runner_;
};

}  // namespace muster::kube
