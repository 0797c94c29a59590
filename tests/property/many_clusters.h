#pragma once

// Laws that are tried on so many random clusters at the least that what is rare among them is among them, too.

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sstream>

namespace muster {

inline constexpr int kManyClusters = 500;

// As RC_GTEST_PROP, for kManyClusters cases or as many as RC_PARAMS asks for beyond that; one that it reproduces is tried alone.
template <class Law>
void holds_for_many(Law law) {
  const auto& config = rc::detail::configuration();
  if (!config.reproduce.empty()) return rc::detail::checkGTest(law);
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  rc::detail::TestMetadata metadata;
  metadata.id = std::string(test->test_suite_name()) + "/" + test->name();
  metadata.description = test->name();
  auto params = config.testParams;
  params.maxSuccess = std::max(params.maxSuccess, kManyClusters);
  const auto result = rc::detail::checkTestable(law, metadata, params);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  if (!result.template is<rc::detail::SuccessResult>()) FAIL() << text.str();
  std::cout << text.str() << "\n";
}

// Whether the laws are tried on as many clusters as it takes to meet what they are about.
inline bool meets_many_clusters() { return rc::detail::configuration().reproduce.empty() && !testing::Test::HasFailure(); }

}  // namespace muster
