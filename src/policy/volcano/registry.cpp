#include "policy/volcano/registry.h"

#include "policy/volcano/actions/allocate.h"
#include "policy/volcano/actions/backfill.h"
#include "policy/volcano/actions/enqueue.h"
#include "policy/volcano/plugins/binpack.h"
#include "policy/volcano/plugins/conformance.h"
#include "policy/volcano/plugins/deviceshare.h"
#include "policy/volcano/plugins/drf.h"
#include "policy/volcano/plugins/gang.h"
#include "policy/volcano/plugins/nodegroup.h"
#include "policy/volcano/plugins/nodeorder.h"
#include "policy/volcano/plugins/numa_aware.h"
#include "policy/volcano/plugins/overcommit.h"
#include "policy/volcano/plugins/predicates.h"
#include "policy/volcano/plugins/priority.h"
#include "policy/volcano/plugins/proportion.h"
#include "policy/volcano/plugins/resource_strategy_fit.h"
#include "policy/volcano/plugins/resourcequota.h"
#include "policy/volcano/plugins/sla.h"
#include "policy/volcano/plugins/task_topology.h"
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
constexpr PluginEntry kPlugins[] = {
    {"binpack", with_arguments<Binpack>},
    {"conformance", plain<Conformance>},
    {"deviceshare", with_arguments<DeviceShare>},
    {"drf", with_arguments<Drf>},
    {"gang", plain<Gang>},
    {"nodegroup", with_arguments<NodeGroup>},
    {"nodeorder", with_arguments<NodeOrder>},
    {"numa-aware", with_arguments<NumaAware>},
    {"overcommit", with_arguments<Overcommit>},
    {"predicates", with_arguments<Predicates>},
    {"priority", plain<Priority>},
    {"proportion", plain<Proportion>},
    {"resource-strategy-fit", with_arguments<ResourceStrategyFit>},
    {"resourcequota", plain<ResourceQuotas>},
    {"sla", with_arguments<Sla>},
    {"task-topology", with_arguments<TaskTopology>},
    {"usage", with_arguments<Usage>},
};

struct ActionEntry {
  std::string_view name;
  RunAction run;
};
constexpr ActionEntry kActions[] = {
    {"allocate", allocate},
    {"backfill", backfill},
    {"enqueue", enqueue},
};

}  // namespace

std::unique_ptr<Plugin> make_plugin(const PluginOption& option, Session& session) {
  for (const auto& [name, make] : kPlugins)
    if (name == option.name) return make(session, option);
  return nullptr;
}

bool run_action(std::string_view name, Session& session) {
  for (const auto& [known, run] : kActions)
    if (known == name) {
      run(session);
      return true;
    }
  return false;
}

}  // namespace muster::volcano
