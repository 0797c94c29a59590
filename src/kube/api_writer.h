#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/api_status.h"
#include "kube/loop.h"
#include "kube/object_decoder.h"
#include "kube/resource_kinds.h"

namespace muster::kube {

// What became of a write. Nothing else comes back.
enum class WriteOutcome {
  kDone,
  kBound,            // the pod has its node
  kAlreadyBound,     // it had one, perhaps the same
  kNotBindable,      // it is being deleted, gated, or not the pod that was meant
  kEvicted,          // or on its way
  kBlockedByBudget,  // a disruption budget allows none now
  kGone,             // no such object, or another one of that name
  kAlreadyExists,
  kConflict,         // somebody else wrote meanwhile: read again
  kManagedByOthers,  // server-side apply: others own what was to be set
  kInvalid,          // the server does not want it, now or later
  kForbidden,        // by a missing right
  kDenied,           // by who looks at requests before they are carried out, such as a webhook: may be otherwise the next time
  kUnauthenticated,
  kThrottled,  // the server has too much to do: says nothing of the write itself
  kServerFault,
  kUnknown,  // no answer: it may have been done
};
std::string_view text_of(WriteOutcome outcome);

struct WriteResult {
  WriteOutcome outcome = WriteOutcome::kUnknown;
  std::optional<Duration> retry_after;  // when the server named a time
  std::string message;                  // what the server said, unless it was done
  std::string body;                     // the object as it is now, when it was done
  bool was_sent = true;
  bool is_passing = false;  // the server is starting, or cannot reach what it needs: says nothing of the write itself
};
using OnWritten = std::function<void(WriteResult)>;

// Strategic merging, by which lists keep what is not named, is for core kinds alone.
enum class PatchType { kMerge, kStrategic, kJson };

// The texts of requests.
struct BindingRequest {
  Identity pod;  // uid and resource version are preconditions; leave empty what does not matter
  std::string node;
  std::map<std::string, std::string> annotations = {};  // merged into the pod's
};
std::string binding_body(const BindingRequest& binding);
struct EvictionRequest {
  Identity pod;  // the uid is a precondition
};
std::string eviction_body(const EvictionRequest& eviction);

// What the answer to a write means: `judged` by what was asked. See judge().
WriteOutcome binding_outcome(const Judged& judged);
WriteOutcome eviction_outcome(const Judged& judged);
WriteOutcome guarded_outcome(const Judged& judged);  // of what may name a uid
WriteOutcome write_outcome(const Judged& judged);

// Sends writes. Nothing is repeated here: who decided knows best whether it still holds. Only libcurl sends a request again whose
// kept connection was dead before any answer, so a bind that succeeded may be told as kAlreadyBound. Lives on a loop; callable from
// any thread, and the callbacks come on the loop's thread. Writes are sent in the order of the calls, and may arrive in another:
// who writes twice to one object waits for the first answer.
class ApiWriter {
 public:
  explicit ApiWriter(Loop& loop) : loop_(loop) {}

  // Of all that is written from now on. Not while others write.
  void set_time_left(TimeLeft time_left) { time_left_ = std::move(time_left); }

  void bind(const BindingRequest& binding, OnWritten on_written);
  void evict(const EvictionRequest& eviction, OnWritten on_written);

  void create(const ObjectPath& collection, std::string body, OnWritten on_written);
  void patch(const ObjectPath& object, PatchType type, std::string body, OnWritten on_written);
  // Server-side apply. With `force`, fields that others own are taken over.
  void apply(const ObjectPath& object, const std::string& manager, bool force, std::string body, OnWritten on_written);
  // An empty uid deletes whatever has the name.
  void remove(const ObjectPath& object, const std::string& uid, OnWritten on_written);

 private:
  using Judge = WriteOutcome (*)(const Judged&);
  void send(HttpRequest request, Judge judge_outcome, OnWritten on_written);

  Loop& loop_;
  TimeLeft time_left_;
};

}  // namespace muster::kube
