#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/value.h"

namespace muster {

enum class Severity { kWarning, kError };

// One problem of a configuration.
struct Diagnostic {
  Severity severity = Severity::kError;
  std::string message;
  Location location;
  std::string suggestion;  // the nearest known name, empty when none is near

  // The whole sentence, without the file: `unknown plugin "ganng" (line 4, column 11); did you mean "gang"?`
  std::string text() const;

  bool operator==(const Diagnostic&) const = default;
};

enum class Strictness {
  // As the original reads it: unknown keys are ignored, an unknown plugin is skipped, and an argument of the wrong type leaves the
  // default in force, each with a warning. What the original rejects or dies of is an error.
  kExact,
  // Whatever would be ignored, skipped or corrected is an error.
  kStrict,
};

// Collects the problems of one document and knows how serious each is under the chosen strictness.
class Reporter {
 public:
  Reporter(std::string file, Strictness strictness) : file_(std::move(file)), strictness_(strictness) {}

  Location location(const Value& at) const { return {file_, at.line(), at.column()}; }

  // Cannot be scheduled with, whatever the strictness.
  void error(const Value& at, std::string message, std::string suggestion = {});

  // The original gets by; a strict reader does not.
  void problem(const Value& at, std::string message, std::string suggestion = {});

  // Allowed, but hardly meant.
  void warning(const Value& at, std::string message);

  bool has_errors() const;

  // Everything reported, in document order.
  std::vector<Diagnostic> take();

 private:
  void report(Severity severity, const Value& at, std::string message, std::string suggestion);

  std::string file_;
  Strictness strictness_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace muster
