#pragma once

// What both dialects do to answer a question: copies are made of objects, and jobs are explained in the cycles over them.

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/whatif.h"
#include "codec/object_reader.h"

namespace muster {

// Names of objects, as object_name() gives them. Most objects are passed by the end of their name, without making the whole.
class LeftOut {
 public:
  LeftOut(const WhatIfQuestion& question, const std::set<std::string>& without) : names_(without.begin(), without.end()) {
    for (const auto& object : question.objects) names_.insert(object_name(object));
    for (const auto& name : names_) ends_.insert(name.substr(name.find_last_of(" /") + 1));
  }

  bool contains(const Object& object) const {
    const auto& name = meta_of(object).name;
    const bool is_whole = name.find_first_of(" /") == std::string::npos;  // as all are that a server has let in
    if (is_whole && !ends_.contains(name)) return false;
    return names_.contains(object_name(object));
  }

 private:
  boost::unordered_flat_set<std::string> names_;
  boost::unordered_flat_set<std::string> ends_;
};

// The objects of a copy: those of a cluster without some, and with others beside them or in their place.
template <class Take>
void for_each_object(const std::vector<Object>& objects, const WhatIfQuestion& question, const std::set<std::string>& without,
                     Take take) {
  const LeftOut left_out(question, without);
  for (const auto& object : objects)
    if (!left_out.contains(object)) take(object);
  for (const auto& object : question.objects) take(object);
}

// Of those who are ahead of a job so many are told of by name: everybody ahead of everybody would be the square of the jobs.
inline constexpr std::size_t kMostAheadNamed = 100;

// Those who explain jobs in one cycle.
template <class SomeExplainer>
class WhatIfExplainers {
 public:
  template <class Cluster>
  WhatIfExplainers(const Cluster& cluster, const std::vector<std::string>& jobs) {
    const auto shared = SomeExplainer::shared_by_all(cluster, kMostAheadNamed);
    for (const auto& job : jobs) {
      auto explainer = SomeExplainer::find(cluster, job, shared);
      if (!explainer) {
        error_ = std::move(explainer.error());
        return;
      }
      explainers_.push_back(std::move(*explainer));
    }
  }

  const std::optional<Error>& error() const { return error_; }
  template <class Session>
  void at_opening(Session& session) {
    for (auto& explainer : explainers_) explainer.at_opening(session);
  }
  template <class Session>
  void after_actions(Session& session) {
    for (auto& explainer : explainers_) explainer.after_actions(session);
  }
  std::vector<Explanation> take(const std::vector<Eviction>& evictions) {
    std::vector<Explanation> out;
    for (auto& explainer : explainers_) out.push_back(explainer.take(evictions));
    return out;
  }

 private:
  std::optional<Error> error_;
  std::vector<SomeExplainer> explainers_;
};

// A cluster of objects, and how copies of it are made.
template <class Copies>
class CopiedObjects : public WhatIfCluster {
 public:
  CopiedObjects(SharedObjects objects, Copies copies) : objects_(std::move(objects)), copies_(std::move(copies)) {}

  const std::vector<Object>& objects() const override { return *objects_; }
  Timestamp now() const override { return copies_.time_of(1); }

 protected:
  const Copies& copies() const { return copies_; }
  // Why a run ends before its time.
  std::optional<Error> interruption() const {
    return copies_.stopped && copies_.stopped() ? std::optional<Error>("nobody waits for the answer any more") : std::nullopt;
  }

 private:
  const SharedObjects objects_;
  const Copies copies_;
};

}  // namespace muster
