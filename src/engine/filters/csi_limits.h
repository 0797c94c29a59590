#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/books.h"
#include "engine/filters/volume_catalog.h"
#include "engine/fit.h"
#include "engine/node_filter.h"

namespace muster {

// Keeps a pod off nodes to which a storage driver could not attach all its volumes beside those of the pods that are present.
// Volumes of in-tree plugins are not counted, nor are attachments that no present pod explains.
class CsiLimitsFilter : public NodeFilter {
 public:
  CsiLimitsFilter(const Books& books, FitTable& fits, const VolumeCatalog& catalog);

  Dependence dependence(PodId pod) const override;
  Prepared prepare(PodId pod) override;
  FitStatus check(PodId pod, NodeId node) const override;

 private:
  // A volume by the driver that attaches it and a name that no other volume of the driver has.
  using Attachment = std::pair<std::string, std::string>;
  void add_attachments(PodId pod, std::vector<Attachment>& to) const;

  const Books& books_;
  FitTable& fits_;
  const VolumeCatalog& catalog_;
  FitStatus full_;

  PodId prepared_;
  FitStatus missing_;               // set when one of the pod's claims does not exist
  std::vector<Attachment> wanted_;  // by the pod that was prepared last, sorted, each once
};

}  // namespace muster
