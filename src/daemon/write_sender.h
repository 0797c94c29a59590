#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "daemon/decided.h"
#include "daemon/effects.h"

namespace muster::daemon {

using Write = std::variant<Bind, Evict, Create, Delete, Patch, Event, ClaimStep>;
// In a word, for metrics.
std::string_view kind_of(const Write& write);
Decided decided_by(const Write& write);

// Sends writes as requests to the API server. As with the ApiWriter, nothing is repeated.
class WriteSender {
 public:
  struct Settings {
    bool evict_by_delete = false;
    std::string scheduler_name;  // that events come from
    std::string instance;
  };
  WriteSender(kube::Loop& loop, Settings settings) : loop_(loop), writer_(loop), settings_(std::move(settings)) {}

  // The number is another one for every event.
  void send(const Write& write, std::uint64_t number, kube::TimeLeft time_left, kube::OnWritten on_written);

 private:
  void send(const Bind& bind, kube::OnWritten on_written);
  void send(const Evict& evict, kube::OnWritten on_written);
  void send(const Event& event, std::uint64_t number, kube::OnWritten on_written);

  kube::Loop& loop_;
  kube::ApiWriter writer_;
  const Settings settings_;
};

}  // namespace muster::daemon
