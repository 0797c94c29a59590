#pragma once

#include <string>

#include "app/config_file.h"
#include "app/text_table.h"
#include "codec/json_writer.h"

namespace muster {

// Every problem as "error: file:line:column: …", then what is in force if there is none.
std::string config_report_text(const CheckedConfig& checked, Paint paint);
std::string config_report_json(const CheckedConfig& checked);

// The parts that are alike for configurations of every dialect: the problems and the verdict.
struct ConfigVerdict {
  std::string file;
  bool is_default = false;
  bool good = false;
};
std::string verdict_text(const ConfigVerdict& verdict, const std::vector<Diagnostic>& problems, Paint paint);
void write_verdict(JsonWriter& json, const ConfigVerdict& verdict, const std::vector<Diagnostic>& problems);

}  // namespace muster
