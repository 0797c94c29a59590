#include "policy/volcano/plugins/drf.h"

#include "policy/volcano/plugins/fair_tree.h"
#include "policy/volcano/session.h"

namespace muster::volcano {

Drf::Drf(Session& session, const PluginOption& option) : Plugin(session), hierarchy_(option.enabled(Hook::kHierarchy)) {}

Drf::~Drf() = default;

Points Drf::points() const { return hierarchy_ ? Points(Point::kJobOrder, Point::kQueueOrder) : Points(Point::kJobOrder); }

void Drf::open() {
  const Resource total(session().books().total_allocatable());
  for (const auto id : total.significant()) total_.emplace_back(id, total.get(id));
  attributes_.resize(session().cluster().job_count());
  if (!hierarchy_) return;
  tree_ = std::make_unique<FairTree>(session().cluster(), total);
  for (const auto id : IdRange<GroupId>(session().cluster().job_count()))
    if (session().cluster().job(id).schedulable()) tree_->set(session().cluster().job(id), Resource(attribute(id).allocated));
  tree_->update();
}

double Drf::share(const Amounts& allocated) const {
  double largest = 0;
  for (const auto& [id, whole] : total_) largest = std::max(largest, share_of(static_cast<double>(allocated.get(id)), whole));
  return largest;
}

// Shares are computed when they are first asked for: most jobs of a large cluster run and are never compared.
Drf::Attribute& Drf::attribute(GroupId job) {
  auto& attribute = attributes_[job];
  if (!attribute.known) {
    attribute.known = true;
    attribute.allocated = session().books().group(job).held;
    attribute.share = share(attribute.allocated);
  }
  return attribute;
}

int Drf::compare_jobs(const Job& left, const Job& right) {
  const double l = attribute(left.id).share;
  const double r = attribute(right.id).share;
  return l == r ? 0 : l < r ? -1 : 1;
}

int Drf::compare_queues(QueueId left, QueueId right) {
  const double difference = tree_->compare(left, right);
  return difference == 0 ? 0 : difference < 0 ? -1 : 1;
}

void Drf::change(PodId pod, bool placed) {
  const auto& record = session().books().pod(pod);
  const auto& request = session().books().shape(record.shape).request;
  const bool known = attributes_[record.group].known;
  auto& attribute = this->attribute(record.group);
  if (!known && placed && kHoldingStates.contains(record.state)) attribute.allocated -= request;  // already among what the job holds
  placed ? attribute.allocated += request : attribute.allocated -= request;
  attribute.share = share(attribute.allocated);
  if (!tree_) return;
  const auto& job = session().cluster().job(record.group);
  if (!job.queue) return;
  tree_->set(job, Resource(attribute.allocated));
  tree_->update();
}

bool Drf::on_allocate(PodId pod) {
  change(pod, true);
  return true;
}

void Drf::on_deallocate(PodId pod) { change(pod, false); }

}  // namespace muster::volcano
