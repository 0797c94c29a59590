#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

ResourceQuota a_quota(const std::string& name, const std::string& resource, const std::string& hard, const std::string& used) {
  ResourceQuota quota;
  quota.meta.name = name;
  quota.meta.ns = "default";
  quota.hard[resource] = *Quantity::parse(hard);
  quota.used[resource] = *Quantity::parse(used);
  return quota;
}

class ResourceQuotaTest : public testing::Test {
 protected:
  explicit ResourceQuotaTest(Behaviour behaviour = Behaviour::exact())
      : cycles(a_config({an_option("resourcequota")}, {"enqueue"}), behaviour) {
    cycles.add(a_volcano_queue("default"));
  }
  void add_job(const std::string& name, const std::string& resource, const std::string& quantity) {
    cycles.add(a_pod_group(name).needs(resource, quantity).phase("Pending").created(++age_));
  }
  VolcanoCycles cycles;

 private:
  std::int64_t age_ = 0;
};

TEST_F(ResourceQuotaTest, LetsInWhatTheQuotaHasRoomFor) {
  cycles.add_object(a_quota("quota", "cpu", "4", "1"));
  add_job("fits", "cpu", "2"), add_job("together-too-much", "cpu", "2"), add_job("other-resource", "memory", "1Ti");
  EXPECT_EQ(cycles.run().phases, (Names{{"fits", "Inqueue"}, {"together-too-much", "Pending"}, {"other-resource", "Inqueue"}}));
}

TEST_F(ResourceQuotaTest, EveryQuotaOfTheNamespaceMustHaveRoom) {
  cycles.add_object(a_quota("large", "cpu", "10", "0")).add_object(a_quota("small", "cpu", "1", "0"));
  add_job("job", "cpu", "2");
  EXPECT_EQ(cycles.run().phases.at("job"), "Pending");
}

TEST_F(ResourceQuotaTest, QuotasOfOtherNamespacesDoNotCount) {
  auto quota = a_quota("quota", "cpu", "1", "1");
  quota.meta.ns = "elsewhere";
  cycles.add_object(quota);
  add_job("job", "cpu", "2");
  EXPECT_EQ(cycles.run().phases.at("job"), "Inqueue");
}

TEST_F(ResourceQuotaTest, TheExactEventPrintsTheOriginalsStructs) {
  cycles.add_object(a_quota("quota", "memory", "8Gi", "6Gi"));
  add_job("job", "memory", "4Gi");
  EXPECT_EQ(
      cycles.run().events.at("job").front(),
      "Normal Unschedulable: resource quota insufficient, requested: map[memory:{{4294967296 0} {<nil>} 4Gi BinarySI}], used: "
      "map[memory:{{6442450944 0} {<nil>} 6Gi BinarySI}], limited: map[memory:{{8589934592 0} {<nil>}  BinarySI}]");
}

class SafeResourceQuotaTest : public ResourceQuotaTest {
 protected:
  SafeResourceQuotaTest() : ResourceQuotaTest(Behaviour::safe()) {}
};

TEST_F(SafeResourceQuotaTest, TheSafeEventPrintsWhatPeopleWrite) {
  cycles.add_object(a_quota("quota", "memory", "8Gi", "6Gi"));
  add_job("job", "memory", "4Gi");
  EXPECT_EQ(cycles.run().events.at("job").front(),
            "Normal Unschedulable: resource quota insufficient, requested: memory 4Gi, used: memory 6Gi, limited: memory 8Gi");
}

}  // namespace
}  // namespace muster::volcano
