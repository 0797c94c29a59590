#pragma once

#include <string>
#include <string_view>

#include "app/progress.h"
#include "app/text_table.h"

namespace muster::cli {

// How the program ends, as the documentation and --help say it.
enum class ExitCode { kOk = 0, kBadInput = 1, kUsage = 2, kCasesRefused = 3, kDiffers = 4 };

// Colours only for people who want them: standard output is a terminal and NO_COLOR is not set.
Paint output_paint();

// Writes to standard output. False: it cannot be written to; a reader who has gone is no error (head, less).
bool write_output(std::string_view text);
// Ends the writing: whether everything has arrived.
ExitCode finish_output(ExitCode code);

// "muster: …" on standard error, one line per line of the text.
ExitCode complain(std::string_view text);
// "note: …" on standard error, one line.
void note(std::string_view text);

// Shows on standard error how far the work is when it takes more than a second and someone watches a terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ProgressLine(ProgressLine&&) = delete;
  ProgressLine& operator=(ProgressLine&&) = delete;

  // Must not outlive the line.
  Progress listener();

 private:
  void show(std::string_view doing, std::uint64_t done);
  bool watched_;
  bool shown_ = false;
  std::int64_t started_;
  std::int64_t last_ = 0;
};

}  // namespace muster::cli
