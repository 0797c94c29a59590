#include "sim/life_annotations.h"

#include <array>
#include <fmt/format.h>

#include "base/split.h"
#include "sim/fields.h"

namespace muster::sim {
namespace {

std::string as_seconds(std::string_view text) {
  const auto read = parse_seconds(text);
  return read ? std::string() : read.error().message;
}

std::string as_run_time(std::string_view text) {
  const auto read = parse_run_time(text);
  return read ? std::string() : read.error().message;
}

std::string as_code(std::string_view text) { return parse_integer(text) ? "" : "must be a whole number"; }

std::string as_flag(std::string_view text) { return text == "true" || text == "false" ? "" : R"(must be "true" or "false")"; }

struct LifeAnnotation {
  std::string_view kind;
  std::string_view key;
  std::string (*wrong)(std::string_view);
};

constexpr std::array kLifeAnnotations{
    LifeAnnotation{"Pod", kStartSeconds, as_seconds}, LifeAnnotation{"Pod", kRunSeconds, as_run_time},
    LifeAnnotation{"Pod", kExitCode, as_code},        LifeAnnotation{"Pod", kStopSeconds, as_seconds},
    LifeAnnotation{"Node", kNodeDown, as_flag},       LifeAnnotation{"Node", kEvictAfterSeconds, as_seconds},
};

}  // namespace

std::optional<std::int64_t> annotated_seconds(const Tree& object, std::string_view key) {
  const auto read = parse_seconds(annotation_of(object, key));
  return read ? std::optional(*read) : std::nullopt;
}

std::optional<RunTime> annotated_run_time(const Tree& pod) {
  const auto read = parse_run_time(annotation_of(pod, kRunSeconds));
  return read ? std::optional(*read) : std::nullopt;
}

std::vector<Cause> wrong_life_annotations(const Kind& kind, const Tree& before, const Tree& after) {
  std::vector<Cause> out;
  for (const auto& row : kLifeAnnotations) {
    const auto* annotations = row.kind == kind.kind ? after.at("metadata.annotations") : nullptr;
    if (annotations == nullptr || annotations->find(row.key) == nullptr) continue;
    const auto text = annotation_of(after, row.key);
    if (text == annotation_of(before, row.key)) continue;
    if (auto wrong = row.wrong(text); !wrong.empty())
      out.push_back(invalid_field(fmt::format("metadata.annotations[{}]", row.key), fmt::format("\"{}\"", text), wrong));
  }
  return out;
}

}  // namespace muster::sim
