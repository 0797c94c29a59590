// What watchers see; and that a watch replayed is the list, over random histories.

#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

#include "base/split.h"
#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

std::vector<Tree> lines(server::Stream& stream) {
  std::vector<Tree> out;
  const auto taken = stream.take();
  for (const auto line : split(taken.bytes, '\n'))
    if (!line.empty()) out.push_back(json(line));
  return out;
}

// "+a *b -c": names and what happened to them.
std::string told(server::Stream& stream) {
  std::string out;
  for (const auto& event : lines(stream)) {
    const auto type = event.text_at("type");
    if (!out.empty()) out += " ";
    out += type == "ADDED" ? "+" : type == "MODIFIED" ? "*" : type == "DELETED" ? "-" : type == "BOOKMARK" ? "=" : "!";
    out += event.text_at("object.metadata.name");
  }
  return out;
}

TEST(Watch, FromARevision) {
  TestCluster cluster;
  cluster.post(kConfigs, config_text("a"));
  const auto list = cluster.get(kConfigs);
  cluster.post(kConfigs, config_text("b"));
  const auto stream = cluster.watch(kConfigs + "?watch=1&resourceVersion=" + list.text_at("metadata.resourceVersion"));
  EXPECT_EQ(told(*stream), "+b");
  cluster.merge(kConfigs + "/a", R"({"data":{"a":"2"}})");
  cluster.remove(kConfigs + "/b");
  cluster.post(kPods, pod_text("p"));
  EXPECT_EQ(told(*stream), "*a -b");
}

TEST(Watch, BeginsWithWhatThereIs) {
  TestCluster cluster;
  cluster.post(kConfigs, config_text("a"));
  EXPECT_EQ(told(*cluster.watch(kConfigs + "?watch=true")), "+a");
  EXPECT_EQ(told(*cluster.watch(kConfigs + "?watch=true&resourceVersion=0")), "+a");
  const std::string streamed = "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const auto stream = cluster.watch(kConfigs + streamed);
  const auto events = lines(*stream);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].text_at("type"), "BOOKMARK");
  EXPECT_NE(events[1].at("object.metadata.annotations")->find("k8s.io/initial-events-end"), nullptr);
  EXPECT_EQ(events[1].text_at("object.metadata.resourceVersion"), cluster.get(kConfigs).text_at("metadata.resourceVersion"));
  cluster.post(kConfigs, config_text("b"));
  EXPECT_EQ(told(*stream), "+b");
  EXPECT_EQ(cluster.get(kConfigs + "?watch=1&sendInitialEvents=true").status, 422);
}

TEST(Watch, SelectorsTurnChangesIntoComingAndGoing) {
  TestCluster cluster;
  const auto stream = cluster.watch(kConfigs + "?watch=1&labelSelector=x=1");
  cluster.post(kConfigs, config_text("a"));
  cluster.merge(kConfigs + "/a", R"({"metadata":{"labels":{"x":"1"}}})");
  cluster.merge(kConfigs + "/a", R"({"data":{"a":"2"}})");
  cluster.merge(kConfigs + "/a", R"({"metadata":{"labels":{"x":"2"}}})");
  cluster.remove(kConfigs + "/a");
  EXPECT_EQ(told(*stream), "+a *a -a");
}

TEST(Watch, TooOldIsToldInTheStream) {
  TestCluster cluster(ClusterSettings{.changes_kept = 2});
  for (const char* name : {"a", "b", "c", "d"}) cluster.post(kConfigs, config_text(name));
  const auto stream = cluster.watch(kConfigs + "?watch=1&resourceVersion=1");
  const auto events = lines(*stream);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].text_at("type"), "ERROR");
  EXPECT_EQ(events[0].integer_at("object.code"), 410);
  EXPECT_EQ(events[0].text_at("object.reason"), "Expired");
  EXPECT_FALSE(stream->is_open());
}

TEST(Watch, BookmarksAndTheEnd) {
  TestCluster cluster;
  const auto stream = cluster.watch(kConfigs + "?watch=1&allowWatchBookmarks=true&timeoutSeconds=90");
  const auto plain = cluster.watch(kConfigs + "?watch=1");
  cluster.pass(61);
  EXPECT_EQ(told(*stream), "=");
  EXPECT_EQ(told(*plain), "");
  cluster.pass(30);
  EXPECT_FALSE(stream->is_open());
  EXPECT_TRUE(plain->is_open());
}

