#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codec/input.h"
#include "codec/object_reader.h"
#include "model/time.h"

namespace muster {

// By queue and resource.
using UsageAmounts = std::map<std::string, std::map<std::string, double>, std::less<>>;

// What queues held, and what there was, at a time; or summed up over a window, without a time.
struct UsageSample {
  std::optional<Timestamp> at;
  std::map<std::string, double> capacity;  // by resource
  UsageAmounts allocated;
};

// A conformance case without its objects.
struct Case {
  std::string id;
  std::string dialect;
  Timestamp now;
  std::string config;  // a scheduler configuration file; empty: the built-in default
  std::map<std::string, std::string> flags;
  int cycles = 1;
  std::string between = "none";
  std::vector<std::string> keep_terminating;  // groups whose pods do not respawn
  UsageAmounts usage;                         // as parts of all
  std::vector<UsageSample> usage_samples;     // what the sums over a window were, or the samples of which they are made
  ReadStats stats;
};

// One line of a case file, a view into its Input.
struct CaseLine {
  std::string_view text;
  std::uint64_t number = 0;
};

// Walks the cases of a .jsonl file without copying it. The Input must outlive the reader.
//
//   CaseReader reader(input);
//   while (auto line = reader.next()) {
//     auto scenario = reader.read(*line, sink);
//     if (!scenario) report(reader.id_of(*line), scenario.error());
//   }
class CaseReader {
 public:
  explicit CaseReader(const Input& input);
  ~CaseReader();
  CaseReader(const CaseReader&) = delete;
  CaseReader& operator=(const CaseReader&) = delete;

  // The next line that is not blank.
  std::optional<CaseLine> next();

  // Decodes a line. Its objects go to the sink in their order, possibly before the other keys were seen; `expect` and unknown
  // keys are skipped. id, dialect, now and objects are required.
  Result<Case> read(const CaseLine& line, const ObjectSink& sink);

  // The id and the dialect of a line, even if something else in it is wrong; empty when none can be read.
  std::string id_of(const CaseLine& line) { return text_of(line, "id"); }
  std::string dialect_of(const CaseLine& line) { return text_of(line, "dialect"); }

 private:
  struct State;
  static std::string text_of(const CaseLine& line, std::string_view wanted);

  const Input& input_;
  std::size_t offset_ = 0;
  std::uint64_t line_ = 0;
  std::unique_ptr<State> state_;
};

}  // namespace muster
