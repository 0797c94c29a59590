#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/fits_if.h"
#include "app/whatif_workloads.h"

namespace muster {

// How a change of a job's PodGroup or its pods is told to people who gave the workload that these were made of. Without places they
// gave the objects themselves.
struct ToldField {
  std::string path;          // in the workload, or else in the PodGroup
  bool is_of_group = false;  // the workload has no such field

  // "spec.minAvailable", "its PodGroup's spec.minMember".
  std::string text() const { return (is_of_group ? "its PodGroup's " : "") + path; }
};
ToldField told_field(const std::optional<FieldPlaces>& places, const std::string& path);

// The parts of a change with their paths in the workload, where it has such fields, and without what its controller computes.
void tell_places(const std::optional<FieldPlaces>& places, std::vector<FitsIf::Part>& parts);

}  // namespace muster
