#include "app/kai_usage_file.h"

#include <algorithm>
#include <array>

#include "base/nearest_name.h"
#include "codec/input.h"
#include "codec/yaml_scalar.h"
#include "codec/yaml_value.h"
#include "model/quoted.h"

namespace muster {
namespace {

using kai::Share;
using ShareAmounts = std::map<Share, double>;

constexpr std::array<std::string_view, 3> kRootKeys = {"measured", "queues", "samples"};
constexpr std::array<std::string_view, 3> kSampleKeys = {"at", "capacity", "queues"};
constexpr std::array<std::string_view, 3> kResources = {"cpu", "memory", "gpu"};

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Result<KaiUsageFile> read(const Value& root) {
    KaiUsageFile out;
    bool has_queues = false;
    bool has_samples = false;
    const auto done = each(root, "", kRootKeys, [&](const std::string& key, const Value& value) -> Result<void> {
      if (key == "measured") return read_time(value, key, out.measured.emplace());
      if (key == "queues")
        return has_queues = true, read_queues(value, [&](const std::string& queue, const ShareAmounts& amounts) {
                 for (const auto& [share, part] : amounts) out.queues[queue][share] = part;
               });
      has_samples = true;
      return read_samples(value, out.samples);
    });
    if (!done) return fail(done.error());
    if (has_queues == has_samples) return wrong(root, "must have either queues or samples");
    return out;
  }

 private:
  template <class F>
  Result<void> each(const Value& map, const std::string& what, std::span<const std::string_view> known, F&& on_key) {
    if (map.as_map() == nullptr) return wrong(map, (what.empty() ? "" : what + ": ") + "must be a map");
    for (const auto& [key, value] : *map.as_map()) {
      const auto name = scalar_text(key);
      if (!known.empty() && std::ranges::find(known, name) == known.end()) return unknown(key, known);
      if (auto done = on_key(name, value); !done) return done;
    }
    return {};
  }

  template <class F>
  Result<void> read_queues(const Value& value, F&& on_queue) {
    return each(value, "queues", {}, [&](const std::string& queue, const Value& amounts) -> Result<void> {
      ShareAmounts read;
      if (auto done = read_amounts(amounts, "queues." + queue, read); !done) return done;
      on_queue(queue, read);
      return {};
    });
  }

  Result<void> read_samples(const Value& list, std::vector<kai::UsagePoint>& out) {
    if (list.as_list() == nullptr) return wrong(list, "samples: must be a list");
    for (const auto& item : *list.as_list()) {
      auto& point = out.emplace_back();
      bool has_time = false;
      auto done = each(item, "samples", kSampleKeys, [&](const std::string& key, const Value& value) -> Result<void> {
        if (key == "at") return has_time = true, read_time(value, key, point.at);
        if (key == "capacity") return read_amounts(value, key, point.capacity);
        return read_queues(value, [&](const std::string& queue, const ShareAmounts& amounts) { point.allocated[queue] = amounts; });
      });
      if (!done) return done;
      if (!has_time) return wrong(item, "samples: at: is required");
    }
    return {};
  }

  Result<void> read_amounts(const Value& value, const std::string& what, ShareAmounts& out) {
    return each(value, what, kResources, [&](const std::string& resource, const Value& amount) -> Result<void> {
      const auto number = number_of(amount);
      if (!number) return wrong(amount, what + "." + resource + ": must be a number, not " + std::string(amount.type_name()));
      if (*number < 0) return wrong(amount, what + "." + resource + ": must not be negative");
      out[resource == "cpu" ? Share::kCpu : resource == "memory" ? Share::kMemory : Share::kGpu] = *number;
      return {};
    });
  }

  static std::optional<double> number_of(const Value& value) {
    if (const auto* whole = value.as_int()) return static_cast<double>(*whole);
    if (const auto* number = value.as_double()) return *number;
    return std::nullopt;
  }

  Result<void> read_time(const Value& value, const std::string& what, Timestamp& out) const {
    const auto* text = value.as_string();
    if (text == nullptr) return wrong(value, what + ": must be a time, not " + std::string(value.type_name()));
    const auto time = Timestamp::parse_rfc3339(*text);
    if (!time) return wrong(value, what + ": " + time.error().message);
    out = *time;
    return {};
  }

  tl::unexpected<Error> unknown(const Value& key, std::span<const std::string_view> known) const {
    const auto name = scalar_text(key);
    const auto near = nearest_name(name, known);
    return wrong(key, "unknown key " + quoted(name) + (near.empty() ? "" : "; did you mean " + quoted(near) + "?"));
  }

  tl::unexpected<Error> wrong(const Value& at, std::string message) const {
    return fail(Error(std::move(message), Location{file_, at.line(), at.column()}));
  }

  std::string file_;
};

}  // namespace

Result<KaiUsageFile> read_kai_usage(const std::string& path) {
  const auto input = Input::read(path);
  if (!input) return fail(input.error());
  return read_kai_usage_text(input->text(), input->name());
}

Result<KaiUsageFile> read_kai_usage_text(std::string_view text, const std::string& file) {
  const auto root = read_yaml_value(text, file);
  if (!root) return fail(root.error());
  return Reader(file).read(*root);
}

}  // namespace muster
