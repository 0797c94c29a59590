#include "policy/volcano/actions/job_line.h"

#include <algorithm>

#include "base/fetch_ahead.h"

namespace muster::volcano {

bool JobLine::before(const Place& left, const Place& right) const {
  for (std::size_t i = 0; i < width_; ++i) {
    const double l = ranks_[left.ranks + i];
    const double r = ranks_[right.ranks + i];
    if (l != r) return l < r;
  }
  return session_->older(left.job, right.job);
}

void JobLine::join(GroupId job) {
  const Place place{job, static_cast<std::uint32_t>(ranks_.size())};
  for (auto* plugin : session_->chain(Point::kJobOrder)) ranks_.push_back(plugin->job_rank(session_->cluster().job(job)));
  if (!started_) {
    sorted_.push_back(place);
    return;
  }
  returned_.push_back(place);
  std::push_heap(returned_.begin(), returned_.end(), [this](const Place& l, const Place& r) { return before(r, l); });
}

GroupId JobLine::pop() {
  if (!started_) {
    started_ = true;
    std::sort(sorted_.begin(), sorted_.end(), [this](const Place& l, const Place& r) { return before(l, r); });
  }
  if (returned_.empty() || (next_ != sorted_.size() && before(sorted_[next_], returned_.front()))) {
    const auto job = sorted_[next_++].job;
    if (next_ != sorted_.size()) {
      fetch_ahead(session_->cluster().job(sorted_[next_].job));
      fetch_ahead(session_->books().group(sorted_[next_].job));
    }
    return job;
  }
  std::pop_heap(returned_.begin(), returned_.end(), [this](const Place& l, const Place& r) { return before(r, l); });
  const auto job = returned_.back().job;
  returned_.pop_back();
  return job;
}

}  // namespace muster::volcano
