#pragma once

#include <string>
#include <vector>

#include "app/explanation.h"
#include "policy/kai/session.h"

namespace muster {

// A queue with what it may hold, holds and asks for.
struct QueueView {
  std::string name;
  std::string parent;  // empty: none
  std::string state;   // "Open", "Closed"; empty where queues have none
  std::vector<QueueRow> rows;
};

// All queues of a session whose actions are done, by name.
std::vector<QueueView> queue_views(volcano::Session& session);
std::vector<QueueView> queue_views(const kai::Session& session);

// The member "resources" of a queue.
void write_queue_rows(class JsonWriter& json, const std::vector<QueueRow>& rows);

}  // namespace muster
