#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "engine/ids.h"

namespace muster::volcano {

class Session;

// What the plugin extender asks.
enum class ExtenderTopic {
  kSessionOpen,
  kSessionClose,
  kPredicate,
  kPrioritize,
  kPreemptable,
  kReclaimable,
  kQueueOverused,
  kJobEnqueueable,
  kJobEnqueued,
  kJobReady,
  kAllocate,
  kDeallocate,
};

// One question, and about whom; what the topic does not need is empty.
struct ExtenderQuestion {
  ExtenderTopic topic = ExtenderTopic::kSessionOpen;
  std::string url = {};            // in full
  std::int64_t timeout_nanos = 0;  // after which there is no answer
  PodId pod = {};                  // also the one for whom others would be evicted
  std::span<const NodeId> nodes = {};
  std::span<const PodId> candidates = {};
  GroupId job = {};
  QueueId queue = {};
};

// An answer in names and numbers, so that it can be kept and given again. What the topic does not have is at its default.
struct ExtenderAnswer {
  std::string message = {};                   // what speaks against it, or why it failed; empty: nothing
  std::int64_t code = 0;                      // of a predicate
  std::int64_t vote = 0;                      // negative, 0 or positive
  bool flag = false;                          // overused, ready
  bool has_scores = false;                    // a map of scores was given, if only an empty one
  std::map<std::string, double> scores = {};  // by node
  std::vector<std::string> victims = {};      // uids of pods
};

struct ExtenderFailure {
  std::string message;
  bool unreachable = false;  // nobody answered at all, rather than wrongly
};

// The way to an HTTP extender. The answer comes from outside in the middle of a decision, so it is an input like any other: whoever
// implements this asks a service, or gives the answers of an earlier run.
class ExtenderClient {
 public:
  virtual ~ExtenderClient() = default;
  virtual tl::expected<ExtenderAnswer, ExtenderFailure> ask(const Session& session, const ExtenderQuestion& question) = 0;
};

}  // namespace muster::volcano
