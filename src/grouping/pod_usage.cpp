#include "grouping/pod_usage.h"

#include <algorithm>
#include <fmt/format.h>

#include "grouping/object.h"

namespace muster::grouping {
namespace {

ResourceList amounts_at(const Json* from, std::string_view path) {
  ResourceList out;
  const auto* map = json_at(from, path);
  if (map == nullptr) return out;
  for (const auto& [name, value] : map->members) {
    const auto text = value.kind == Json::Kind::kString ? value.text : std::string(value.raw);
    if (const auto amount = Quantity::parse(text)) out[name] = *amount;
  }
  return out;
}

void raise_to(ResourceList& most, const ResourceList& other) {
  for (const auto& [name, amount] : other) {
    const auto [at, is_new] = most.try_emplace(name, amount);
    if (!is_new && at->second < amount) at->second = amount;
  }
}

// Containers run together, init containers one after the other, and those of them that are restarted beside all that follow.
ResourceList total(const Json* spec, const std::string& which) {
  const auto path = "resources." + which;
  ResourceList sum;
  if (const auto* containers = json_at(spec, "containers"))
    for (const auto& one : containers->items) add_to(sum, amounts_at(&one, path));
  ResourceList beside;
  ResourceList peak;
  if (const auto* containers = json_at(spec, "initContainers"))
    for (const auto& one : containers->items) {
      auto now = amounts_at(&one, path);
      if (json_text_at(&one, "restartPolicy") == "Always") {
        add_to(sum, now);
        add_to(beside, now);
        raise_to(peak, beside);
      } else {
        add_to(now, beside);
        raise_to(peak, now);
      }
    }
  raise_to(sum, peak);
  for (const auto& [name, amount] : amounts_at(spec, path)) sum[name] = amount;  // of the pod as a whole
  for (const auto& [name, amount] : amounts_at(spec, "overhead")) {
    const auto known = sum.find(name);
    if (which == "requests" && known == sum.end())
      sum[name] = amount;
    else if (known != sum.end())
      known->second = known->second + amount;
  }
  return sum;
}

}  // namespace

ResourceList quota_usage(const Json* pod_spec) {
  const auto one = Quantity::from_units(1);
  ResourceList out{{"count/pods", one}, {"pods", one}};
  for (const auto& [name, amount] : total(pod_spec, "requests")) {
    const bool is_native = name.find('/') == std::string::npos || name.find("kubernetes.io/") != std::string::npos;
    const bool is_counted = name == "cpu" || name == "memory" || name == "ephemeral-storage" || name.starts_with("hugepages-");
    if (is_native && !is_counted) continue;
    out[name] = amount;
    out["requests." + name] = amount;
  }
  for (const auto& [name, amount] : total(pod_spec, "limits"))
    if (name == "cpu" || name == "memory" || name == "ephemeral-storage") out["limits." + name] = amount;
  return out;
}

ResourceList pod_requests(const Json* pod_spec) { return total(pod_spec, "requests"); }

ResourceList times(const ResourceList& amounts, std::int64_t count) {
  ResourceList out;
  if (count <= 0) return out;
  for (const auto& [name, amount] : amounts) out[name] = amount * count;
  return out;
}

void add_to(ResourceList& sum, const ResourceList& more) {
  for (const auto& [name, amount] : more) {
    const auto [at, is_new] = sum.try_emplace(name, amount);
    if (!is_new) at->second = at->second + amount;
  }
}

std::string resources_json(const ResourceList& amounts) {
  Texts out;
  for (const auto& [name, amount] : amounts) out[name] = amount.text();
  return texts_json(out);
}

}  // namespace muster::grouping
