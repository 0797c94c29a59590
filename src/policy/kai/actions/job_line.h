#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/heap.h"
#include "policy/kai/job_lists.h"
#include "policy/kai/session.h"

namespace muster::kai {

// Jobs in the order in which they get their turn: a tree of heaps, with the queues inside and the jobs in the leaves. A queue is
// compared by the best job below it. When that has changed, the queue is put in its place only once it reaches the top, as in the
// original; until then queues below it may stand where they stood.
class JobLine {
 public:
  enum class Kind : std::uint8_t { kPending, kVictims };  // victims: those that would go first come first
  struct Options {
    Kind kind = Kind::kPending;
    std::optional<std::int64_t> depth;  // of each leaf
  };
  JobLine(Session& session, Options options) : session_(session), options_(options) {}

  // Takes in all jobs of the cycle that wait (victims: that have a place) and pass, each when it would come next. To be called
  // once, before any push. Queues that do not pass have no job that does.
  void follow(std::function<bool(Job&)> filter, const std::function<bool(QueueId)>& queue_filter = [](QueueId) { return true; });
  // Leaves out jobs whose queue takes none.
  void push(Job& job);
  bool empty() const { return !roots_ || roots_->empty(); }
  Job& pop();

 private:
  struct Node;
  struct JobBefore {
    JobLine* line;
    bool operator()(Job* left, Job* right) const;
  };
  struct NodeBefore {
    JobLine* line;
    bool operator()(Node* left, Node* right) const;
  };
  using Jobs = Heap<Job*, JobBefore>;
  using Nodes = Heap<Node*, NodeBefore>;
  struct Node {
    QueueId queue;
    Node* parent = nullptr;
    bool moved = false;          // what is below has changed since it was put in place
    std::optional<Jobs> jobs;    // of a leaf, that were pushed
    Job* listed = nullptr;       // of a leaf, the next of those that are followed
    JobLists::Key key;           // its place among them
    std::optional<Nodes> nodes;  // of any other
    bool empty() const { return jobs ? jobs->empty() && listed == nullptr : nodes->empty(); }
  };

  void find_listed(Node& leaf, const JobLists::Key* after);
  bool is_listed_first(const Node& leaf) const;
  Job* front_of(const Node& leaf) const { return is_listed_first(leaf) ? leaf.listed : leaf.jobs->front(); }
  Node& make_node(QueueId queue, bool leaf);
  void link(Node& node);
  Nodes& siblings(Node& node);
  Node& top_leaf();
  void mark(Node* node);
  void prune(Node& node);
  QueueSide side_of(QueueId queue, const Node& node) const;

  Session& session_;
  Options options_;
  std::function<bool(Job&)> filter_;
  std::optional<Nodes> roots_;
  boost::unordered_flat_map<QueueId, std::unique_ptr<Node>> nodes_;
  boost::unordered_flat_map<QueueId, std::vector<const Job*>> popped_;  // victims only
};

// Jobs that an action looks at.
struct JobFilter {
  bool ready = true;
  bool pending = true;
  bool preemptible_only = false;
};
void push_jobs(Session& session, JobLine& line, const JobFilter& filter, const std::function<bool(Job&)>& also = {});

}  // namespace muster::kai
