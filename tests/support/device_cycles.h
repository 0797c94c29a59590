#pragma once

// Cycles of a cluster that shares devices. Every cycle runs with the index and with the plain search, which must agree:
//
//   DeviceCycles cycles({{"deviceshare.VGPUEnable", value_of(true)}});
//   cycles.add(a_volcano_node("n1").cpu("8")…);
//   cycles.pod("p", [](auto& pod) { pod.uses("volcano.sh/vgpu-number", "1"); });
//   EXPECT_EQ(cycles.run().binds, (Names{{"p", "n1"}}));

#include <gtest/gtest.h>

#include "policy/volcano/devices/device_config.h"
#include "support/volcano_cycles.h"

namespace muster::volcano {

class DeviceCycles {
 public:
  explicit DeviceCycles(std::vector<std::pair<std::string, Value>> arguments, Behaviour behaviour = Behaviour::exact())
      : index_(config(arguments), behaviour, {}, SearchKind::kIndex),
        plain_(config(arguments), behaviour, {}, SearchKind::kReference) {
    add(a_volcano_queue("default"));
  }

  template <class Builder>
  DeviceCycles& add(const Builder& builder) {
    return add_object(Object(builder.object()));
  }
  DeviceCycles& add_object(const Object& object) {
    index_.add_object(object);
    plain_.add_object(object);
    return *this;
  }
  // A pod that is a job of its own, older than those that are added later.
  template <class Fill>
  DeviceCycles& pod(const std::string& name, Fill fill) {
    auto pod = a_volcano_pod(name).group(name).created(++age_);
    fill(pod);
    return add(a_pod_group(name).created(age_)).add(pod);
  }
  void set_config(const DeviceConfig& config) {
    index_.cluster().set_device_config(config);
    plain_.cluster().set_device_config(config);
  }

  CycleOutcome run() {
    auto outcome = index_.run();
    const auto plain = plain_.run();
    EXPECT_EQ(outcome.binds, plain.binds);
    EXPECT_EQ(outcome.notes, plain.notes);
    EXPECT_EQ(outcome.conditions, plain.conditions);
    return outcome;
  }
  // One annotation of what the binds of the next cycle carry, by pod.
  Names run_and_read(const std::string& key) {
    Names out;
    for (const auto& [pod, notes] : run().notes) out[pod] = notes.contains(key) ? notes.at(key) : "-";
    return out;
  }
  void bound_pods_run() {
    index_.bound_pods_run();
    plain_.bound_pods_run();
  }
  Cluster& cluster() { return index_.cluster(); }

 private:
  static Config config(const std::vector<std::pair<std::string, Value>>& arguments) {
    return a_config({an_option("gang"), an_option("deviceshare", arguments), an_option("predicates")});
  }
  VolcanoCycles index_;
  VolcanoCycles plain_;
  std::int64_t age_ = 0;
};

}  // namespace muster::volcano
