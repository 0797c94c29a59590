#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/books.h"
#include "engine/filters/volume_catalog.h"
#include "engine/fit.h"
#include "engine/node_filter.h"

namespace muster {

// Keeps a pod in the zones and regions that the labels of its bound volumes name. Nodes without any such label pass.
class VolumeZoneFilter : public NodeFilter {
 public:
  VolumeZoneFilter(const Books& books, FitTable& fits, const VolumeCatalog& catalog);

  Dependence dependence(PodId pod) const override;
  Prepared prepare(PodId pod) override;
  FitStatus check(PodId pod, NodeId node) const override;

 private:
  // A label that the node must have with one of some values.
  struct Place {
    std::string_view label;
    std::vector<std::string> values;
  };
  // The text of a refusal, empty when there is none.
  std::string add_places(const std::string& claim);
  std::string check_unbound(const PersistentVolumeClaim& claim) const;
  bool allows(const Place& place, const NodeRecord& node) const;

  const Books& books_;
  FitTable& fits_;
  const VolumeCatalog& catalog_;
  FitStatus elsewhere_;

  PodId prepared_;
  std::vector<Place> places_;  // of the pod that was prepared last
};

}  // namespace muster
