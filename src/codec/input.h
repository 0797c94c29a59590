#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster {

// The whole of a file or of standard input, in memory: valid UTF-8, without a byte order mark, followed by the readable padding
// that the JSON parser wants. Views into it live as long as it does.
class Input {
 public:
  static constexpr std::size_t kPadding = 64;
  static constexpr std::uint64_t kMaxBytes = 0xFFFFFF00u;  // the JSON parser's limit: offsets are 32 bits

  // Reads a file, or standard input for "-". Of a zip archive it is the one file in it. Errors: cannot be opened or read, is a
  // directory, too large, not UTF-8 (with line and column).
  static Result<Input> read(const std::string& path);

  // A copy of a text under the name that errors shall give it.
  static Result<Input> of_text(std::string_view text, std::string name);

  const std::string& name() const { return name_; }
  std::string_view text() const { return {bytes_.get() + begin_, size_}; }

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  using Bytes = std::unique_ptr<char, Free>;

  Input(Bytes bytes, std::size_t size, std::string name) : bytes_(std::move(bytes)), size_(size), name_(std::move(name)) {}
  static Result<Bytes> grow(Bytes bytes, std::size_t capacity, const std::string& name);
  static Result<Input> unpacked(std::string_view archive, const std::string& name);
  static Result<Input> read_all(int descriptor, std::size_t expected, std::string name);
  Result<Input> checked() &&;

  Bytes bytes_;  // size_ + kPadding bytes
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  std::string name_;
};

// Nesting deeper than this is an error, in JSON and in YAML.
inline constexpr int kMaxDepth = 200;

// What a path given by a user stands for: itself, or for a directory every *.json, *.jsonl, *.yaml and *.yml below it, sorted by
// path. An empty directory is an error.
Result<std::vector<std::string>> input_files(const std::string& path);

}  // namespace muster
