#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "app/configuration_json.h"
#include "app/whatif.h"
#include "daemon/cluster_views.h"
#include "daemon/cycle_log.h"
#include "daemon/cycle_news.h"
#include "daemon/decision_log.h"
#include "daemon/job_lives.h"
#include "daemon/watched_config.h"
#include "server/router.h"

namespace muster::daemon {

// What others may read of a running scheduler, as JSON under /api/v1/. What is told of the cluster is looked at by the deciding
// thread, in a cycle that begins for it, so that all of one answer belongs together.
class Api {
 public:
  // Finds out what would make a job fit that waits, and tells it, or why it cannot.
  using AskFitsIf = std::function<void(const std::string& job, std::function<void(const Result<WhatIfAnswer>&)> tell)>;
  struct Questions {
    const kube::Clock& clock;
    ClusterViews::Post post;
    CycleNews::After after;
    std::function<bool()> leading;
    std::function<std::string()> leader;  // its identity, as far as it is known
    std::function<bool()> evictions_stopped;
    std::function<ConfigInForce()> config;
    std::vector<ConfigurationKey> flags = {};
    bool has_whatif = false;  // whether somebody answers /api/v1/whatif
    AskFitsIf fits_if = {};   // likewise
  };
  Api(std::string dialect, Questions questions);

  void add_routes(server::Router& router);
  // The deciding thread will be told all objects anew.
  void begin_anew() { lives_.begin_anew(); }
  // On the deciding thread, before it takes the change in.
  void on_change(const kube::Change& change);
  // From any thread.
  void on_written(const WriteReport& report);
  void on_not_bound(const Bind& bind, NotBound how, const std::string& why);
  // After a cycle, on the deciding thread.
  void on_cycle(const CycleLoop& cycles, const CycleOutcome& outcome);

 private:
  server::Answer state();
  server::Answer job(const server::Request& request);
  server::Answer node(const server::Request& request);
  using Completed = std::function<void(std::string told, std::function<void(std::string)> give)>;
  Sight::OnJob remember_reasons();
  // What a sight tells, completed by others if need be.
  server::Answer one(Sight sight, Completed complete = {});
  server::Answer decisions(const server::Request& request) const;
  server::Answer timeline(const server::Request& request) const;
  server::Answer configuration() const;
  server::Answer events();

  const std::string dialect_;
  const Questions questions_;
  const std::string process_;  // no other has this name
  DecisionLog decisions_;
  JobLives lives_;
  CycleLog cycles_;
  CycleNews news_;
  ClusterViews views_;
  std::shared_ptr<std::atomic<int>> asked_for_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace muster::daemon
