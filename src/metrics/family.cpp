#include "metrics/family.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "metrics/number_text.h"

namespace muster::metrics {
namespace {

bool is_name(std::string_view text, std::string_view also) {
  const auto allowed = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || also.find(c) != std::string_view::npos;
  };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(), allowed);
}

enum class Quotes { kStay, kEscaped };

void append_escaped(std::string& out, std::string_view text, Quotes quotes) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      if (c == '\\' || (c == '"' && quotes == Quotes::kEscaped)) out += '\\';
      out += c;
    }
  }
}

void append_label(std::string& out, std::string_view name, std::string_view value) {
  out += out.back() == '{' ? "" : ",";
  out.append(name).append("=\"");
  append_escaped(out, value, Quotes::kEscaped);
  out += '"';
}

}  // namespace

std::string_view text_of(Kind kind) {
  switch (kind) {
    case Kind::kCounter: return "counter";
    case Kind::kGauge: return "gauge";
    case Kind::kHistogram: return "histogram";
  }
  return "untyped";
}

AnyFamily::AnyFamily(Kind kind, Description description)
    : kind_(kind), description_(std::move(description)), order_(description_.labels.size()) {
  MUSTER_ASSERT(is_name(description_.name, "_:"));
  for (const auto& label : description_.labels) MUSTER_ASSERT(is_name(label, "_") && !(kind == Kind::kHistogram && label == "le"));
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return description_.labels[a] < description_.labels[b]; });
}

AnyFamily::Values AnyFamily::sorted(ValueViews declared) const {
  MUSTER_ASSERT(declared.size() == order_.size());
  Values out;
  out.reserve(order_.size());
  for (const auto index : order_) out.emplace_back(declared[index]);
  return out;
}

std::size_t AnyFamily::place_of(std::string_view label) const {
  const auto found = std::find_if(order_.begin(), order_.end(), [&](auto index) { return description_.labels[index] == label; });
  MUSTER_ASSERT(found != order_.end());
  return static_cast<std::size_t>(found - order_.begin());
}

void AnyFamily::append_head(std::string& out) const {
  out.append("# HELP ").append(description_.name).append(" ");
  append_escaped(out, description_.help, Quotes::kStay);
  out.append("\n# TYPE ").append(description_.name).append(" ").append(text_of(kind_)).append("\n");
}

void AnyFamily::append_sample(std::string& out, std::string_view suffix, const Values& values, const double* bound,
                              double sample) const {
  out.append(description_.name).append(suffix);
  if (!values.empty() || bound != nullptr) {
    out += '{';
    for (std::size_t i = 0; i < values.size(); ++i) append_label(out, description_.labels[order_[i]], values[i]);
    if (bound != nullptr) append_label(out, "le", number_text(*bound));
    out += '}';
  }
  out.append(" ").append(number_text(sample)).append("\n");
}

void AnyFamily::append(std::string& out, const Values& values, const Counter& series) const {
  append_sample(out, "", values, nullptr, series.value());
}

void AnyFamily::append(std::string& out, const Values& values, const Gauge& series) const {
  append_sample(out, "", values, nullptr, series.value());
}

void AnyFamily::append(std::string& out, const Values& values, const Histogram& series) const {
  const auto reading = series.read();
  const auto& bounds = series.bounds();
  for (std::size_t i = 0; i < bounds.size(); ++i)
    append_sample(out, "_bucket", values, &bounds[i], static_cast<double>(reading.cumulative[i]));
  const double unbounded = std::numeric_limits<double>::infinity();
  const auto all = static_cast<double>(reading.cumulative.back());
  append_sample(out, "_bucket", values, &unbounded, all);
  append_sample(out, "_sum", values, nullptr, reading.sum);
  append_sample(out, "_count", values, nullptr, all);
}

}  // namespace muster::metrics
