#pragma once

#include <cstdint>
#include <string>

#include "app/volcano_report.h"
#include "codec/json_writer.h"
#include "policy/kai/session.h"

namespace muster {

// A bind or an eviction, and when it was decided; or that a bind came to nothing, which is no decision.
struct DecisionEntry {
  enum class Kind { kBind, kEvict, kFailedBind, kUnpreparedBind, kUnsentBind };
  std::uint64_t number = 0;  // among those of a process, from 1 on; 0: they are not counted
  std::uint64_t cycle = 0;
  Timestamp time;
  Kind kind = Kind::kBind;
  Eviction decision;  // of a bind: its pod, job, node and rule
};

// An item of a list of decisions.
void write_decision(JsonWriter& json, const DecisionEntry& entry);

// {"decisions": […]} of a cycle whose actions are done, the latest first. In KAI's dialect it has closed.
std::string decisions_json(const volcano::Session& session, std::uint64_t cycle);
std::string decisions_json(const kai::Session& session, std::uint64_t cycle);

}  // namespace muster
