#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

constexpr const char* kOwn = "volcano.sh/sla-waiting-time";

class SlaTest : public testing::Test {
 protected:
  void open(std::vector<std::pair<std::string, Value>> arguments = {}) {
    world.config() = tiered_config({{an_option("sla", std::move(arguments))}, {an_option("overcommit")}});
    world.open();
  }
  // Made this many seconds ago, and needs more than there is.
  PodGroupBuilder job(const std::string& name, std::int64_t seconds_ago) {
    return a_pod_group(name).created(world.now().seconds - seconds_ago).needs("cpu", "1").phase("Pending");
  }
  bool lets_in(const std::string& name) { return world.session().job_enqueueable(world.job(name)); }
  bool before(const std::string& left, const std::string& right) {
    return world.session().job_before(world.job(left).id, world.job(right).id);
  }

  SlaTest() { world.add(a_volcano_queue("default")); }
  VolcanoWorld world;
};

TEST_F(SlaTest, AnOverdueJobIsLetInWhateverOthersSay) {
  world.add(job("late", 60).annotation(kOwn, "1m")).add(job("early", 59).annotation(kOwn, "1m")).add(job("patient", 999));
  open();
  EXPECT_TRUE(lets_in("late"));
  EXPECT_FALSE(lets_in("early"));
  EXPECT_FALSE(lets_in("patient"));
}

TEST_F(SlaTest, AnOverdueJobMayKeepWhatItWasPromised) {
  world.add(job("late", 60).minimum(5).annotation(kOwn, "1m")).add(job("early", 59).minimum(5).annotation(kOwn, "1m"));
  world.config() = tiered_config({{an_option("sla")}, {an_option("gang")}});
  world.open();
  EXPECT_TRUE(world.session().job_pipelined(world.job("late")));
  EXPECT_FALSE(world.session().job_pipelined(world.job("early")));
}

TEST_F(SlaTest, TheConfiguredTimeIsForJobsWithoutTheirOwn) {
  world.add(job("common", 3600)).add(job("own", 3600).annotation("sla-waiting-time", "2h"));
  world.add(job("odd", 3600).annotation(kOwn, "soon")).add(job("negative", 3600).annotation(kOwn, "-1h"));
  open({{"sla-waiting-time", value_of("1h")}});
  EXPECT_TRUE(lets_in("common"));
  EXPECT_FALSE(lets_in("own"));
  EXPECT_TRUE(lets_in("odd"));  // what cannot be read is not there
  EXPECT_TRUE(lets_in("negative"));
}

TEST_F(SlaTest, TheEarlierDeadlineGoesFirstAndNoneLast) {
  world.add(job("soon", 10).annotation(kOwn, "1m")).add(job("later", 20).annotation(kOwn, "1h")).add(job("whenever", 999));
  open();
  EXPECT_TRUE(before("soon", "later"));
  EXPECT_TRUE(before("later", "whenever"));
  EXPECT_FALSE(before("whenever", "soon"));
}

}  // namespace
}  // namespace muster::volcano
