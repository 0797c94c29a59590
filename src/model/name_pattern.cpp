#include "model/name_pattern.h"

#include <re2/re2.h>

namespace muster {
namespace {

RE2::Options quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

NamePattern::NamePattern(const std::string& pattern) : expression_(std::make_unique<RE2>(pattern, quiet())) {}
NamePattern::~NamePattern() = default;
NamePattern::NamePattern(NamePattern&&) noexcept = default;
NamePattern& NamePattern::operator=(NamePattern&&) noexcept = default;

bool NamePattern::valid() const { return expression_->ok(); }

const std::string& NamePattern::error() const { return expression_->error(); }

bool NamePattern::matches(std::string_view name) const {
  return valid() && RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *expression_);
}

}  // namespace muster
