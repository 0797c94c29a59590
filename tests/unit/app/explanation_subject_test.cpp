#include "app/explanation_subject.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(NamedJobs, NearestOfAllNames) {
  NamedJobs jobs;
  jobs.add(GroupId(0), "a/train", "");
  jobs.add(GroupId(1), "a/podgroup-17", "ReplicaSet/serving-7d4b9c");
  jobs.add(GroupId(2), "b/podgroup-18", "Job/Nightly-29000000");
  struct Row {
    const char* typed;
    const char* near;
  };
  for (const auto& [typed, near] : std::initializer_list<Row>{{"trian", "train"},
                                                              {"a/trian", "a/train"},
                                                              {"servin", "serving"},
                                                              {"a/servin", "a/serving"},
                                                              {"serving-7d4b9d", "serving-7d4b9c"},
                                                              {"a/serving-7d4b9d", "a/serving-7d4b9c"},
                                                              {"b/Nightli", "b/Nightly"},
                                                              {"podgroup", "podgroup-17"},
                                                              {"pod", "podgroup-17"},
                                                              {"b/pod", "b/podgroup-18"},
                                                              {"something", ""},
                                                              {"", ""}})
    EXPECT_EQ(jobs.nearest(typed), near) << typed;
}

TEST(NamedJobs, FindsAnyCaseOfAName) {
  NamedJobs jobs;
  jobs.add(GroupId(0), "a/Train", "PyTorchJob/Big");
  for (const auto* name : {"train", "TRAIN", "a/TRAIN", "big", "pytorchjob/BIG", "A/pytorchjob/big"})
    EXPECT_EQ(jobs.called(name).size(), 1u) << name;
  for (const auto* name : {"trai", "bigger", "b/train", "job/big"}) EXPECT_TRUE(jobs.called(name).empty()) << name;
}

// A page that is left open asks for a job that is gone every few seconds.
TEST(NamedJobs, ComparesNoMoreNamesThanItMay) {
  struct Row {
    const char* what;
    std::size_t jobs;
    std::string workload;
    const char* near;
  };
  for (const auto& [what, count, workload, near] :
       std::initializer_list<Row>{{"as many as may be", NamedJobs::kMostCompared, "", "train"},
                                  {"a job more", NamedJobs::kMostCompared + 1, "", ""},
                                  {"two names each", NamedJobs::kMostCompared / 2, "Job/other", "train"},
                                  {"two names each, and more", NamedJobs::kMostCompared / 2 + 1, "Job/other", ""}}) {
    NamedJobs jobs;
    for (std::size_t i = 0; i < count; ++i) jobs.add(GroupId(i), i == 0 ? "a/train" : "a/j" + std::to_string(i), workload);
    EXPECT_EQ(jobs.nearest("trian"), near) << what;
    EXPECT_EQ(jobs.called("train").size(), 1u) << what;
  }
}

}  // namespace
}  // namespace muster
