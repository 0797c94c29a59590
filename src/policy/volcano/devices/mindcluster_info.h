#pragma once

#include <map>
#include <string>

#include "model/objects.h"

namespace muster::volcano {

// What MindCluster's ConfigMaps say about the NPUs of nodes.
class MindClusterInfo {
 public:
  // Cluster-wide: ConfigMaps of mindx-dl that describe many nodes. Otherwise one ConfigMap for each node.
  enum class Source { kClusterWide, kPerNode };
  explicit MindClusterInfo(Source source) : source_(source) {}

  struct NodeNews {
    StringMap devices;  // "huawei.com/Ascend310P" to "Ascend310P-0,Ascend310P-1", and the same with "-Unhealthy"
    std::int64_t updated = 0;
  };

  // The names of the nodes that it speaks of; none when it is not about NPUs.
  std::vector<std::string> take(const ConfigMap& map);
  // The map is gone, and what it said with it.
  std::vector<std::string> forget(const std::string& ns, const std::string& name);

  const NodeNews* news(std::string_view node) const;
  std::string_view status(std::string_view node) const;  // as the node's daemon sees it; empty: nothing is wrong

 private:
  void set_news(const ConfigMap& from, const std::string& node, NodeNews news);
  void set_status(const ConfigMap& from, const std::string& node, std::string status);
  std::vector<std::string> take_cluster_wide(const ConfigMap& map);
  std::vector<std::string> take_per_node(const ConfigMap& map);

  Source source_;
  std::map<std::string, NodeNews, std::less<>> news_;
  std::map<std::string, std::string, std::less<>> statuses_;
  std::map<std::string, std::string> told_by_;  // by "news " or "status " and node: the map that said it last
};

}  // namespace muster::volcano
