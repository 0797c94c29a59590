#include "demo/scenario.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <set>

#include "base/nearest_name.h"
#include "codec/yaml_value.h"

namespace muster::demo {
namespace {

constexpr std::int64_t kMostNodes = 20'000;
constexpr std::int64_t kMostPods = 5'000;
constexpr std::int64_t kMostSeconds = 1'000'000;
constexpr std::int64_t kMostAmount = 1'000'000;
constexpr std::array<std::string_view, 3> kPriorityNames = {"train", "build", "inference"};

// Takes the members of a map one by one; what nobody took is an error.
class Fields {
 public:
  Fields(const Value& map, const std::string& file) : map_(map), file_(file) {}

  tl::unexpected<Error> wrong(const Value& at, std::string message) const {
    return fail(Error(std::move(message), {file_, at.line(), at.column()}));
  }

  template <class Reader>
  void take(std::string_view key, Reader read) {
    known_.push_back(key);
    const auto* value = map_.find(key);
    if (value == nullptr || error_) return;
    if (auto done = read(*value); !done) error_ = std::move(done.error());
  }
  void text(std::string_view key, std::string& out) {
    take(key, [&, key](const Value& value) -> Result<void> {
      const auto* text = value.as_string();
      if (text == nullptr || text->empty()) return wrong(value, fmt::format("{} is a text, not {}", key, value.type_name()));
      out = *text;
      return {};
    });
  }
  void integer(std::string_view key, std::int64_t& out, std::int64_t least, std::int64_t most) {
    take(key, [&, key, least, most](const Value& value) -> Result<void> {
      auto number = bounded(key, value, least, most);
      if (!number) return fail(std::move(number.error()));
      out = *number;
      return {};
    });
  }
  void fraction(std::string_view key, double& out, double most) {
    take(key, [&, key, most](const Value& value) -> Result<void> {
      const double number = value.as_int() != nullptr      ? static_cast<double>(*value.as_int())
                            : value.as_double() != nullptr ? *value.as_double()
                                                           : -1;
      if (!(number >= 0 && number <= most)) return wrong(value, fmt::format("{} is a number from 0 to {}", key, most));
      out = number;
      return {};
    });
  }
  Result<std::int64_t> bounded(std::string_view key, const Value& value, std::int64_t least, std::int64_t most) const {
    const auto* number = value.as_int();
    if (number == nullptr || *number < least || *number > most)
      return wrong(value, fmt::format("{} is a whole number from {} to {}", key, least, most));
    return *number;
  }
  // Every item of a list that is a map itself.
  template <class Item>
  void items(std::string_view key, std::vector<Item>& out, const std::function<Result<Item>(const Value&)>& read) {
    take(key, [&, key](const Value& value) -> Result<void> {
      const auto* list = value.as_list();
      if (list == nullptr) return wrong(value, fmt::format("{} is a list, not {}", key, value.type_name()));
      for (const auto& item : *list) {
        if (item.as_map() == nullptr) return wrong(item, fmt::format("an item of {} is a map, not {}", key, item.type_name()));
        auto made = read(item);
        if (!made) return fail(std::move(made.error()));
        out.push_back(std::move(*made));
      }
      return {};
    });
  }

  // After everything was taken.
  Result<void> finish() {
    if (error_) return fail(std::move(*error_));
    for (const auto& [key, value] : *map_.as_map()) {
      const auto* name = key.as_string();
      if (name != nullptr && std::ranges::find(known_, *name) != known_.end()) continue;
      const auto near = name == nullptr ? std::string() : nearest_name(*name, known_);
      return wrong(key, fmt::format("{} is unknown here{}", name == nullptr ? "this key" : "\"" + *name + "\"",
                                    near.empty() ? "" : "; is \"" + near + "\" meant?"));
    }
    return {};
  }

