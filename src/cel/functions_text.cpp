#include <algorithm>

#include "cel/table_words.h"
#include "model/name_pattern.h"

namespace muster::cel {
namespace {

// Where the characters of a UTF-8 text begin, with its end as the last.
std::vector<std::size_t> boundaries(const std::string& text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((text[i] & 0xC0) != 0x80) starts.push_back(i);
  starts.push_back(text.size());
  return starts;
}

Value out_of_range(std::int64_t index) { return Value::error("index out of range: " + std::to_string(index)); }

Value contains(Arguments a, Budget&) { return a[0].string().find(a[1].string()) != std::string::npos; }
Value starts_with(Arguments a, Budget&) { return a[0].string().starts_with(a[1].string()); }
Value ends_with(Arguments a, Budget&) { return a[0].string().ends_with(a[1].string()); }

Value matches(Arguments a, Budget& budget) {
  // Matching takes time in proportion to both.
  if (!budget.spend((1 + a[0].string().size()) * (1 + a[1].string().size()) / 40)) return Budget::error();
  const NamePattern pattern(a[1].string());
  if (!pattern.valid()) return Value::error("error parsing regexp: " + pattern.error());
  return pattern.matches(a[0].string());
}

template <char kFrom, char kTo>
Value shift_ascii(Arguments a, Budget&) {
  auto text = a[0].string();
  for (auto& c : text)
    if (c >= kFrom && c < kFrom + 26) c = static_cast<char>(c - kFrom + kTo);
  return text;
}

Value trim(Arguments a, Budget&) {
  const auto& text = a[0].string();
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string::npos) return std::string();
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

Value replace(Arguments a, Budget& budget) {
  const auto& text = a[0].string();
  const auto& from = a[1].string();
  const auto& to = a[2].string();
  auto left = a.size() > 3 ? a[3].integer() : -1;
  std::string out;
  std::size_t at = 0;
  // An empty text to be replaced is found before each character and at the end.
  while (left != 0) {
    const auto found = text.find(from, at);
    if (found == std::string::npos) break;
    if (!budget.spend(1 + to.size() / 10)) return Budget::error();
    out.append(text, at, found - at).append(to);
    at = found + from.size();
    --left;
    if (!from.empty()) continue;
    if (at >= text.size()) break;
    do out.push_back(text[at++]);
    while (at < text.size() && (text[at] & 0xC0) == 0x80);
  }
  return at < text.size() ? out.append(text, at, std::string::npos) : out;
}

Value split_text(Arguments a, Budget& budget) {
  const auto& text = a[0].string();
  const auto& separator = a[1].string();
  auto limit = a.size() > 2 ? a[2].integer() : -1;
  std::vector<Value> parts;
  if (limit == 0) return Value::list(std::move(parts));
  std::size_t at = 0;
  const auto starts = separator.empty() ? boundaries(text) : std::vector<std::size_t>();
  for (std::size_t part = 1; limit < 0 || static_cast<std::int64_t>(part) < limit; ++part) {
    const auto found = separator.empty() ? (part + 1 < starts.size() ? starts[part] : std::string::npos) : text.find(separator, at);
    if (found == std::string::npos) break;
    if (!budget.spend(1)) return Budget::error();
    parts.emplace_back(text.substr(at, found - at));
    at = found + separator.size();
  }
  if (!separator.empty() || at < text.size()) parts.emplace_back(text.substr(at));
  return Value::list(std::move(parts));
}

Value substring(Arguments a, Budget&) {
  const auto starts = boundaries(a[0].string());
  const auto size = static_cast<std::int64_t>(starts.size()) - 1;
  const auto begin = a[1].integer();
  const auto end = a.size() > 2 ? a[2].integer() : size;
  if (begin < 0 || begin > size) return out_of_range(begin);
  if (end < 0 || end > size) return out_of_range(end);
  if (begin > end)
    return Value::error("invalid substring range. start: " + std::to_string(begin) + ", end: " + std::to_string(end));
  const auto from = starts[static_cast<std::size_t>(begin)];
  return a[0].string().substr(from, starts[static_cast<std::size_t>(end)] - from);
}

Value char_at(Arguments a, Budget&) {
  const auto starts = boundaries(a[0].string());
  const auto at = a[1].integer();
  if (at < 0 || at >= static_cast<std::int64_t>(starts.size())) return out_of_range(at);
  const auto index = static_cast<std::size_t>(at);
  if (index + 1 == starts.size()) return std::string();
  return a[0].string().substr(starts[index], starts[index + 1] - starts[index]);
}

std::int64_t character_of(const std::vector<std::size_t>& starts, std::size_t byte) {
  return std::lower_bound(starts.begin(), starts.end(), byte) - starts.begin();
}

Value index_of_text(Arguments a, Budget&) {
  const auto starts = boundaries(a[0].string());
  const auto from = a.size() > 2 ? a[2].integer() : 0;
  if (from < 0 || from >= static_cast<std::int64_t>(starts.size())) return out_of_range(from);
  const auto found = a[0].string().find(a[1].string(), starts[static_cast<std::size_t>(from)]);
  return found == std::string::npos ? std::int64_t{-1} : character_of(starts, found);
}

Value last_index_of_text(Arguments a, Budget&) {
  const auto starts = boundaries(a[0].string());
  const auto last = static_cast<std::int64_t>(starts.size()) - 1;
  const auto from = a.size() > 2 ? a[2].integer() : last;
  if (from < 0 || from > last) return out_of_range(from);
  const auto found = a[0].string().rfind(a[1].string(), starts[static_cast<std::size_t>(from)]);
  return found == std::string::npos ? std::int64_t{-1} : character_of(starts, found);
}

Value join(Arguments a, Budget& budget) {
  const auto separator = a.size() > 1 ? a[1].string() : std::string();
  std::string out;
  bool first = true;
  for (const auto& item : a[0].items()) {
    if (!item.is(Kind::kString)) return no_such_overload();
    if (!budget.spend(1 + (item.string().size() + separator.size()) / 10)) return Budget::error();
    if (!std::exchange(first, false)) out += separator;
    out += item.string();
  }
  return out;
}

}  // namespace

std::vector<Overload> text_functions() {
  return {
      {"contains", kMember, {kS, kS}, Kind::kBool, contains},
      {"startsWith", kMember, {kS, kS}, Kind::kBool, starts_with},
      {"endsWith", kMember, {kS, kS}, Kind::kBool, ends_with},
      {"matches", kMember, {kS, kS}, Kind::kBool, matches},
      {"matches", kGlobal, {kS, kS}, Kind::kBool, matches},
      {"lowerAscii", kMember, {kS}, kS, shift_ascii<'A', 'a'>},
      {"upperAscii", kMember, {kS}, kS, shift_ascii<'a', 'A'>},
      {"trim", kMember, {kS}, kS, trim},
      {"replace", kMember, {kS, kS, kS}, kS, replace},
      {"replace", kMember, {kS, kS, kS, kI}, kS, replace},
      {"split", kMember, {kS, kS}, Kind::kList, split_text},
      {"split", kMember, {kS, kS, kI}, Kind::kList, split_text},
      {"substring", kMember, {kS, kI}, kS, substring},
      {"substring", kMember, {kS, kI, kI}, kS, substring},
      {"charAt", kMember, {kS, kI}, kS, char_at},
      {"indexOf", kMember, {kS, kS}, kI, index_of_text},
      {"indexOf", kMember, {kS, kS, kI}, kI, index_of_text},
      {"lastIndexOf", kMember, {kS, kS}, kI, last_index_of_text},
      {"lastIndexOf", kMember, {kS, kS, kI}, kI, last_index_of_text},
      {"join", kMember, {Kind::kList}, kS, join},
      {"join", kMember, {Kind::kList, kS}, kS, join},
  };
}

}  // namespace muster::cel
