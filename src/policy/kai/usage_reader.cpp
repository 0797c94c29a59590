#include "policy/kai/usage_reader.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "base/nearest_name.h"
#include "model/name_list.h"

namespace muster::kai {
namespace {

constexpr std::array<std::string_view, 4> kUsageKeys = {"clientType", "connectionString", "connectionStringEnvVar", "usageParams"};
constexpr std::array<std::string_view, 9> kParamKeys = {"halfLifePeriod",          "windowSize",  "windowType",
                                                        "tumblingWindowStartTime", "cronString",  "fetchInterval",
                                                        "stalenessPeriod",         "waitTimeout", "extraParams"};
constexpr std::array<std::string_view, 8> kExtraKeys = {"usageQueryTimeout",   "queryResolution",        "gpuAllocationMetric",
                                                        "cpuAllocationMetric", "memoryAllocationMetric", "gpuCapacityMetric",
                                                        "cpuCapacityMetric",   "memoryCapacityMetric"};
constexpr std::string_view kClients[] = {"prometheus", "fake", "fake-with-history"};

class UsageReader {
 public:
  explicit UsageReader(const std::string& file) : file_(file) {}

  Result<UsageParams> read(const Value& root) {
    if (root.as_map() == nullptr) return wrong(root, "\"usageDBConfig\" must be a map");
    params_.client = text(root, "clientType");
    params_.address = text(root, "connectionString");
    params_.address_variable = text(root, "connectionStringEnvVar");
    if (std::find(std::begin(kClients), std::end(kClients), params_.client) == std::end(kClients))
      return wrong(root, "unknown clientType \"" + params_.client + "\" (known: prometheus, fake, fake-with-history)");
    if (params_.address.empty() == params_.address_variable.empty())
      return wrong(root, "exactly one of connectionString and connectionStringEnvVar must be given");
    if (const auto* given = root.find("usageParams"); given != nullptr && !given->is_null())
      if (const auto done = read_params(*given); !done) return fail(done.error());
    params_.staleness = std::max(params_.staleness, params_.fetch_interval);
    return std::move(params_);
  }

 private:
  tl::unexpected<Error> wrong(const Value& at, std::string message) const {
    return fail(Error(std::move(message), Location{file_, at.line(), at.column()}));
  }

  static std::string text(const Value& map, std::string_view key) {
    const auto* value = map.find(key);
    const auto* found = value == nullptr ? nullptr : value->as_string();
    return found == nullptr ? std::string() : *found;
  }

  Result<void> read_params(const Value& given) {
    if (given.as_map() == nullptr) return wrong(given, "\"usageParams\" must be a map");
    struct Duration {
      std::string_view key;
      std::int64_t UsageParams::* out;
    };
    for (const auto& [key, out] :
         {Duration{"halfLifePeriod", &UsageParams::half_life}, Duration{"fetchInterval", &UsageParams::fetch_interval},
          Duration{"stalenessPeriod", &UsageParams::staleness}, Duration{"waitTimeout", &UsageParams::wait_timeout}}) {
      const auto* value = given.find(key);
      if (value == nullptr || value->is_null()) continue;
      const auto parsed = value->as_string() == nullptr ? Result<std::int64_t>(fail("")) : parse_go_duration(*value->as_string());
      if (!parsed) return wrong(*value, "\"" + std::string(key) + "\" must be a duration as \"10m\"");
      params_.*out = *parsed;
    }
    params_.half_life = std::max<std::int64_t>(params_.half_life, 0);
    if (const auto* size = given.find("windowSize"); size != nullptr && !size->is_null()) {
      const auto parsed = size->as_string() == nullptr ? std::nullopt : parse_window_size(*size->as_string());
      if (!parsed) return wrong(*size, "\"windowSize\" must be a duration as \"1w\"");
      params_.window_size = *parsed;
    }
    if (const auto* extra = given.find("extraParams"); extra != nullptr && extra->as_map() != nullptr)
      for (const auto& [key, value] : *extra->as_map())
        if (key.as_string() != nullptr && value.as_string() != nullptr) params_.extra[*key.as_string()] = *value.as_string();
    return read_window(given);
  }

  Result<void> read_window(const Value& given) {
    const auto type = text(given, "windowType");
    if (type.empty() || type == "sliding") return {};
    if (type == "tumbling") {
      params_.window = UsageWindow::kTumbling;
      const auto start = Timestamp::parse_rfc3339(text(given, "tumblingWindowStartTime"));
      if (!start) return wrong(given, "a tumbling window needs a \"tumblingWindowStartTime\"");
      params_.tumbling_start = *start;
      return {};
    }
    if (type != "cron") return wrong(given, "unknown windowType \"" + type + "\" (known: sliding, tumbling, cron)");
    params_.window = UsageWindow::kCron;
    const auto cron = CronSchedule::parse(text(given, "cronString"));
    if (!cron) return wrong(given, "\"cronString\": " + cron.error().message);
    params_.cron = *cron;
    return {};
  }

  const std::string& file_;
  UsageParams params_ = default_usage_params();
};

void check_keys(const Value* map, std::string_view what, std::span<const std::string_view> known, Reporter& reporter) {
  if (map == nullptr || map->as_map() == nullptr) return;
  for (const auto& [key, value] : *map->as_map())
    if (const auto name = text_of_scalar(key).value_or(""); std::ranges::find(known, name) == known.end())
      reporter.problem(key, fmt::format("{} has no key \"{}\", so it is passed over", what, name), nearest_name(name, known));
}

}  // namespace

Result<UsageParams> read_usage_params(const Value& root, const std::string& file) { return UsageReader(file).read(root); }

void check_usage_keys(const Value& root, Reporter& reporter) {
  check_keys(&root, "\"usageDBConfig\"", kUsageKeys, reporter);
  const auto* params = root.find("usageParams");
  check_keys(params, "\"usageParams\"", kParamKeys, reporter);
  if (params != nullptr) check_keys(params->find("extraParams"), "\"extraParams\"", kExtraKeys, reporter);
}

}  // namespace muster::kai
