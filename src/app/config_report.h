#pragma once

#include <string>

#include "app/config_file.h"
#include "app/text_table.h"

namespace muster {

// Every problem as "error: file:line:column: …", then what is in force if there is none.
std::string config_report_text(const CheckedConfig& checked, Paint paint);
std::string config_report_json(const CheckedConfig& checked);

}  // namespace muster
