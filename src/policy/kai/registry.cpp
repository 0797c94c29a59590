#include "policy/kai/registry.h"

#include <algorithm>

#include "policy/kai/actions/allocate.h"
#include "policy/kai/actions/consolidation.h"
#include "policy/kai/actions/extension_action.h"
#include "policy/kai/actions/preempt.h"
#include "policy/kai/actions/reclaim.h"
#include "policy/kai/actions/stalegangeviction.h"
#include "policy/kai/plugins/dynamicresources.h"
#include "policy/kai/plugins/elastic.h"
#include "policy/kai/plugins/extension_plugin.h"
#include "policy/kai/plugins/gpupack.h"
#include "policy/kai/plugins/gpusharingorder.h"
#include "policy/kai/plugins/gpuspread.h"
#include "policy/kai/plugins/kubeflow.h"
#include "policy/kai/plugins/minruntime.h"
#include "policy/kai/plugins/nodeavailability.h"
#include "policy/kai/plugins/nodeplacement.h"
#include "policy/kai/plugins/nominatednode.h"
#include "policy/kai/plugins/numa.h"
#include "policy/kai/plugins/podaffinity.h"
#include "policy/kai/plugins/predicates.h"
#include "policy/kai/plugins/priority.h"
#include "policy/kai/plugins/proportion.h"
#include "policy/kai/plugins/ray.h"
#include "policy/kai/plugins/resourcetype.h"
#include "policy/kai/plugins/sg_multinodegang.h"
#include "policy/kai/plugins/sg_nodelocalgreedy.h"
#include "policy/kai/plugins/subgrouporder.h"
#include "policy/kai/plugins/taskorder.h"
#include "policy/kai/plugins/topology.h"
#include "policy/kai/session.h"

namespace muster::kai {
namespace {

using MakePlugin = std::unique_ptr<Plugin> (*)(Session&, const PluginOption&);
using RunAction = void (*)(Session&);

template <class T>
std::unique_ptr<Plugin> plain(Session& session, const PluginOption&) {
  return std::make_unique<T>(session);
}
template <class T>
std::unique_ptr<Plugin> with_arguments(Session& session, const PluginOption& option) {
  return std::make_unique<T>(session, option);
}
// Known, and nothing to do with decisions.
std::unique_ptr<Plugin> nothing(Session&, const PluginOption&) { return nullptr; }

struct PluginEntry {
  std::string_view name;
  MakePlugin make;
};
constexpr PluginEntry kPluginEntries[] = {
    {"dynamicresources", plain<DynamicResources>},
    {"elastic", plain<Elastic>},
    {"gpupack", plain<GpuPack>},
    {"gpusharingorder", plain<GpuSharingOrder>},
    {"gpuspread", plain<GpuSpread>},
    {"kubeflow", plain<Kubeflow>},
    {"minruntime", with_arguments<MinRuntime>},
    {"nodeavailability", plain<NodeAvailability>},
    {"nodeplacement", with_arguments<NodePlacement>},
    {"nominatednode", plain<NominatedNode>},
    {"numa", with_arguments<Numa>},
    {"podaffinity", plain<PodAffinity>},
    {"predicates", plain<Predicates>},
    {"priority", plain<Priority>},
    {"proportion", with_arguments<Proportion>},
    {"ray", plain<Ray>},
    {"reflectjoborder", nothing},
    {"resourcetype", plain<ResourceType>},
    {"sg-multinodegang", plain<MultiNodeGang>},
    {"sg-nodelocalgreedy", plain<NodeLocalGreedy>},
    {"snapshot", nothing},
    {"subgrouporder", plain<SubGroupOrder>},
    {"taskorder", plain<TaskOrder>},
    {"topology", plain<Topology>},
};

struct ActionEntry {
  std::string_view name;
  RunAction run;
};
constexpr ActionEntry kActionEntries[] = {
    {"allocate", allocate}, {"consolidation", consolidate},           {"preempt", preempt},
    {"reclaim", reclaim},   {"stalegangeviction", evict_stale_gangs},
};

template <class Entry, std::size_t N>
const Entry* find_entry(const Entry (&entries)[N], std::string_view name) {
  const auto* found = std::find_if(std::begin(entries), std::end(entries), [&](const Entry& entry) { return entry.name == name; });
  return found == std::end(entries) ? nullptr : found;
}

template <class Entry, std::size_t N>
std::vector<std::string_view> entry_names(const Entry (&entries)[N]) {
  std::vector<std::string_view> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

}  // namespace

bool is_plugin(std::string_view name) { return find_entry(kPluginEntries, name) != nullptr; }
bool is_action(std::string_view name) { return find_entry(kActionEntries, name) != nullptr; }

std::vector<std::string_view> registered_plugins() { return entry_names(kPluginEntries); }
std::vector<std::string_view> registered_actions() { return entry_names(kActionEntries); }

std::unique_ptr<Plugin> make_plugin(Session& session, const PluginOption& option) {
  if (option.extension) return std::make_unique<ExtensionPlugin>(session, *option.extension);
  return find_entry(kPluginEntries, option.name)->make(session, option);
}

bool run_action(std::string_view name, Session& session) {
  const auto& extensions = session.config().extension_actions;
  if (const auto found = extensions.find(name); found != extensions.end())
    return run_extension_action(*found->second, session), true;
  const auto* entry = find_entry(kActionEntries, name);
  if (entry == nullptr) return false;
  entry->run(session);
  return true;
}

}  // namespace muster::kai
