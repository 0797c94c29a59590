#include "daemon/cache_dumper.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <unistd.h>

#include "codec/cache_dump.h"
#include "unit/daemon/soon.h"
#include "unit/kube/fake_loop.h"

namespace muster::daemon {
namespace {

constexpr const char* kNode = R"({"metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4"}}})";
constexpr const char* kClass = R"({"metadata":{"name":"high"},"value":100})";
constexpr const char* kHyperNode = R"({"metadata":{"name":"h1"},"spec":{"tier":1,"members":[]}})";
constexpr const char* kGroup =
    R"({"metadata":{"name":"j","namespace":"ns"},"spec":{"minMember":2,"queue":"q1","priorityClassName":"high"},)"
    R"("status":{"phase":"Running"}})";

std::string pod(const std::string& name, const std::string& node, const std::string& group) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":"u-)" + name + R"(")" +
         (group.empty() ? "" : R"(,"annotations":{"scheduling.k8s.io/group-name":")" + group + R"("})") + R"(},"spec":{)" +
         (node.empty() ? "" : R"("nodeName":")" + node + R"(",)") + R"("schedulerName":"volcano","containers":[]}})";
}

struct Reading {
  std::vector<Object> objects;
  std::multiset<std::string> names;
  std::string error;

  template <class Kind>
  const Kind* find(const std::string& name) const {
    for (const auto& object : objects)
      if (const auto* one = std::get_if<Kind>(&object); one != nullptr && one->meta.name == name) return one;
    return nullptr;
  }
};

Reading read_dump(const std::string& text) {
  Reading reading;
  EXPECT_TRUE(is_cache_dump(*Input::of_text(text, "f"))) << text;
  const auto stats = read_objects_text(text, "snapshot.json", [&](Object&& object, const Location&) -> Result<void> {
    reading.names.insert(object_name(object));
    reading.objects.push_back(std::move(object));
    return {};
  });
  if (!stats) reading.error = stats.error().text();
  return reading;
}

class CacheDumperTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    dumper_ = std::make_shared<CacheDumper>(LiveSources{.on_loop = [this](const auto& work) { work(loop_); },
                                                        .post = [](const auto&) { return false; },
                                                        .config = [] { return std::string(); },
                                                        .log = log_},
                                            loop_, folder_.string());
  }
  void TearDown() override {
    dumper_.reset();
    std::filesystem::remove_all(folder_);
  }

  // As many answers as there are kinds of objects in a dump.
  void answer_all() {
    for (const std::string& items : {std::string(kNode), std::string(kClass), std::string(kHyperNode), std::string(kGroup),
                                     pod("p1", "n1", "j") + "," + pod("p2", "", "j") + "," + pod("p3", "n1", "")})
      loop_.answer(loop_.only(), 200, R"({"metadata":{"resourceVersion":"1"},"items":[)" + items + "]}");
  }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }
  bool says(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return lines_.find(text) != std::string::npos;
  }

  kube::FakeLoop loop_;
  kube::SystemClock clock_;
  std::mutex mutex_;
  std::string lines_;
  Log log_{{}, clock_, [this](std::string_view line) {
             const std::lock_guard lock(mutex_);
             lines_ += line;
           }};
  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("muster-dumps-" + std::to_string(getpid()));
  const std::filesystem::path file_ = folder_ / "snapshot-1700000000.json";
  std::shared_ptr<CacheDumper> dumper_;
};

TEST_F(CacheDumperTest, WritesWhatIsReadAgain) {
  dumper_->write_file();
  answer_all();
  ASSERT_TRUE(soon([&] { return says("a dump was written"); })) << lines_;
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(file_).permissions(), perms::owner_read | perms::owner_write);
  const auto reading = read_dump(content());
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.names, (std::multiset<std::string>{"Node n1", "HyperNode h1", "PodGroup ns/j", "Pod ns/p1", "Pod ns/p2",
                                                       "Pod ns/p3", "Queue q1", "PriorityClass high"}));
  ASSERT_NE(reading.find<PodGroup>("j"), nullptr);
  EXPECT_EQ(reading.find<PodGroup>("j")->min_member, 2);
  EXPECT_EQ(reading.find<PodGroup>("j")->queue, "q1");
  ASSERT_NE(reading.find<PriorityClass>("high"), nullptr);
  EXPECT_EQ(reading.find<PriorityClass>("high")->value, 100);
  ASSERT_NE(reading.find<Pod>("p1"), nullptr);
  EXPECT_EQ(reading.find<Pod>("p1")->spec.node_name, "n1");
  EXPECT_EQ(reading.find<Pod>("p2")->spec.node_name, "");
}

TEST_F(CacheDumperTest, OneAtATime) {
  dumper_->write_file();
  dumper_->write_file();
  EXPECT_TRUE(says("a dump is being written: this one is passed over"));
  EXPECT_EQ(loop_.calls.size(), 1u);
  answer_all();
  EXPECT_TRUE(soon([&] { return says("a dump was written"); }));
}

TEST_F(CacheDumperTest, OverwritesNothing) {
  std::ofstream(file_) << "mine";
  dumper_->write_file();
  answer_all();
  ASSERT_TRUE(soon([&] { return says("no dump: File exists"); })) << lines_;
  EXPECT_EQ(content(), "mine");
}

TEST_F(CacheDumperTest, AServerThatDoesNotAnswerIsToldAndLaterOnesAreWritten) {
  dumper_->write_file();
  loop_.end(loop_.only(), "nobody there");
  EXPECT_TRUE(says("no dump: nodes cannot be listed: nobody there")) << lines_;
  dumper_->write_file();
  answer_all();
  EXPECT_TRUE(soon([&] { return says("a dump was written"); }));
}

TEST_F(CacheDumperTest, NothingIsLoggedWhileNobodyDecides) {
  dumper_->tell_log();
  EXPECT_TRUE(says("no dump: the cluster is being read"));
}

}  // namespace
}  // namespace muster::daemon
