#include "engine/devices/selector_answers.h"

namespace muster {

void SelectorAnswers::refresh() {
  const auto stale = catalog_.take_stale_instances();
  if (stale.empty()) return;
  for (auto& [text, expression] : expressions_)
    for (const auto instance : stale)
      if (instance < expression->answers.size()) expression->answers[instance] = Expression::Answer::kUnknown;
}

SelectorAnswers::Expression& SelectorAnswers::compiled(const std::string& text) {
  auto& expression = expressions_[text];
  if (!expression) expression = std::make_unique<Expression>(Expression{cel::DeviceSelector::compile(text), {}});
  return *expression;
}

Result<bool> SelectorAnswers::choose(const std::vector<std::string>& selectors, const SliceEntry& entry, std::size_t device) {
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    auto& expression = compiled(selectors[i]);
    const auto which = [&](const char* what) { return "selector #" + std::to_string(i) + ": CEL " + what + " error: "; };
    if (!expression.selector) return fail(which("compile") + expression.selector.error().message);
    const auto instance = entry.instances[device];
    if (expression.answers.size() <= instance) expression.answers.resize(catalog_.instance_count(), Expression::Answer::kUnknown);
    auto& answer = expression.answers[instance];
    if (answer == Expression::Answer::kUnknown) {
      const auto chosen = expression.selector->matches(entry.slice.driver, entry.slice.devices[device]);
      if (!chosen) return fail(which("runtime") + chosen.error().message);
      answer = *chosen ? Expression::Answer::kYes : Expression::Answer::kNo;
    }
    if (answer == Expression::Answer::kNo) return false;
  }
  return true;
}

}  // namespace muster
