// Which of Kubernetes' scores are asked and how much they weigh; what each says is tested with the engine.

#include "policy/volcano/plugins/nodeorder.h"

#include <functional>
#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

class NodeOrderTest : public testing::Test {
 protected:
  // Where a pod of one core goes: "n1" is half full, "n2" is empty and has a taint that repels, "n3" has the image.
  static std::string chosen(std::vector<std::pair<std::string, Value>> arguments,
                            const std::function<void(PodSpec&)>& change = {}) {
    VolcanoCycles cycles(a_config({an_option("predicates"), an_option("nodeorder", std::move(arguments))}));
    cycles.add(a_volcano_queue("default")).add(a_pod_group("job"));
    cycles.add(a_volcano_node("n1").cpu("8").memory("16Gi"));
    auto tainted = a_volcano_node("n2").cpu("8").memory("16Gi").label("disk", "ssd").object();
    tainted.taints.push_back({"old", "", TaintEffect::kPreferNoSchedule});
    cycles.add_object(tainted);
    auto imaged = a_volcano_node("n3").cpu("8").memory("16Gi").object();
    imaged.images.push_back({{"img:1"}, 1'000'000'000});
    cycles.add_object(imaged);
    cycles.add(a_volcano_pod("old").cpu("4").memory("8Gi").on("n1"));
    cycles.add(a_volcano_pod("little").cpu("1").memory("2Gi").on("n3"));
    auto pod = a_volcano_pod("p").group("job").cpu("1").object();
    if (change) change(pod.spec);
    cycles.add_object(pod);
    return cycles.run().binds.at("p");
  }
  // Everything off but what is named.
  static std::vector<std::pair<std::string, Value>> only(const std::string& score, int weight = 1) {
    std::vector<std::pair<std::string, Value>> arguments;
    for (const char* known : {"imagelocality", "leastrequested", "mostrequested", "balancedresource", "nodeaffinity", "podaffinity",
                              "tainttoleration", "podtopologyspread"})
      arguments.emplace_back(std::string(known) + ".weight", value_of(known == score ? weight : 0));
    return arguments;
  }
};

TEST_F(NodeOrderTest, EachScoreIsAskedByItsWeight) {
  EXPECT_EQ(chosen(only("none")), "n1");  // nobody says anything: the first node
  EXPECT_EQ(chosen(only("leastrequested")), "n2");
  EXPECT_EQ(chosen(only("mostrequested")), "n1");
  EXPECT_EQ(chosen(only("leastrequested", -1)), "n1");
  EXPECT_EQ(chosen(only("tainttoleration")), "n1");
}

TEST_F(NodeOrderTest, ByDefaultTaintsWeighMoreThanFreeResources) { EXPECT_EQ(chosen({}), "n3"); }

TEST_F(NodeOrderTest, ImagesAreFound) {
  EXPECT_EQ(chosen(only("imagelocality"), [](PodSpec& spec) { spec.containers.front().image = "img:1"; }), "n3");
}

TEST_F(NodeOrderTest, PreferencesOfThePodCount) {
  const auto prefer_ssd = [](PodSpec& spec) {
    spec.affinity.node_preferred.push_back({10, {{{"disk", SelectorOp::kIn, {"ssd"}}}, {}}});
  };
  EXPECT_EQ(chosen(only("nodeaffinity"), prefer_ssd), "n2");
}

}  // namespace
}  // namespace muster::volcano
