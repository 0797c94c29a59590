#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/heap.h"
#include "policy/volcano/session.h"

namespace muster::volcano {

struct TaskBefore {
  Session* session;
  bool operator()(PodId left, PodId right) const { return session->task_before(left, right); }
};
// Tasks to be placed, best first.
using TaskHeap = Heap<PodId, TaskBefore>;

// Whether tasks take part whose only gate is the one that their queue's admission opens.
enum class GatedTasks { kOwnGate, kNone };
// Whether a task is to be placed by actions that look at resources: it waits, is not gated and asks for something.
bool to_be_placed(const Session& session, PodId pod, GatedTasks gated);

// What a job still has to place, by sub-job: first those that are needed for the minimum of their policies, then in the order of
// the plugins. A job that is not divided is one sheet. Copies are independent, so that domains can be tried.
class JobWorksheet {
 public:
  struct Sheet {
    SubJobId sub_job;  // none: the whole job
    TaskHeap tasks;
  };

  JobWorksheet(Session& session, const Job& job, GatedTasks gated);

  bool empty() const { return order_.empty(); }
  // The sheet whose turn it is; it leaves until back().
  Sheet& next() { return sheets_[order_.pop()]; }
  void back(const Sheet& sheet) { order_.push(static_cast<std::size_t>(&sheet - sheets_.data())); }
  const std::vector<Sheet>& sheets() const { return sheets_; }

 private:
  struct Row {
    const SubJob* sub_job;
    bool required;
  };
  struct SheetBefore {
    Session* session;
    std::shared_ptr<std::vector<Row>> rows;
    bool operator()(std::size_t left, std::size_t right) const;
  };
  void add(Session& session, SubJobId sub_job, std::span<const PodId> pods, GatedTasks gated);

  std::vector<Sheet> sheets_;
  std::shared_ptr<std::vector<Row>> rows_;  // by sheet
  Heap<std::size_t, SheetBefore> order_;
};

}  // namespace muster::volcano