TEST(Watch, AFutureRevisionIsSilentUntilThen) {
  TestCluster cluster;
  const auto now = std::stoull(cluster.get(kConfigs).text_at("metadata.resourceVersion"));
  const auto stream = cluster.watch(kConfigs + "?watch=1&resourceVersion=" + std::to_string(now + 1));
  cluster.post(kConfigs, config_text("a"));
  cluster.post(kConfigs, config_text("b"));
  EXPECT_EQ(told(*stream), "+b");
}

// What someone has who saw these events.
void replay(server::Stream& stream, std::map<std::string, std::string>& seen) {
  for (const auto& event : lines(stream)) {
    const auto type = event.text_at("type");
    if (type == "BOOKMARK") continue;
    const std::string name(event.text_at("object.metadata.name"));
    if (type == "DELETED") {
      RC_ASSERT(seen.erase(name) == 1);
    } else {
      RC_ASSERT(seen.contains(name) == (type == "MODIFIED"));
      seen[name] = event.find("object")->text();
    }
  }
}

std::map<std::string, std::string> listed_now(TestCluster& cluster, const std::string& selector) {
  std::map<std::string, std::string> out;
  const auto list = cluster.get(kConfigs + "?labelSelector=" + selector);
  for (const auto& item : *list.body.at("items")->as_list()) out[std::string(item.text_at("metadata.name"))] = item.text();
  return out;
}

RC_GTEST_PROP(Watch, ReplayedIsTheList, ()) {
  TestCluster cluster;
  const std::string selector = *rc::gen::element<std::string>("", "x=1", "x!=1", "!x");
  std::map<std::string, std::string> seen;
  auto stream = cluster.watch(kConfigs + "?watch=1&labelSelector=" + selector);
  std::string revision = cluster.get(kConfigs).text_at("metadata.resourceVersion");
  const int steps = *rc::gen::inRange(1, 40);
  for (int i = 0; i < steps; ++i) {
    const auto name = *rc::gen::element<std::string>("a", "b", "c");
    switch (*rc::gen::inRange(0, 6)) {
      case 0: cluster.post(kConfigs, config_text(name)); break;
      case 1: cluster.remove(kConfigs + "/" + name); break;
      case 2: cluster.merge(kConfigs + "/" + name, R"({"data":{"a":")" + std::to_string(i) + "\"}}"); break;
      case 3: cluster.merge(kConfigs + "/" + name, R"({"metadata":{"labels":{"x":"1"}}})"); break;
      case 4: cluster.merge(kConfigs + "/" + name, R"({"metadata":{"labels":{"x":null}}})"); break;
      default:  // the connection breaks, and the client goes on from the last list that it saw complete
        replay(*stream, seen);
        RC_ASSERT(seen == listed_now(cluster, selector));
        revision = cluster.get(kConfigs).text_at("metadata.resourceVersion");
        stream = cluster.watch(kConfigs + "?watch=1&labelSelector=" + selector + "&resourceVersion=" + revision);
        break;
    }
  }
  replay(*stream, seen);
  RC_ASSERT(seen == listed_now(cluster, selector));
}

RC_GTEST_PROP(Store, EveryPastMomentCanBeListed, ()) {
  TestCluster cluster;
  std::vector<std::pair<std::string, std::string>> moments;  // revision, list
  const int steps = *rc::gen::inRange(1, 30);
  for (int i = 0; i < steps; ++i) {
    const auto name = *rc::gen::element<std::string>("a", "b", "c");
    if (*rc::gen::inRange(0, 3) == 0)
      cluster.remove(kConfigs + "/" + name);
    else if (cluster.post(kConfigs, config_text(name)).status == 409)
      cluster.merge(kConfigs + "/" + name, R"({"data":{"a":")" + std::to_string(i) + "\"}}");
    const auto now = cluster.get(kConfigs);
    moments.emplace_back(now.text_at("metadata.resourceVersion"), now.body.find("items")->text());
  }
  for (const auto& [revision, items] : moments)
    RC_ASSERT(cluster.get(kConfigs + "?resourceVersionMatch=Exact&resourceVersion=" + revision).body.find("items")->text() ==
              items);
}

}  // namespace
}  // namespace muster::sim
