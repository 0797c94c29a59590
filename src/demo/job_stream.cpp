#include "demo/job_stream.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace muster::demo {
namespace {

constexpr std::int64_t kMillisPerSecond = 1000;

// SplitMix64: small, and the same everywhere.
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

std::int64_t between(std::uint64_t& state, std::int64_t least, std::int64_t most) {
  const auto width = static_cast<std::uint64_t>(most - least) + 1;
  return least + static_cast<std::int64_t>(next_random(state) % width);
}

// A job that is written as one stays one.
std::optional<std::int64_t> jobs_of(const JobPlan& plan, double load) {
  if (!plan.count) return plan.every > 0 ? std::nullopt : std::optional<std::int64_t>(1);
  if (*plan.count == 1) return 1;
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(*plan.count) * load));
}

}  // namespace

JobStream::JobStream(const Scenario& scenario, double load) : load_(load) {
  std::uint64_t seeds = scenario.seed;
  for (const auto& plan : scenario.jobs)
    sources_.push_back(
        {.plan = &plan, .random = next_random(seeds), .at_millis = plan.at * kMillisPerSecond, .left = jobs_of(plan, load)});
}

std::optional<PlannedJob> JobStream::next_until(std::int64_t millis) {
  const auto first = std::ranges::min_element(sources_, {}, &Source::at_millis);
  if (first == sources_.end() || first->at_millis > millis) return std::nullopt;
  auto out = take(*first);
  if (first->left == 0) sources_.erase(first);
  return out;
}

PlannedJob JobStream::take(Source& source) const {
  const auto& plan = *source.plan;
  PlannedJob out{.at_millis = source.at_millis, .plan = &plan, .name = plan.name};
  if (!plan.comes_once()) out.name += fmt::format("-{}", source.made + 1);
  const auto choice = between(source.random, 0, static_cast<std::int64_t>(plan.pods.size()) - 1);
  out.pods = plan.pods[static_cast<std::size_t>(choice)];
  out.least = plan.least == 0 ? out.pods : plan.least;
  if (plan.run) out.run_seconds = between(source.random, plan.run->least, plan.run->most);
  ++source.made;
  if (source.left) --*source.left;
  // From half to one and a half of the average.
  const auto average = static_cast<double>(plan.every * kMillisPerSecond) / std::max(load_, 1e-3);
  const auto step = [](double millis) { return std::max<std::int64_t>(1, std::llround(millis)); };  // time goes on
  if (plan.every > 0) source.at_millis += between(source.random, step(average / 2), step(average * 3 / 2));
  return out;
}

}  // namespace muster::demo
