#pragma once

#include <string_view>
#include <vector>

#include "engine/outbox.h"
#include "policy/kai/task.h"

namespace muster::kai {

class Session;

// A transaction: what it does takes effect at once in the session's books and is then decided or undone together. A log of what was
// done, so undoing costs what was done.
class Statement {
 public:
  explicit Statement(Session& session) : session_(session) {}

  // What to do with a task that is still accounted on the node it is to wait for: keep it there by taking back its eviction, or
  // count it as one that waits.
  enum class IfThere : std::uint8_t { kUnevict, kUpdate };

  void allocate(PodId pod, NodeId node);
  // False: it is there, and this statement did not evict it.
  bool pipeline(PodId pod, NodeId node, IfThere if_there);
  // False: its node is not of this shard. `rule` is a literal.
  bool evict(PodId pod, std::string_view rule, const Beneficiary& for_whom);

  // A mark in the log, and undoing back to it.
  using Checkpoint = std::size_t;
  Checkpoint checkpoint() const { return steps_.size(); }
  void rollback(Checkpoint to);
  void discard() { rollback(0); }

  // Makes every placement of the job one that waits for others to leave.
  void convert_to_pipelined(GroupId job);

  // Decides everything, in order.
  void commit(std::string_view rule);

  bool empty() const { return steps_.empty(); }
  // Those that it has leave their places, also for another one.
  std::vector<PodId> evicted() const;

 private:
  struct Step {
    enum class Kind : std::uint8_t { kAllocate, kPipeline, kEvict, kUnevict };
    Kind kind;
    bool undone = false;  // an eviction that was taken back
    bool was_virtual = false;
    bool again = false;  // evicts a task that this statement has evicted already
    PodId pod;
    NodeId node;                // where it went, or whence it goes
    Status status;              // before
    NodeId previous_node;       // before
    GpuGroups groups;           // before
    NumaPlacement numa;         // before
    ClaimedDevicesPtr devices;  // before
    std::string_view rule = {};
    Beneficiary for_whom = {};
    std::size_t unevicts = 0;  // the step that it took back
  };
  Step step_of(Step::Kind kind, PodId pod, NodeId node) const;
  void undo(const Step& step);
  void do_evict(PodId pod, NodeId node);
  void undo_evict(const Step& step);
  bool unevict(PodId pod);
  void promise_room();

  Session& session_;
  std::vector<Step> steps_;
};

}  // namespace muster::kai
