#include "daemon/tape_recorder.h"

#include <gtest/gtest.h>
#include <thread>

#include "unit/daemon/recording.h"

namespace muster::daemon::tape {
namespace {

// Pods that do not become short when they are packed.
Pod a_noisy_pod(int number) {
  Pod pod;
  pod.meta.ns = "ns";
  pod.meta.name = "p" + std::to_string(number % 20);
  std::string noise;
  for (std::uint32_t i = 0, x = static_cast<std::uint32_t>(number) * 7919 + 1; i < 20'000; ++i)
    noise.push_back(static_cast<char>('!' + ((x = x * 1664525 + 1013904223) >> 24) % 90));
  pod.meta.annotations.set("noise", noise);
  return pod;
}

class TapeRecorder : public testing::Test {
 protected:
  // An object and a cycle each.
  void note(Recorder& recorder, int from, int to) {
    for (int i = from; i < to; ++i) {
      const Applied entry{Object(a_noisy_pod(i))};
      recorder.note({bytes_of(entry), key_of_object(entry.object), {}});
      recorder.note({bytes_of(Cycle{static_cast<std::uint64_t>(i + 1), {i, 0}, {}})});
    }
  }
  static Opening opening() {
    Opening out;
    out.life_id = 5;
    out.life.dialect = "volcano";
    out.config = "text";
    return out;
  }
  static std::vector<Entry> entries(const std::filesystem::path& path) {
    SegmentReader reader(*open_file(path), path.string());
    EXPECT_TRUE(reader.label());
    std::vector<Entry> out;
    for (;;) {
      const auto next = reader.next();
      if (!next || !*next) {
        EXPECT_TRUE(next.has_value());
        return out;
      }
      out.push_back(*read_entry(**next));
    }
  }

  kube::SystemClock clock_;
  Recording recording_;
};

TEST_F(TapeRecorder, TheOldestGoesWhenThereIsTooMuch) {
  constexpr std::uint64_t kMost = 4 << 20;
  for (int run = 0; run < 2; ++run) {
    const auto recorder = recording_.recorder(kMost);
    ASSERT_TRUE(recorder);
    recorder->begin(opening());
    recorder->note({bytes_of(Settled())});
    note(*recorder, 0, 400);  // 6 MiB and more
    EXPECT_TRUE(recorder->is_running());
  }
  const auto segments = recording_.segments();
  EXPECT_GT(segments.size(), 3u);
  EXPECT_LE(recording_.size(), kMost);
  EXPECT_GT(recording_.size(), kMost / 2) << "no more goes than has to";
  EXPECT_NE(segments.front().filename(), "muster-00000001.recording");
}

TEST_F(TapeRecorder, EverySegmentBeginsWithTheState) {
  {
    const auto recorder = recording_.recorder(8 << 20);
    recorder->begin(opening());
    recorder->note({bytes_of(Settled())});
    note(*recorder, 0, 150);
    recorder->note({bytes_of(ConfigGiven{"other text", "file", true})});
    note(*recorder, 150, 200);
  }
  const auto segments = recording_.segments();
  ASSERT_GT(segments.size(), 2u);
  std::uint64_t cycles = 0;
  for (std::size_t part = 0; part < segments.size(); ++part) {
    const auto all = entries(segments[part]);
    const auto& begin = std::get<Opening>(all.front());
    EXPECT_EQ(begin.part, part);
    EXPECT_EQ(begin.life_id, 5u);
    EXPECT_EQ(begin.cycles, cycles);
    EXPECT_EQ(begin.config, cycles > 150 ? "other text" : "text");
    std::size_t objects = 0;
    for (const auto& entry : all) {
      objects += std::holds_alternative<StateObject>(entry) ? 1 : 0;
      if (const auto* cycle = std::get_if<Cycle>(&entry)) cycles = cycle->number;
    }
    EXPECT_EQ(objects, part == 0 ? 0u : 20u);
    EXPECT_EQ(std::get<Closed>(all.back()).goes_on, part + 1 < segments.size());
  }
  EXPECT_EQ(cycles, 200u);
}

TEST_F(TapeRecorder, WhatDoesNotFitEndsTheRecordingAndNothingElse) {
  const auto recorder = recording_.recorder(kLeastBytes);
  recorder->begin(opening());
  for (int i = 0; i < 20; ++i) note(*recorder, 0, 20);  // the same objects, never settled: there is no state to begin anew with
  recorder->note({bytes_of(Settled())});
  for (int i = 0; i < 5000 && recorder->is_running(); ++i) {
    note(*recorder, i, i + 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(recorder->is_running());
  EXPECT_NE(recording_.lines.find("the recording has ended"), std::string::npos);
  EXPECT_LE(recording_.size(), kLeastBytes);
}

TEST_F(TapeRecorder, WhoeverIsRecordedNeverWaits) {
  auto made = Recorder::open({.folder = recording_.folder(), .most_waiting = 100'000, .version = "test"}, clock_, recording_.log());
  ASSERT_TRUE(made);
  (*made)->begin(opening());
  (*made)->note({std::string(200'000, 'x')});
  EXPECT_FALSE((*made)->is_running());
}

TEST_F(TapeRecorder, AFolderThatCannotBeWrittenIsSaidAtOnce) {
  std::filesystem::create_directories(recording_.folder());
  Recording::write(recording_.folder() / "file", "x");
  const auto made = Recorder::open({.folder = recording_.folder() / "file" / "below", .version = "test"}, clock_, recording_.log());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("cannot be made"), std::string::npos) << made.error().text();
}

TEST_F(TapeRecorder, OnlyItsOwnFilesAreSegments) {
  std::filesystem::create_directories(recording_.folder());
  for (const char* name : {"muster-00000003.recording", "muster-00000012.recording", "muster-x.recording", "notes.txt"})
    Recording::write(recording_.folder() / name, "x");
  ASSERT_EQ(recording_.segments().size(), 2u);
  EXPECT_EQ(recording_.segments()[0].filename(), "muster-00000003.recording");
  {
    const auto recorder = recording_.recorder();
    recorder->begin(opening());
    recorder->note({bytes_of(Settled())});
  }
  EXPECT_EQ(recording_.segments().back().filename(), "muster-00000013.recording");
}

TEST(TapeMirror, WhatWasDecidedCountsUntilItIsTakenBack) {
  Pod pod;
  pod.meta.ns = "ns";
  pod.meta.name = "a";
  pod.meta.uid = "u";
  const Applied entry{Object(pod)};
  Mirror mirror;
  mirror.take(bytes_of(entry), key_of_object(entry.object));
  const kube::Identity id{"ns", "a", "u", ""};
  const auto known = [&] {
    std::vector<Pod> pods;
    mirror.for_each_entry([&](std::string_view bytes) {
      const auto read = read_entry(bytes);
      if (const auto* state = std::get_if<StateObject>(&*read))
        if (const auto* one = std::get_if<Pod>(&state->object)) pods.push_back(*one);
    });
    return pods;
  };
  mirror.assume({id, "n1", {}, {}});
  mirror.assume({{"ns", "a", "of another uid", ""}, "n2", {}, {}});
  mirror.assume({id, {}, {}, Timestamp{9, 0}});
  ASSERT_EQ(known().size(), 1u);
  EXPECT_EQ(known()[0].spec.node_name, "n1");
  EXPECT_EQ(known()[0].meta.deleted, (Timestamp{9, 0}));
  mirror.take(bytes_of(TakenBack{id}), {});
  EXPECT_TRUE(known().empty());
}

TEST(TapeMirror, AnOrderIsAnObjectUntilItIsTakenBack) {
  Mirror mirror;
  const kube::Identity id{"ns", "a", "u", ""};
  mirror.assume({id,
                 {},
                 R"({"apiVersion":"scheduling.run.ai/v1alpha2","kind":"BindRequest","metadata":{"name":"a","namespace":"ns"},)"
                 R"("spec":{"podName":"a","selectedNode":"n1"}})",
                 {}});
  const auto requests = [&] {
    int count = 0;
    mirror.for_each_entry([&](std::string_view bytes) {
      const auto read = read_entry(bytes);
      if (const auto* state = std::get_if<StateObject>(&*read)) count += std::holds_alternative<BindRequest>(state->object) ? 1 : 0;
    });
    return count;
  };
  EXPECT_EQ(requests(), 1);
  mirror.take(bytes_of(TakenBack{id}), {});
  EXPECT_EQ(requests(), 0);
}

}  // namespace
}  // namespace muster::daemon::tape
