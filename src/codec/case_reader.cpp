#include "codec/case_reader.h"

#include <algorithm>
#include <cstring>

#include "codec/json_decoder.h"
#include "codec/json_syntax.h"
#include "codec/object_fields.h"
#include "codec/object_walk.h"
#include "codec/positions.h"

namespace muster {
namespace {

constexpr std::int32_t kMaxCycles = 1'000'000;

bool read_flags(JsonDecoder& json, JsonValue& value, std::map<std::string, std::string>& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) { return json.scalar_text(field, out[std::string(key)]); });
}

bool read_by_resource(JsonDecoder& json, JsonValue& value, std::map<std::string, double>& out) {
  return json.object(value,
                     [&](std::string_view resource, JsonValue& amount) { return json.number(amount, out[std::string(resource)]); });
}

bool read_usage(JsonDecoder& json, JsonValue& value, UsageAmounts& out) {
  return json.object(
      value, [&](std::string_view queue, JsonValue& amounts) { return read_by_resource(json, amounts, out[std::string(queue)]); });
}

bool read_sample(JsonDecoder& json, JsonValue& value, UsageSample& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "at") return read_time(json, field, out.at.emplace());
    if (key == "capacity") return read_by_resource(json, field, out.capacity);
    if (key == "allocated") return read_usage(json, field, out.allocated);
    return true;
  });
}

bool read_cycles(JsonDecoder& json, JsonValue& value, int& out) {
  std::int32_t cycles = 0;
  if (!json.integer(value, cycles)) return false;
  if (cycles < 0 || cycles > kMaxCycles) return json.wrong(value, "must be between 0 and " + std::to_string(kMaxCycles));
  out = cycles;
  return true;
}

// One line into a Case. Which of the required keys were there is known at the end only.
class LineReader {
 public:
  LineReader(JsonDecoder& json, ObjectWalk& walk, Case& out) : json_(json), walk_(walk), out_(out) {}

  bool read(JsonValue& root) {
    const bool ok = json_.object(root, [&](std::string_view key, JsonValue& field) { return member(key, field); });
    if (!ok) return false;
    if (out_.id.empty()) return json_.missing(root, "id");
    if (out_.dialect.empty()) return json_.missing(root, "dialect");
    if (!has_now_) return json_.missing(root, "now");
    if (!has_objects_) return json_.missing(root, "objects");
    return true;
  }

 private:
  bool member(std::string_view key, JsonValue& field) {
    if (key == "id") return json_.string(field, out_.id);
    if (key == "dialect") return json_.string(field, out_.dialect);
    if (key == "config") return json_.string(field, out_.config);
    if (key == "flags") return read_flags(json_, field, out_.flags);
    if (key == "cycles") return read_cycles(json_, field, out_.cycles);
    if (key == "between") return json_.string(field, out_.between);
    if (key == "keep_terminating") return read_strings(json_, field, out_.keep_terminating);
    if (key == "usage") return read_usage(json_, field, out_.usage);
    if (key == "usage_samples") return read_sample(json_, field, out_.usage_samples.emplace_back());
    if (key == "usage_history") return read_list(json_, field, out_.usage_samples, read_sample);
    if (key == "now") {
      has_now_ = true;
      return read_time(json_, field, out_.now);
    }
    if (key == "objects") {
      has_objects_ = true;
      return json_.array(field, [&](JsonValue& item) { return walk_.read(item); });
    }
    return true;
  }

  JsonDecoder& json_;
  ObjectWalk& walk_;
  Case& out_;
  bool has_now_ = false;
  bool has_objects_ = false;
};

}  // namespace

struct CaseReader::State {
  JsonDecoder json;
};

CaseReader::CaseReader(const Input& input) : input_(input), state_(std::make_unique<State>()) {}
CaseReader::~CaseReader() = default;

std::optional<CaseLine> CaseReader::next() {
  const std::string_view text = input_.text();
  while (offset_ < text.size()) {
    const std::size_t end = std::min(text.find('\n', offset_), text.size());
    const CaseLine line{text.substr(offset_, end - offset_), ++line_};
    offset_ = end + 1;
    if (skip_json_space(line.text, 0) < line.text.size()) return line;
  }
  return std::nullopt;
}

Result<Case> CaseReader::read(const CaseLine& line, const ObjectSink& sink) {
  const std::string_view text = line.text;
  TextPositions positions(text, input_.name(), line.number);
  const std::size_t begin = skip_json_space(text, 0);
  const auto end = json_value_end(text, begin, kMaxDepth);
  if (!end) return fail(Error(end.error().message, positions.at(end.error().offset)));
  if (const std::size_t rest = skip_json_space(text, *end); rest < text.size())
    return fail(Error("a line holds one case only", positions.at(rest)));
  if (text[begin] != '{') return fail(Error("a case must be an object", positions.at(begin)));

  Case result;
  JsonDecoder& json = state_->json;
  ObjectWalk walk(json, positions, sink, result.stats);
  LineReader reader(json, walk, result);
  if (!json.document(text, begin, *end, [&](JsonValue& root) { return reader.read(root); }))
    return fail(json.take_error(positions));
  return result;
}

std::string CaseReader::text_of(const CaseLine& line, std::string_view wanted) {
  // The line may be broken anywhere, so this looks no further than it must.
  std::string_view text = line.text;
  std::size_t at = skip_json_space(text, 0);
  if (at == text.size() || text[at] != '{') return {};
  ++at;
  while (true) {
    at = skip_json_space(text, at);
    if (at == text.size() || text[at] != '"') return {};
    const auto key_end = json_value_end(text, at, kMaxDepth);
    if (!key_end) return {};
    const std::string_view key = text.substr(at, *key_end - at);
    at = skip_json_space(text, *key_end);
    if (at == text.size() || text[at] != ':') return {};
    at = skip_json_space(text, at + 1);
    const auto value_end = json_value_end(text, at, kMaxDepth);
    if (!value_end) return {};
    if (key.size() == wanted.size() + 2 && key.substr(1, wanted.size()) == wanted)
      return JsonDecoder::string_of(text.substr(at, *value_end - at));
    at = skip_json_space(text, *value_end);
    if (at == text.size() || text[at] != ',') return {};
    ++at;
  }
}

}  // namespace muster
