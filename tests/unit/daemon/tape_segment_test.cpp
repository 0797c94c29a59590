#include "daemon/tape_segment.h"

#include <gtest/gtest.h>

#include "daemon/tape_entries.h"
#include "unit/daemon/recording.h"

namespace muster::daemon::tape {
namespace {

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  Result<std::string> read(std::size_t most) override {
    const auto piece = text_.substr(at_, most);
    at_ += piece.size();
    return piece;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

struct Outcome {
  std::vector<std::string> entries;
  std::string error;  // empty: it ended as it should
};

Outcome read_all(const std::string& text) {
  SegmentReader reader(std::make_unique<TextSource>(text), "file");
  Outcome out;
  if (const auto label = reader.label(); !label) {
    out.error = label.error().text();
    return out;
  }
  for (;;) {
    const auto next = reader.next();
    if (!next) {
      out.error = next.error().text();
      return out;
    }
    if (!*next) return out;
    out.entries.emplace_back(**next);
  }
}

class TapeSegment : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(recording_.folder());
    auto writer = SegmentWriter::open(recording_.folder() / "s", {0xabc, "1.2.3"});
    ASSERT_TRUE(writer) << writer.error().text();
    ends_.push_back(writer->size());
    for (const auto& block : std::vector<std::vector<std::string>>{{"one", "two"}, {std::string(5000, 'x')}, {"three", ""}}) {
      std::string entries;
      for (const auto& entry : block) {
        add_entry(entries, entry);
        entries_.push_back(entry);
      }
      ASSERT_TRUE(writer->write(writer->pack(entries)));
      ends_.push_back(writer->size());
      counts_.push_back(entries_.size());
    }
    text_ = Recording::read(recording_.folder() / "s");
  }

  Recording recording_;
  std::string text_;
  std::vector<std::string> entries_;
  std::vector<std::uint64_t> ends_;  // of the label and of each block
  std::vector<std::size_t> counts_;  // of entries up to the end of each block
};

TEST_F(TapeSegment, WhatWasWrittenIsRead) {
  const auto out = read_all(text_);
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.entries, entries_);
  EXPECT_TRUE(text_.starts_with("muster recording 1 shape=0000000000000abc version=1.2.3\n")) << text_.substr(0, 80);
  const auto permissions = std::filesystem::status(recording_.folder() / "s").permissions();
  EXPECT_EQ(permissions & std::filesystem::perms::others_all, std::filesystem::perms::none);
  EXPECT_FALSE(SegmentWriter::open(recording_.folder() / "s", {})) << "nothing is written over";
}

TEST_F(TapeSegment, WhereverItBreaksOffTheWholeBlocksAreRead) {
  for (std::size_t size = 0; size < text_.size(); ++size) {
    const auto out = read_all(text_.substr(0, size));
    const auto whole = std::ranges::find(ends_, size);
    EXPECT_EQ(out.error.empty(), whole != ends_.end()) << size << " " << out.error;
    std::size_t expected = 0;
    for (std::size_t block = 0; block < counts_.size(); ++block)
      if (ends_[block + 1] <= size) expected = counts_[block];
    EXPECT_EQ(out.entries.size(), expected) << size;
    if (!out.error.empty()) {
      EXPECT_TRUE(out.error.starts_with("file: at offset ")) << out.error;
    }
  }
  const auto out = read_all(text_.substr(0, ends_[1] + 20));
  EXPECT_TRUE(out.error.starts_with("file: at offset " + std::to_string(ends_[1]) + ": breaks off: a block of")) << out.error;
}

TEST_F(TapeSegment, NoChangedByteGoesUnnoticed) {
  for (std::size_t at = ends_[0]; at < text_.size(); ++at) {
    auto changed = text_;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    const auto out = read_all(changed);
    EXPECT_NE(out.error, "") << at;
    EXPECT_LE(out.entries.size(), entries_.size());
    for (std::size_t i = 0; i < out.entries.size(); ++i) EXPECT_EQ(out.entries[i], entries_[i]) << at;
  }
}

TEST_F(TapeSegment, OtherFilesAreRefusedByName) {
  EXPECT_EQ(read_all("").error, "file: at offset 0: is no recording of muster");
  EXPECT_EQ(read_all("apiVersion: v1\n").error, "file: at offset 0: is no recording of muster");
  EXPECT_EQ(read_all("muster recording 7 shape=1 version=9\n").error,
            "file: at offset 0: is a recording of format 7, and this muster reads format 1");
  EXPECT_EQ(read_all("muster recording 1 shape=1").error, "file: at offset 0: breaks off in the first line");
  EXPECT_EQ(read_all("muster recording 1 form=1\n").error, "file: at offset 0: its first line does not say what is in it");
  EXPECT_FALSE(open_file(recording_.folder() / "none"));
}

TEST(TapeEntries, AreTheSameAgain) {
  Cycle cycle{.number = 7, .now = {1, 2}, .decisions = {}};
  cycle.decisions.binds = {{"ns/a", "u", "n1", 5}};
  cycle.decisions.others = {{"patch /x", 9}};
  const auto read = read_entry(bytes_of(cycle));
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<Cycle>(*read).decisions, cycle.decisions);
  EXPECT_EQ(std::get<Cycle>(*read).number, 7u);
  EXPECT_TRUE(ends_a_turn(bytes_of(cycle)));
  EXPECT_FALSE(is_applied(bytes_of(cycle)));
  Pod pod;
  pod.meta.name = "a";
  const auto applied = bytes_of(Applied{Object(pod)});
  EXPECT_TRUE(is_applied(applied));
  const auto state = read_entry(as_state(applied));
  ASSERT_TRUE(state);
  EXPECT_EQ(std::get<Pod>(std::get<StateObject>(*state).object).meta.name, "a");
  EXPECT_FALSE(read_entry(applied.substr(0, applied.size() - 1)));
  EXPECT_FALSE(read_entry(applied + "x"));
  EXPECT_FALSE(read_entry(""));
  EXPECT_FALSE(read_entry("\x7f"));
}

}  // namespace
}  // namespace muster::daemon::tape
