#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "server/server.h"
#include "sim/api.h"
#include "sim/controllers/controllers.h"
#include "sim/disruption.h"
#include "sim/garbage.h"
#include "sim/journal.h"
#include "sim/kubelets.h"
#include "sim/owners.h"

namespace muster::sim {

struct ClusterSettings {
  std::string listen = "127.0.0.1:0";
  // The first part of every path, which only those know who may ask: kubectl sends no token where there is no TLS. Letters and
  // digits.
  std::string token = {};
  std::filesystem::path file = {};    // where everything is kept; empty for in memory
  std::size_t changes_kept = 8192;    // per kind, for watches and pages that go on
  std::int64_t event_seconds = 3600;  // for which events are kept after they were last written; as a real server does
  std::string usual_scheduler = {};   // of pods that name none, or Kubernetes' own; empty: nobody schedules them
  bool kubelets = true;               // simulated ones, that start and end pods
  KubeletSettings simulating = {};
  bool controllers = false;  // of Jobs, Deployments, PodGroups and more: src/sim/controllers
  ControllerSettings controlling = {};
  Outside outside = {};  // the machine's own clock and randomness when left out
  server::Log log = {};
};

// A cluster in this process: objects, their rules, and the Kubernetes API on the loopback. One lock guards everything in it;
// requests come on the server's thread, the work that time brings on a thread of its own.
class Cluster {
 public:
  explicit Cluster(ClusterSettings settings);
  ~Cluster();  // stops
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // Reads the file, if there is one; from then on answer() answers. Once per cluster.
  Result<void> open();
  // The same, and begins to serve.
  Result<void> start();
  void stop();

  std::uint16_t port() const;
  std::string address() const;     // "http://127.0.0.1:4711", with the token
  std::string kubeconfig() const;  // a file for kubectl

  // One request, as the server would ask it. From any thread.
  server::Answer answer(const server::Request& request);
  // Something on the inside, with everything that follows from it. From any thread.
  void with(const std::function<void(Registry&)>& work);
  // What time brings; start() has it called about once a second.
  void tick();

 private:
  server::Answer guarded_answer(const server::Request& request);
  void make_namespaces();
  void settle();
  void drop_old_events();
  void run_ticker();

  ClusterSettings settings_;
  std::mutex mutex_;
  Store store_;
  std::unique_ptr<Journal> journal_;
  Registry registry_;
  std::unique_ptr<Watches> watches_;
  std::unique_ptr<Owners> owners_;
  std::unique_ptr<Garbage> garbage_;
  std::unique_ptr<DisruptionBudgets> budgets_;
  std::unique_ptr<Kubelets> kubelets_;
  std::unique_ptr<Controllers> controllers_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<server::Server> server_;
  std::int64_t events_checked_ = 0;

  std::mutex ticker_mutex_;
  std::condition_variable ticker_wakes_;
  bool stopping_ = false;
  std::thread ticker_;
};

// The clock and the randomness of this machine.
Outside real_outside();

}  // namespace muster::sim
