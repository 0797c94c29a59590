#pragma once

// The same cluster again and again, each time as it was before anything was decided, so that behaviours can be compared:
//
//   FreshWorld fresh(a_config({an_option("gang")}));
//   fresh.add(a_volcano_node("n1").cpu("8"));
//   EXPECT_EQ(fresh.evicted_by(Behaviour::safe(), preempt), Names{});

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/volcano_builders.h"

namespace muster::volcano {

class FreshWorld {
 public:
  explicit FreshWorld(Config settings) : config(std::move(settings)) {}

  template <class Builder>
  FreshWorld& add(const Builder& builder) {
    return add_object(Object(builder.object()));
  }
  FreshWorld& add_object(Object object) {
    objects_.push_back(std::move(object));
    return *this;
  }

  // The world after these actions of one cycle; valid until the next call.
  template <class... Action>
  VolcanoWorld& after(Behaviour behaviour, Action... actions) {
    ClusterOptions options;
    remember_for(config, options);
    world_.emplace(config, std::move(options));
    world_->memory().behaviour = behaviour;
    for (const auto& object : objects_) world_->cluster().apply(object);
    auto& session = world_->open();
    (actions(session), ...);
    return *world_;
  }
  // Whom they evict, by name.
  template <class... Action>
  std::vector<std::string> evicted_by(Behaviour behaviour, Action... actions) {
    auto names = after(behaviour, actions...).evicted();
    std::sort(names.begin(), names.end());
    return names;
  }

  Config config;

 private:
  std::vector<Object> objects_;
  std::optional<VolcanoWorld> world_;
};

}  // namespace muster::volcano
