#pragma once

#include <functional>
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

  // Why something could not be renewed, once for each text in a row. From whatever thread found out; must not call back.
  using OnProblem = std::function<void(const std::string&)>;

  // Reads everything once, and runs the plugin, so that what is wrong is said at the start.
  static Result<std::unique_ptr<Credentials>> open(Access access, const Clock& clock, OnProblem on_problem = {});
  ~Credentials();
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  const Access& access() const { return access_; }
  std::shared_ptr<const Secrets> current();
  // The server answered 401.
  void refused();

 private:
  Credentials(Access access, const Clock& clock, OnProblem on_problem)
      : access_(std::move(access)), clock_(clock), on_problem_(std::move(on_problem)) {}
  Result<Secrets> read(const std::optional<ExecCredential>& plugin) const;
  void renew();
  void tell(const std::string& problem);
  bool plugin_is_stale() const;
  void run_plugin();

  const Access access_;
  const Clock& clock_;
  const OnProblem on_problem_;
  std::mutex mutex_;
  std::shared_ptr<const Secrets> secrets_;
  std::optional<ExecCredential> plugin_;
  Instant read_at_{};
  Instant plugin_at_{};  // when it was started last
  std::string told_;     // the last problem, as long as it lasts
  bool refused_ = false;
  bool running_ = false;
  std::thread runner_;
};

}  // namespace muster::kube
