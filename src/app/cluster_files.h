#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/kept_objects.h"
#include "app/object_register.h"
#include "app/progress.h"
#include "base/result.h"
#include "policy/volcano/cluster.h"

namespace muster {

// A cluster that users gave as files.
struct LoadedCluster {
  std::unique_ptr<volcano::Cluster> cluster;
  std::vector<std::string> notes;  // what was assumed, and what is legal but of no use, in sentences
  Naming closed_budgets;           // disruption budgets that let no pod go, with their places
  std::vector<Object> objects;     // as they were taken in, where they were to be kept
};

// Reads the objects of files, directories and "-", in the order given, and takes them in as a cluster would have them after its
// controllers and admission had looked at them: the queues `root` and the default one exist, a queue is open and has a weight.
//
// Errors beyond what cannot be read: two objects of one kind and name, and queues that are their own ancestors.
Result<LoadedCluster> load_cluster(const std::vector<std::string>& paths, volcano::ClusterOptions options, const Progress& progress,
                                   Objects objects = Objects::kForgotten);

// The same for one text, named `file` in errors.
Result<LoadedCluster> load_cluster_text(std::string_view text, const std::string& file, volcano::ClusterOptions options = {});

}  // namespace muster
