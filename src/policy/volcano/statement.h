#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/ids.h"
#include "engine/outbox.h"
#include "policy/volcano/job.h"

namespace muster::volcano {

class Session;

// A transaction: placements that take effect at once in the session's books and are then decided or undone together. It is a log of
// what was done, so undoing costs what was done.
class Statement {
 public:
  explicit Statement(Session& session) : session_(session) {}

  // Places a pod on free resources, or on resources that are about to be freed. False: a plugin refused, nothing changed.
  bool allocate(PodId pod, NodeId node);
  bool pipeline(PodId pod, NodeId node, bool evicted_others = false);
  // Marks a pod as leaving: its resources count as about to be freed. `rule` is a literal.
  void evict(PodId pod, std::string_view rule, const Beneficiary& for_whom);

  // What a statement did, to be done again on another one after this one was discarded. Whatever replay() did before it failed
  // stays done, and false comes back.
  class Plan;
  Plan save() const;
  bool replay(const Plan& plan);

  // The pods that it evicts, and those that it places, in the order in which it did.
  std::vector<PodId> victims() const;
  std::vector<PodId> placed() const;
  // Takes back the eviction of one of them for good if `holds` is true without it.
  void spare_if(PodId pod, const std::function<bool()>& holds);
  // Takes off one that it has placed, asks `fits` about its node, and puts it back. False also when a plugin then refuses what it
  // had accepted before: the pod is not placed any more.
  bool could_place_again(PodId pod, const std::function<bool(NodeId)>& fits);

  // Takes over what another statement did; the other is empty then.
  void merge(Statement&& other);

  bool has_evictions() const;
  bool empty() const { return steps_.empty(); }
  std::size_t size() const { return steps_.size(); }

  // Undoes everything, last first; each task remembers what had been planned for it.
  void discard();
  // Ends a cycle for a statement that was neither discarded nor committed: takes back what was not decided in the meantime.
  void release();
  // Decides every allocation, in order. A pod that no longer fits is taken back alone.
  void commit(std::string_view rule);

 private:
  struct Step {
    enum class Kind : std::uint8_t { kAllocate, kPipeline, kEvict };
    Kind kind;
    bool evicted_others = false;
    PodId pod;
    std::string_view rule;  // of an eviction
    Beneficiary for_whom;   // of an eviction
  };
  enum class Effect { kPlaces, kEvicts };
  std::size_t step_of(PodId pod, Effect effect) const;
  void mark_leaving(PodId pod);
  void undo(const Step& step);
  bool redo(const Step& step, NodeId node);

  Session& session_;
  std::vector<Step> steps_;
};

// Also what each task remembered of earlier transactions, which trying things out in between must not change.
class Statement::Plan {
 public:
  bool empty() const { return steps_.empty(); }
  void append(Plan other);

 private:
  friend class Statement;
  struct Planned {
    Step step;
    NodeId node;
    std::optional<LastTransaction> last;
  };
  std::vector<Planned> steps_;
};

}  // namespace muster::volcano
