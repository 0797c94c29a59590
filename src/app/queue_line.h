#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/ids.h"

namespace muster {

// The jobs of a queue that have pods to place, in their order.
class QueueLine {
 public:
  explicit QueueLine(std::vector<GroupId> jobs) : jobs_(std::move(jobs)) {
    for (std::size_t place = 0; place < jobs_.size(); ++place) places_.emplace(jobs_[place], place);
  }

  std::size_t size() const { return jobs_.size(); }
  std::span<const GroupId> first(std::size_t count) const { return std::span(jobs_).first(count); }
  // How many are ahead of it; nothing: it is not among them.
  std::optional<std::size_t> ahead_of(GroupId job) const {
    const auto found = places_.find(job);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::vector<GroupId> jobs_;
  boost::unordered_flat_map<GroupId, std::size_t, std::hash<GroupId>> places_;
};

// The lines of a cycle's queues, each made when the first one asks for it. They stay where they are.
class QueueLines {
 public:
  // `make` gives the jobs of a line that is not known yet.
  template <class Make>
  const QueueLine& of(QueueId queue, Make make) {
    const auto known = lines_.find(queue);
    return known != lines_.end() ? known->second : lines_.emplace(queue, QueueLine(make())).first->second;
  }

 private:
  std::map<QueueId, QueueLine> lines_;
};

}  // namespace muster
