#include "cel/semver.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "base/split.h"
#include "model/quoted.h"

namespace muster::cel {
namespace {

bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'; }
bool all_digits(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }

// A number without leading zeros that fits 64 bits.
std::optional<std::uint64_t> version_number(std::string_view text) {
  if (text.empty() || !all_digits(text) || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<Semver::Identifier> parse_identifier(std::string_view text) {
  if (text.empty()) return fail("Prerelease is empty");
  if (!std::all_of(text.begin(), text.end(), is_word)) return fail("Invalid character(s) found in prerelease " + quoted(text));
  Semver::Identifier identifier{std::string(text), 0, all_digits(text)};
  if (!identifier.numeric) return identifier;
  const auto number = version_number(text);
  if (!number) return fail("Numeric PreRelease version must not contain leading zeroes " + quoted(text));
  identifier.number = *number;
  return identifier;
}

std::string_view cut(std::string_view& text, char at) {
  const auto found = text.find(at);
  if (found == std::string_view::npos) return {};
  const auto rest = text.substr(found + 1);
  text = text.substr(0, found);
  return rest;
}

std::strong_ordering compare(const Semver::Identifier& left, const Semver::Identifier& right) {
  if (left.numeric != right.numeric) return left.numeric ? std::strong_ordering::less : std::strong_ordering::greater;
  return left.numeric ? left.number <=> right.number : left.word <=> right.word;
}

}  // namespace

Result<Semver> Semver::parse(std::string_view text) {
  if (text.empty()) return fail("Version string empty");
  const auto dot = text.find('.');
  const auto second = dot == std::string_view::npos ? dot : text.find('.', dot + 1);
  if (second == std::string_view::npos) return fail("No Major.Minor.Patch elements found");
  Semver version;
  const auto take = [](std::string_view digits, const char* what, std::uint64_t& out) -> Result<void> {
    if (!all_digits(digits) || digits.empty())
      return fail("Invalid character(s) found in " + std::string(what) + " number " + quoted(digits));
    const auto number = version_number(digits);
    if (!number) return fail(std::string(what) + " number must not contain leading zeroes " + quoted(digits));
    out = *number;
    return {};
  };
  auto rest = text.substr(second + 1);
  const bool has_build = rest.find('+') != std::string_view::npos;
  const auto build = cut(rest, '+');
  const bool has_pre_release = rest.find('-') != std::string_view::npos;
  const auto pre_release = cut(rest, '-');
  if (auto taken = take(text.substr(0, dot), "major", version.major); !taken) return fail(taken.error());
  if (auto taken = take(text.substr(dot + 1, second - dot - 1), "minor", version.minor); !taken) return fail(taken.error());
  if (auto taken = take(rest, "patch", version.patch); !taken) return fail(taken.error());
  if (has_pre_release)
    for (const auto part : split(pre_release, '.')) {
      auto identifier = parse_identifier(part);
      if (!identifier) return fail(identifier.error());
      version.pre_release.push_back(std::move(*identifier));
    }
  if (has_build)
    for (const auto part : split(build, '.')) {
      if (part.empty()) return fail("Build meta data is empty");
      if (!std::all_of(part.begin(), part.end(), is_word))
        return fail("Invalid character(s) found in build meta data " + quoted(part));
    }
  return version;
}

Result<Semver> Semver::parse_tolerant(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  for (auto rest = text; parts.size() < 3;) {
    const auto dot = parts.size() == 2 ? std::string_view::npos : rest.find('.');
    parts.emplace_back(rest.substr(0, dot));
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  for (auto& part : parts) {
    if (part.size() <= 1) continue;
    part.erase(0, std::min(part.find_first_not_of('0'), part.size()));
    if (part.empty() || !is_digit(part.front())) part.insert(0, "0");
  }
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos)
    return fail("short version cannot contain PreRelease/Build meta data");
  while (parts.size() < 3) parts.emplace_back("0");
  return parse(parts[0] + "." + parts[1] + "." + parts[2]);
}

std::strong_ordering Semver::operator<=>(const Semver& other) const {
  if (const auto order = major <=> other.major; order != 0) return order;
  if (const auto order = minor <=> other.minor; order != 0) return order;
  if (const auto order = patch <=> other.patch; order != 0) return order;
  // A version comes after its pre-releases.
  if (pre_release.empty() || other.pre_release.empty()) return other.pre_release.size() <=> pre_release.size();
  for (std::size_t i = 0; i < std::min(pre_release.size(), other.pre_release.size()); ++i)
    if (const auto order = compare(pre_release[i], other.pre_release[i]); order != 0) return order;
  return pre_release.size() <=> other.pre_release.size();
}

}  // namespace muster::cel
