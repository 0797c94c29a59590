#include <gtest/gtest.h>

#include "support/priority_class.h"
#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

// One place, and jobs that want it; the first to be made would get it by age.
class PriorityTest : public testing::Test {
 protected:
  PriorityTest() { cycles.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("1")); }
  void add_job(const std::string& name, const std::string& priority_class) {
    cycles.add(a_pod_group(name).priority_class(priority_class).created(++age_));
    cycles.add(a_volcano_pod(name + "-pod").group(name).cpu("1"));
  }
  std::string winner() { return cycles.run().order.at(0); }

  VolcanoCycles cycles{a_config({an_option("priority"), an_option("predicates")})};

 private:
  std::int64_t age_ = 0;
};

TEST_F(PriorityTest, TheHigherClassGoesFirst) {
  cycles.add_object(a_priority_class("high", 10)).add_object(a_priority_class("low", -1));
  add_job("a", ""), add_job("b", "low"), add_job("c", "high");
  EXPECT_EQ(winner(), "c-pod");
}

TEST_F(PriorityTest, AnUnknownClassIsTheGlobalDefault) {
  cycles.add_object(a_priority_class("normal", 5)).add_object(a_priority_class("fallback", 7, true));
  add_job("a", "normal"), add_job("b", "unknown");
  EXPECT_EQ(winner(), "b-pod");
}

TEST_F(PriorityTest, AClassThatComesLaterCounts) {
  add_job("a", ""), add_job("b", "late");
  cycles.add_object(a_priority_class("late", 1));
  EXPECT_EQ(winner(), "b-pod");
}

TEST_F(PriorityTest, EqualsGoByAge) {
  add_job("b", ""), add_job("a", "");
  EXPECT_EQ(winner(), "b-pod");
}

TEST_F(PriorityTest, TasksGoByThePriorityOfTheirPods) {
  cycles.add(a_pod_group("job"));
  cycles.add(a_volcano_pod("job-w-0").group("job").cpu("1").priority(1));
  cycles.add(a_volcano_pod("job-w-1").group("job").cpu("1").priority(2));
  EXPECT_EQ(winner(), "job-w-1");
}

}  // namespace
}  // namespace muster::volcano
