#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/value.h"

struct fy_event;  // NOLINT(readability-identifier-naming): the name of the library

namespace muster {

// The documents of a YAML stream, one after another, each as a tree of values (see read_yaml_value for its rules). The text must
// be UTF-8 (the library behind this can loop for ever on others) and outlive the reader.
class YamlDocuments {
 public:
  YamlDocuments(std::string_view text, std::string file);
  ~YamlDocuments();
  YamlDocuments(const YamlDocuments&) = delete;
  YamlDocuments& operator=(const YamlDocuments&) = delete;

  // The next document, or nothing at the end. After an error there is nothing more to come.
  Result<std::optional<Value>> next();

  // Aliases may add this much to a stream, counted in values (long strings count more): a guard against bombs, not a limit that
  // an honest file meets.
  static constexpr std::size_t kMaxExpansion = 1'000'000;

 private:
  struct Parser;
  struct Event;
  struct Anchor {
    Value value;
    std::size_t cost = 0;
    int levels = 1;
  };

  Result<Event> next_event();
  Result<Value> read_value(const Event& event, int depth);
  Result<Value> read_scalar(const Event& event);
  Result<Value> read_alias(const Event& event, int depth);
  Result<Value> read_list(const Event& event, int depth);
  Result<Value> read_map(const Event& event, int depth);
  Result<Value> read_anchored(const Event& event, int depth);
  Result<void> merge(Value::Map& map, std::vector<Value> sources);
  Result<void> spend(std::size_t cost, const Event& event);
  Result<void> check_keys(const Value::Map& map) const;
  tl::unexpected<Error> too_deep(const Event& event) const;
  tl::unexpected<Error> wrong(std::string message, std::uint64_t line, std::uint64_t column) const;

  std::string file_;
  std::unique_ptr<Parser> parser_;
  std::map<std::string, Anchor, std::less<>> anchors_;
  std::set<std::string, std::less<>> open_anchors_;
  std::size_t spent_ = 0;
};

}  // namespace muster
