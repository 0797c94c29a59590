#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace muster {

// A regular expression over names, in the syntax of Go's regexp package. Takes time linear in the name, whatever the pattern.
class NamePattern {
 public:
  explicit NamePattern(const std::string& pattern);
  ~NamePattern();
  NamePattern(const NamePattern&) = delete;
  NamePattern& operator=(const NamePattern&) = delete;
  NamePattern(NamePattern&&) noexcept;
  NamePattern& operator=(NamePattern&&) noexcept;

  // Whether the pattern can be read at all; one that cannot matches nothing.
  bool valid() const;
  // What is wrong with it, if anything.
  const std::string& error() const;
  // Whether it matches anywhere in the name.
  bool matches(std::string_view name) const;

 private:
  std::unique_ptr<re2::RE2> expression_;
};

}  // namespace muster