 private:
  const Value& map_;
  const std::string& file_;
  std::vector<std::string_view> known_;
  std::optional<Error> error_;
};

Result<void> check_name(const Fields& fields, const Value& map, const std::string& name) {
  const auto is_good = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  const bool good =
      !name.empty() && name.size() <= 40 && std::ranges::all_of(name, is_good) && name.front() != '-' && name.back() != '-';
  if (!good) return fields.wrong(map, "name is missing, or is no lower-case letters, digits and hyphens, at most 40");
  return {};
}

Result<PoolPlan> read_pool(const Value& map, const std::string& file) {
  PoolPlan out;
  Fields fields(map, file);
  fields.text("name", out.name);
  fields.fraction("share", out.share, 1e6);
  fields.integer("cpu", out.cpu, 1, kMostAmount);
  fields.integer("memoryGi", out.memory_gi, 1, kMostAmount);
  fields.integer("gpus", out.gpus, 0, kMostAmount);
  fields.text("product", out.product);
  if (auto done = fields.finish(); !done) return fail(std::move(done.error()));
  if (auto done = check_name(fields, map, out.name); !done) return fail(std::move(done.error()));
  return out;
}

Result<QueuePlan> read_queue(const Value& map, const std::string& file) {
  QueuePlan out;
  Fields fields(map, file);
  fields.text("name", out.name);
  fields.text("parent", out.parent);
  fields.fraction("share", out.share, 1);
  if (auto done = fields.finish(); !done) return fail(std::move(done.error()));
  if (auto done = check_name(fields, map, out.name); !done) return fail(std::move(done.error()));
  return out;
}

// One number, or a list of those that there may be.
Result<std::vector<std::int64_t>> read_numbers(const Fields& fields, std::string_view key, const Value& value, std::int64_t least,
                                               std::int64_t most) {
  std::vector<std::int64_t> out;
  const Value::List alone{value};
  for (const auto& item : value.as_list() == nullptr ? alone : *value.as_list()) {
    const auto number = fields.bounded(key, item, least, most);
    if (!number) return fail(number.error());
    out.push_back(*number);
  }
  if (out.empty()) return fields.wrong(value, fmt::format("{} has no number", key));
  return out;
}

Result<RackWish> read_wish(const Fields& fields, const Value& value) {
  const auto text = value.as_string() == nullptr ? std::string() : *value.as_string();
  if (text == "anywhere") return RackWish::kAnywhere;
  if (text == "preferred") return RackWish::kPreferred;
  if (text == "required") return RackWish::kRequired;
  return fields.wrong(value, "rack is one of anywhere, preferred, required");
}

Result<JobPlan> read_job(const Value& map, const std::string& file) {
  JobPlan out;
  Fields fields(map, file);
  fields.text("name", out.name);
  fields.text("queue", out.queue);
  fields.text("pool", out.pool);
  fields.integer("at", out.at, 0, kMostSeconds);
  fields.integer("every", out.every, 1, kMostSeconds);
  fields.take("count", [&](const Value& value) -> Result<void> {
    const auto number = fields.bounded("count", value, 1, kMostPods);
    if (!number) return fail(number.error());
    out.count = *number;
    return {};
  });
  fields.take("pods", [&](const Value& value) -> Result<void> {
    auto numbers = read_numbers(fields, "pods", value, 1, kMostPods);
    if (!numbers) return fail(std::move(numbers.error()));
    out.pods = std::move(*numbers);
    return {};
  });
  fields.integer("least", out.least, 1, kMostPods);
  fields.integer("cpu", out.cpu, 1, kMostAmount);
  fields.integer("memoryGi", out.memory_gi, 1, kMostAmount);
  fields.integer("gpus", out.gpus, 0, kMostAmount);
  fields.take("run", [&](const Value& value) -> Result<void> {
    auto numbers = read_numbers(fields, "run", value, 1, kMostSeconds);
    if (!numbers) return fail(std::move(numbers.error()));
    if (numbers->size() > 2 || numbers->front() > numbers->back())
      return fields.wrong(value, "run is a number of seconds, or [least, most]");
    out.run = Seconds{numbers->front(), numbers->back()};
    return {};
  });
  fields.take("priority", [&](const Value& value) -> Result<void> {
    const auto* name = value.as_string();
    if (name == nullptr || std::ranges::find(kPriorityNames, *name) == kPriorityNames.end())
      return fields.wrong(value, fmt::format("priority is one of {}", fmt::join(kPriorityNames, ", ")));
    out.priority = *name;
    return {};
  });
  fields.take("rack", [&](const Value& value) -> Result<void> {
    const auto wish = read_wish(fields, value);
    if (!wish) return fail(wish.error());
    out.rack = *wish;
    return {};
  });
  if (auto done = fields.finish(); !done) return fail(std::move(done.error()));
  if (auto done = check_name(fields, map, out.name); !done) return fail(std::move(done.error()));
  return out;
}

// What no part of it can know alone.
Result<void> check_whole(const Scenario& scenario, const std::string& file) {
  const auto wrong = [&](const std::string& message) { return fail(Error(message, {file, 0, 0})); };
  if (scenario.pools.empty()) return wrong("there are no pools, so no nodes");
  std::set<std::string> queues;
  std::set<std::string> parents;
  for (const auto& queue : scenario.queues) {
    if (!queues.insert(queue.name).second) return wrong("two queues have the name " + queue.name);
    if (queue.parent.empty()) continue;
    if (!queues.contains(queue.parent))
      return wrong(fmt::format("queue {}: its parent {} is not listed before it", queue.name, queue.parent));
    parents.insert(queue.parent);
  }
  std::set<std::string> jobs;
  for (const auto& job : scenario.jobs) {
    if (!queues.contains(job.queue)) return wrong(fmt::format("job {}: there is no queue \"{}\"", job.name, job.queue));
    if (parents.contains(job.queue))
      return wrong(fmt::format("job {}: queue {} has queues below it, and takes no jobs", job.name, job.queue));
    if (!job.pool.empty() && std::ranges::find(scenario.pools, job.pool, &PoolPlan::name) == scenario.pools.end())
      return wrong(fmt::format("job {}: there is no pool \"{}\"", job.name, job.pool));
    if (!jobs.insert(job.queue + "/" + job.name).second)
      return wrong(fmt::format("two jobs of queue {} have the name {}", job.queue, job.name));
    if (job.least > std::ranges::min(job.pods)) return wrong(fmt::format("job {}: least is more than it has pods", job.name));
  }
  return {};
}

}  // namespace

const JobPlan* too_large_job(const Scenario& scenario) {
  const auto found = std::ranges::find_if(scenario.jobs, [&](const JobPlan& job) {
    return job.comes_once() && std::ranges::none_of(scenario.pools, [&](const PoolPlan& pool) {
             return (job.pool.empty() || job.pool == pool.name) && job.cpu <= pool.cpu && job.memory_gi <= pool.memory_gi &&
                    job.gpus <= pool.gpus;
           });
  });
  return found == scenario.jobs.end() ? nullptr : &*found;
}

Result<Scenario> read_scenario(std::string_view text, const std::string& file) {
  const auto document = read_yaml_value(text, file);
  if (!document) return fail(document.error());
  if (document->as_map() == nullptr)
    return fail(Error(fmt::format("a scenario is a map, not {}", document->type_name()), {file, 1, 1}));
  Scenario out;
  Fields fields(*document, file);
  std::int64_t seed = 1;
  fields.integer("seed", seed, 0, std::numeric_limits<std::int64_t>::max());
  fields.integer("nodes", out.nodes, 1, kMostNodes);
  fields.integer("nodesPerRack", out.nodes_per_rack, 1, kMostNodes);
  fields.integer("racksPerZone", out.racks_per_zone, 1, kMostNodes);
  fields.items<PoolPlan>("pools", out.pools, [&](const Value& item) { return read_pool(item, file); });
  fields.items<QueuePlan>("queues", out.queues, [&](const Value& item) { return read_queue(item, file); });
  fields.items<JobPlan>("jobs", out.jobs, [&](const Value& item) { return read_job(item, file); });
  if (auto done = fields.finish(); !done) return fail(std::move(done.error()));
  if (auto done = check_whole(out, file); !done) return fail(std::move(done.error()));
  out.seed = static_cast<std::uint64_t>(seed);
  return out;
}

}  // namespace muster::demo
