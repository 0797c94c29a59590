#pragma once

#include "engine/books.h"
#include "engine/fit.h"

namespace muster {

// Whether a node has what a pod asks for: now, or once those that are leaving have left.
class ResourceFit {
 public:
  ResourceFit(const Books& books, FitTable& fits) : books_(books), fits_(fits) {}

  bool fits_now(const Amounts& request, NodeId node) const {
    for (const auto& [resource, amount] : request)
      if (amount > books_.ledgers().idle[resource.index()][node.index()]) return false;
    return true;
  }
  // The first resource of which there will not be enough: cpu, memory, then the others.
  ResourceId first_lacking(const Amounts& request, NodeId node) const {
    if (books_.nothing_moves()) {
      for (const auto& [resource, amount] : request)
        if (amount > books_.ledgers().idle[resource.index()][node.index()]) return resource;
      return ResourceId();
    }
    for (const auto& [resource, amount] : request)
      if (amount > books_.free_later(resource, node)) return resource;
    return ResourceId();
  }
  // "Insufficient cpu"
  FitStatus refusal(ResourceId lacking) {
    if (reasons_.size() <= lacking.index()) reasons_.resize(books_.resource_count());
    auto& reason = reasons_[lacking];
    if (!reason) reason = fits_.reason("Insufficient " + books_.resource_name(lacking));
    return FitStatus{FitCode::kUnschedulable, reason};
  }

 private:
  const Books& books_;
  FitTable& fits_;
  IdVector<ResourceId, ReasonId> reasons_;
};

}  // namespace muster
