#include "policy/kai/actions/job_line.h"

namespace muster::kai {

bool JobLine::JobBefore::operator()(Job* left, Job* right) const {
  const bool before = line->session_.job_before(*left, *right);
  return line->options_.kind == Kind::kVictims ? !before : before;
}

bool JobLine::NodeBefore::operator()(Node* left, Node* right) const {
  const bool victims = line->options_.kind == Kind::kVictims;
  if (left->empty()) return !victims;
  if (right->empty()) return victims;
  const bool before = line->session_.queue_before(line->side_of(left->queue, *left), line->side_of(right->queue, *right));
  return victims ? !before : before;
}

// The queue with the job that comes next below it, or with the victims of that leaf so far and the next.
QueueSide JobLine::side_of(QueueId queue, const Node& node) const {
  const auto* at = &node;
  while (!at->jobs) at = at->nodes->front();
  QueueSide side{queue, nullptr, {}};
  if (options_.kind == Kind::kPending) {
    side.job = front_of(*at);
    return side;
  }
  if (const auto gone = popped_.find(at->queue); gone != popped_.end()) side.victims = gone->second;
  side.victims.push_back(front_of(*at));
  return side;
}

bool JobLine::is_listed_first(const Node& leaf) const {
  if (leaf.listed == nullptr) return false;
  return leaf.jobs->empty() || JobBefore{const_cast<JobLine*>(this)}(leaf.listed, leaf.jobs->front());
}

// The next that passes, or the first. Places are found again by their keys, because lists change while others are tried out.
void JobLine::find_listed(Node& leaf, const JobLists::Key* after) {
  auto& lists = session_.job_lists();
  lists.refresh();
  leaf.listed = nullptr;
  const auto take = [&](const JobLists::Item& item) {
    if (!filter_(*item.job)) return false;
    leaf.listed = item.job;
    leaf.key = item.key;
    return true;
  };
  if (options_.kind == Kind::kVictims) {
    const auto& list = lists.active(leaf.queue);
    for (auto at = after == nullptr ? list.end() : list.lower_bound({*after, nullptr}); at != list.begin();)
      if (take(*--at)) return;
  } else {
    const auto& list = lists.pending(leaf.queue);
    for (auto at = after == nullptr ? list.begin() : list.upper_bound({*after, nullptr}); at != list.end(); ++at)
      if (take(*at)) return;
  }
}

void JobLine::follow(std::function<bool(Job&)> filter, const std::function<bool(QueueId)>& queue_filter) {
  filter_ = std::move(filter);
  auto& lists = session_.job_lists();
  lists.refresh();
  for (const auto queue : IdRange<QueueId>(lists.queue_count())) {
    if ((options_.kind == Kind::kVictims ? lists.active(queue) : lists.pending(queue)).empty() || !queue_filter(queue)) continue;
    auto leaf = std::make_unique<Node>();
    leaf->queue = queue;
    leaf->jobs.emplace(JobBefore{this});
    find_listed(*leaf, nullptr);
    if (leaf->listed == nullptr) continue;
    auto& node = *(nodes_[queue] = std::move(leaf));
    link(node);
    mark(&node);
  }
}

JobLine::Node& JobLine::make_node(QueueId queue, bool leaf) {
  auto node = std::make_unique<Node>();
  node->queue = queue;
  if (leaf)
    node->jobs.emplace(JobBefore{this});
  else
    node->nodes.emplace(NodeBefore{this});
  return *(nodes_[queue] = std::move(node));
}

void JobLine::push(Job& job) {
  const auto& queues = session_.cluster().queues();
  if (!job.queue || !queues[job.queue].is_leaf() || options_.depth == 0) return;
  const auto found = nodes_.find(job.queue);
  const bool fresh = found == nodes_.end();
  auto& leaf = fresh ? make_node(job.queue, true) : *found->second;
  leaf.jobs->push(&job);
  if (options_.depth && static_cast<std::int64_t>(leaf.jobs->size()) > *options_.depth)
    leaf.jobs->remove(static_cast<std::size_t>(*options_.depth));
  if (fresh) link(leaf);
  mark(&leaf);
}

void JobLine::link(Node& node) {
  const auto parent_queue = session_.cluster().queues()[node.queue].parent;
  if (!parent_queue) {
    if (!roots_) roots_.emplace(NodeBefore{this});
    roots_->push(&node);
    return;
  }
  const auto found = nodes_.find(parent_queue);
  const bool fresh = found == nodes_.end();
  auto& parent = fresh ? make_node(parent_queue, false) : *found->second;
  node.parent = &parent;
  parent.nodes->push(&node);
  if (fresh) link(parent);
}

JobLine::Nodes& JobLine::siblings(Node& node) { return node.parent != nullptr ? *node.parent->nodes : *roots_; }

JobLine::Node& JobLine::top_leaf() {
  auto* heap = &*roots_;
  for (;;) {
    auto* node = heap->front();
    if (node->moved) {
      heap->fix_front();
      node->moved = false;
      continue;
    }
    if (node->jobs) return *node;
    heap = &*node->nodes;
  }
}

Job& JobLine::pop() {
  auto& leaf = top_leaf();
  const bool listed = is_listed_first(leaf);
  Job& job = listed ? *leaf.listed : *leaf.jobs->pop();
  if (listed) {
    const auto key = leaf.key;
    find_listed(leaf, &key);
  }
  if (options_.kind == Kind::kVictims) popped_[leaf.queue].push_back(&job);
  prune(leaf);
  return job;
}

void JobLine::prune(Node& node) {
  if (!node.empty()) return mark(&node);
  auto* parent = node.parent;
  siblings(node).pop();
  nodes_.erase(node.queue);
  if (parent != nullptr) prune(*parent);
}

void JobLine::mark(Node* node) {
  for (; node != nullptr; node = node->parent) node->moved = true;
}

void push_jobs(Session& session, JobLine& line, const JobFilter& filter, const std::function<bool(Job&)>& also) {
  auto& cluster = session.cluster();
  for (const auto id : cluster.listed_jobs()) {
    if (filter.pending && !cluster.watch().waits(id)) continue;
    auto& job = cluster.job(id);
    if (filter.pending && job.count(Status::kPending) == 0) continue;
    if (filter.ready && !job.ready()) continue;
    if (filter.preemptible_only && !job.preemptible) continue;
    if (also && !also(job)) continue;
    line.push(job);
  }
}

}  // namespace muster::kai
