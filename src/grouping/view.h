#pragma once

#include <string>
#include <tl/expected.hpp>

#include "grouping/object.h"

namespace muster::grouping {

// What groupers ask of the cluster beside the pod.
class View {
 public:
  enum class Missing {
    kNotThere,
    kForbidden,   // it may be there, but is not for this client to see
    kUnanswered,  // the question failed: ask again later
  };

  virtual ~View() = default;
  // The namespace of cluster-wide kinds is empty.
  virtual tl::expected<Object, Missing> find(const ObjectKind& kind, const std::string& ns, const std::string& name) const = 0;
  // Whether the namespace has a pod with all of these labels that is not being deleted.
  virtual bool has_live_pod(const std::string& ns, const Texts& labels) const = 0;
};

}  // namespace muster::grouping
