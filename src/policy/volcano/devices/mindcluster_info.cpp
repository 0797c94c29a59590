#include "policy/volcano/devices/mindcluster_info.h"

#include "model/json.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kDevicePrefix = "mindx-dl-deviceinfo-";
constexpr std::string_view kNodePrefix = "mindx-dl-nodeinfo-";
constexpr std::string_view kOwnNamespace = "mindx-dl";
constexpr std::string_view kSystemNamespace = "kube-system";

std::string without_prefix(std::string_view prefix, std::string_view name) {
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  return std::string(name);
}

// The value of a key as JSON; nothing when it is missing, empty or not JSON.
std::optional<Json> data_of(const ConfigMap& map, std::string_view key) {
  const auto* text = map.data.find(key);
  return text == nullptr || text->empty() ? std::nullopt : read_json(*text);
}

MindClusterInfo::NodeNews news_of(const Json& value) {
  MindClusterInfo::NodeNews news;
  if (const auto* list = value.find("DeviceList"))
    for (const auto& [key, devices] : list->members) news.devices.set(key, devices.text);
  if (const auto* time = value.find("UpdateTime")) news.updated = time->as_int().value_or(0);
  return news;
}

std::string status_of(const Json& value) {
  const auto* status = value.find("NodeStatus");
  return status == nullptr ? std::string() : status->text;
}

constexpr std::string_view kNews = "news ";
constexpr std::string_view kStatus = "status ";

std::string key_of(const ConfigMap& map) { return map.meta.ns + "/" + map.meta.name; }

bool is_labelled(const ConfigMap& map, std::string_view key) { return map.meta.labels.get(key) == "true"; }

}  // namespace

std::vector<std::string> MindClusterInfo::take(const ConfigMap& map) {
  return source_ == Source::kClusterWide ? take_cluster_wide(map) : take_per_node(map);
}

std::vector<std::string> MindClusterInfo::take_cluster_wide(const ConfigMap& map) {
  std::vector<std::string> nodes;
  if (map.meta.ns != kOwnNamespace || !is_labelled(map, "mx-consumer-volcano")) return nodes;
  const auto& name = map.meta.name;
  const bool statuses = name == "cluster-info-node-cm";
  if (!statuses && !name.starts_with("cluster-info-device-")) return nodes;
  const auto root = data_of(map, name);
  if (statuses)
    for (const auto& [node, status] : std::exchange(statuses_, {})) nodes.push_back(node);
  if (!root) return nodes;
  for (const auto& [key, value] : root->members) {
    const auto node = without_prefix(statuses ? kNodePrefix : kDevicePrefix, key);
    nodes.push_back(node);
    if (statuses)
      set_status(map, node, status_of(value));
    else
      set_news(map, node, news_of(value));
  }
  return nodes;
}

std::vector<std::string> MindClusterInfo::take_per_node(const ConfigMap& map) {
  if (!is_labelled(map, "mx-consumer-cim")) return {};
  const auto& name = map.meta.name;
  if (map.meta.ns == kSystemNamespace && name.starts_with(kDevicePrefix)) {
    const auto root = data_of(map, "DeviceInfoCfg");
    const auto* info = root ? root->find("DeviceInfo") : nullptr;
    if (info == nullptr) return {};
    set_news(map, without_prefix(kDevicePrefix, name), news_of(*info));
    return {without_prefix(kDevicePrefix, name)};
  }
  if (map.meta.ns == kOwnNamespace && name.starts_with(kNodePrefix)) {
    const auto root = data_of(map, "NodeInfo");
    const auto* info = root ? root->find("NodeInfo") : nullptr;
    set_status(map, without_prefix(kNodePrefix, name), info == nullptr ? std::string() : status_of(*info));
    return {without_prefix(kNodePrefix, name)};
  }
  return {};
}

void MindClusterInfo::set_news(const ConfigMap& from, const std::string& node, NodeNews news) {
  news_[node] = std::move(news);
  told_by_[std::string(kNews) + node] = key_of(from);
}

void MindClusterInfo::set_status(const ConfigMap& from, const std::string& node, std::string status) {
  statuses_[node] = std::move(status);
  told_by_[std::string(kStatus) + node] = key_of(from);
}

std::vector<std::string> MindClusterInfo::forget(const std::string& ns, const std::string& name) {
  std::vector<std::string> nodes;
  std::erase_if(told_by_, [&](const auto& told) {
    if (told.second != ns + "/" + name) return false;
    const bool news = told.first.starts_with(kNews);
    nodes.push_back(without_prefix(news ? kNews : kStatus, told.first));
    news ? news_.erase(nodes.back()) : statuses_.erase(nodes.back());
    return true;
  });
  return nodes;
}

const MindClusterInfo::NodeNews* MindClusterInfo::news(std::string_view node) const {
  const auto found = news_.find(node);
  return found == news_.end() ? nullptr : &found->second;
}

std::string_view MindClusterInfo::status(std::string_view node) const {
  const auto found = statuses_.find(node);
  return found == statuses_.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace muster::volcano
