#include "app/config_check.h"

#include "app/config_report.h"
#include "app/kai_config.h"
#include "codec/input.h"
#include "codec/yaml_value.h"

namespace muster {
namespace {

Dialect dialect_of(const ConfigCheckRequest& request, const std::string& text, const std::string& file, ConfigCheckResult& out) {
  if (request.dialect) return *request.dialect;
  const auto root = read_yaml_value(text, file);
  const auto guessed = root ? dialect_of_config(*root) : std::nullopt;
  if (guessed == Dialect::kKai) out.notes.push_back("this is read as a configuration of KAI's scheduler; --dialect says otherwise");
  return guessed.value_or(Dialect::kVolcano);
}

}  // namespace

Result<ConfigCheckResult> check_config_of_any_dialect(const ConfigCheckRequest& request, const ExtensionSet& extensions) {
  const auto input = Input::read(request.file);
  if (!input) return fail(input.error());
  const std::string text(input->text());
  ConfigCheckResult out;
  if (dialect_of(request, text, input->name(), out) == Dialect::kKai) {
    const auto checked = check_kai_config_text(text, input->name(), Strictness::kStrict, extensions);
    out.good = checked.good();
    out.report = request.json ? kai_config_json(checked) + "\n" : kai_config_text(checked, request.paint);
    return out;
  }
  const auto checked = check_config_text(text, input->name(), Strictness::kStrict, extensions);
  out.good = checked.good();
  out.report = request.json ? config_report_json(checked) + "\n" : config_report_text(checked, request.paint);
  return out;
}

}  // namespace muster
