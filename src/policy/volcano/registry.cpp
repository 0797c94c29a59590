#include "policy/volcano/registry.h"

#include "policy/volcano/actions/allocate.h"
#include "policy/volcano/actions/backfill.h"
#include "policy/volcano/actions/enqueue.h"
#include "policy/volcano/actions/extension_action.h"
#include "policy/volcano/actions/gang_evict.h"
#include "policy/volcano/actions/preempt.h"
#include "policy/volcano/actions/reclaim.h"
#include "policy/volcano/actions/shuffle.h"
#include "policy/volcano/plugins/binpack.h"
#include "policy/volcano/plugins/capacity.h"
#include "policy/volcano/plugins/cdp.h"
#include "policy/volcano/plugins/conformance.h"
#include "policy/volcano/plugins/deviceshare.h"
#include "policy/volcano/plugins/drf.h"
#include "policy/volcano/plugins/extender.h"
#include "policy/volcano/plugins/extension_plugin.h"
#include "policy/volcano/plugins/gang.h"
#include "policy/volcano/plugins/network_topology_aware.h"
#include "policy/volcano/plugins/nodegroup.h"
#include "policy/volcano/plugins/nodeorder.h"
#include "policy/volcano/plugins/numa_aware.h"
#include "policy/volcano/plugins/overcommit.h"
#include "policy/volcano/plugins/pdb.h"
#include "policy/volcano/plugins/predicates.h"
#include "policy/volcano/plugins/priority.h"
#include "policy/volcano/plugins/proportion.h"
#include "policy/volcano/plugins/rescheduling.h"
#include "policy/volcano/plugins/resource_strategy_fit.h"
#include "policy/volcano/plugins/resourcequota.h"
#include "policy/volcano/plugins/sla.h"
#include "policy/volcano/plugins/task_topology.h"
#include "policy/volcano/plugins/tdm.h"
#include "policy/volcano/plugins/usage.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
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

struct PluginEntry {
  std::string_view name;
  MakePlugin make;
};
constexpr PluginEntry kPluginEntries[] = {
    {"binpack", with_arguments<Binpack>},
    {"capacity", with_arguments<Capacity>},
    {"cdp", plain<Cdp>},
    {"conformance", plain<Conformance>},
    {"deviceshare", with_arguments<DeviceShare>},
    {"drf", with_arguments<Drf>},
    {"extender", with_arguments<Extender>},
    {"gang", plain<Gang>},
    {"network-topology-aware", with_arguments<NetworkTopologyAware>},
    {"nodegroup", with_arguments<NodeGroup>},
    {"nodeorder", with_arguments<NodeOrder>},
    {"numa-aware", with_arguments<NumaAware>},
    {"overcommit", with_arguments<Overcommit>},
    {"pdb", plain<Pdb>},
    {"predicates", with_arguments<Predicates>},
    {"priority", plain<Priority>},
    {"proportion", plain<Proportion>},
    {"rescheduling", with_arguments<Rescheduling>},
    {"resource-strategy-fit", with_arguments<ResourceStrategyFit>},
    {"resourcequota", plain<ResourceQuotas>},
    {"sla", with_arguments<Sla>},
    {"task-topology", with_arguments<TaskTopology>},
    {"tdm", with_arguments<Tdm>},
    {"usage", with_arguments<Usage>},
};

struct ActionEntry {
  std::string_view name;
  RunAction run;
};
constexpr ActionEntry kActionEntries[] = {
    {"allocate", allocate},        {"backfill", backfill}, {"enqueue", enqueue}, {"gangpreempt", gang_preempt},
    {"gangreclaim", gang_reclaim}, {"preempt", preempt},   {"reclaim", reclaim}, {"shuffle", shuffle},
};

}  // namespace

std::unique_ptr<Plugin> make_plugin(const PluginOption& option, Session& session) {
  if (option.extension) return std::make_unique<ExtensionPlugin>(session, *option.extension);
  for (const auto& [name, make] : kPluginEntries)
    if (name == option.name) return make(session, option);
  return nullptr;
}

bool run_action(std::string_view name, Session& session) {
  if (auto* extension = session.config().extension_action(name)) {
    run_extension_action(*extension, session);
    return true;
  }
  for (const auto& [known, run] : kActionEntries)
    if (known == name) {
      run(session);
      return true;
    }
  return false;
}

}  // namespace muster::volcano
