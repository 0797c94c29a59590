#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sim/unknown_field.h"
#include "sim/workloads/submitted.h"

namespace muster::sim {

// Fields of workloads that their kinds do not have, mistyped ones mostly, which nobody acts on. Of built-in kinds and Volcano's
// Jobs all are known; of other workloads the metadata and the templates of pods.
class MistypedFields {
 public:
  // The workload as it was submitted; it has a namespace.
  void look_at(const Submitted& workload);
  // "Deployment default/web: spec.replica is no field of a Deployment and is passed over; did you mean \"replicas\"?", each once,
  // however many workloads have it.
  std::vector<std::string> notes() const;

 private:
  struct Whose {
    std::string first;
    std::size_t count = 0;
  };
  void add(const Submitted& workload, const UnknownField& field);

  std::map<std::string, Whose> found_;
};

}  // namespace muster::sim
