#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/config_dialect.h"
#include "app/offline_run.h"
#include "app/view_list.h"

namespace muster {

// Lists as JSON, with what there is to say about where they come from, in sentences.
struct ToldViews {
  std::map<ViewKind, std::string> json;
  std::vector<std::string> notes;
};

// Runs the cycles and looks when the last action of the last one is done: what a running scheduler would tell of that moment.
// Decisions are those of the last cycle.
Result<ToldViews> offline_views(const std::vector<ViewKind>& kinds, Dialect dialect, const OfflineOptions& options,
                                const Progress& progress);

}  // namespace muster
