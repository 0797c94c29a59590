#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace muster {

// Where in an input something is wrong. Lines and columns count from 1; 0 means unknown.
struct Location {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;

  bool operator==(const Location&) const = default;
};

// An expected failure: bad input, a file that cannot be read, an unknown name. Bugs are assertions instead.
struct Error {
  std::string message;
  Location location;
  std::string object;  // "Pod default/web-0", empty when none is concerned
  std::string field;   // "spec.containers[0].resources.requests.cpu"

  Error() = default;
  explicit Error(std::string text) : message(std::move(text)) {}
  Error(std::string text, Location where) : message(std::move(text)), location(std::move(where)) {}

  // "file:line:column: object: field: message", leaving out what is unknown.
  std::string text() const;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> fail(std::string message) { return fail(Error(std::move(message))); }

}  // namespace muster
