#include "codec/input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/positions.h"
#include "codec/utf8.h"
#include "codec/zip_archive.h"

namespace muster {
namespace {

static_assert(Input::kPadding >= simdjson::SIMDJSON_PADDING);

tl::unexpected<Error> cannot_read(const std::string& name, const std::string& why) {
  return fail(Error("cannot be read: " + why, Location{name, 0, 0}));
}

tl::unexpected<Error> cannot_read(const std::string& name, int error_number) {
  return cannot_read(name, std::strerror(error_number));
}

tl::unexpected<Error> too_large(const std::string& name) {
  return fail(Error("is larger than 4 GiB, which is more than can be read at once", Location{name, 0, 0}));
}

// Closes the descriptor of a file, but never standard input.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ > STDIN_FILENO) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// Reads until the room is full or the file ends; the number of bytes, or -1 with errno set.
ssize_t read_some(int descriptor, char* room, std::size_t size) {
  constexpr std::size_t kChunk = std::size_t{1} << 30;  // the kernel takes no more than 2 GiB at once
  ssize_t count = 0;
  do {
    count = ::read(descriptor, room, std::min(size, kChunk));
  } while (count < 0 && errno == EINTR);
  return count;
}

bool is_object_file(const std::filesystem::path& path) {
  const auto extension = path.extension();
  return extension == ".json" || extension == ".jsonl" || extension == ".yaml" || extension == ".yml";
}

}  // namespace

Result<Input> Input::read(const std::string& path) {
  if (path == "-") return read_all(STDIN_FILENO, 0, "standard input");
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return cannot_read(path, errno);
  struct stat facts = {};
  if (::fstat(file.number(), &facts) != 0) return cannot_read(path, errno);
  if (S_ISDIR(facts.st_mode)) return cannot_read(path, "it is a directory");
  if (facts.st_size > static_cast<off_t>(kMaxBytes)) return too_large(path);
  return read_all(file.number(), S_ISREG(facts.st_mode) ? static_cast<std::size_t>(facts.st_size) : 0, path);
}

Result<Input> Input::of_text(std::string_view text, std::string name) {
  if (text.size() > kMaxBytes) return too_large(name);
  auto bytes = grow(nullptr, text.size(), name);
  if (!bytes) return fail(std::move(bytes.error()));
  std::copy(text.begin(), text.end(), bytes->get());
  return Input(std::move(*bytes), text.size(), std::move(name)).checked();
}

Result<Input::Bytes> Input::grow(Bytes bytes, std::size_t capacity, const std::string& name) {
  char* old = bytes.release();
  Bytes grown(static_cast<char*>(std::realloc(old, capacity + kPadding)));
  if (grown) return grown;
  std::free(old);
  return cannot_read(name, "there is not enough memory for it");
}

Result<Input> Input::read_all(int descriptor, std::size_t expected, std::string name) {
  constexpr std::size_t kFirst = 1 << 16;
  std::size_t capacity = std::max(expected + 1, kFirst);  // one more than expected, so that the end is seen without growing
  auto bytes = grow(nullptr, capacity, name);
  std::size_t size = 0;
  while (bytes) {
    const ssize_t count = read_some(descriptor, bytes->get() + size, capacity - size);
    if (count < 0) return cannot_read(name, errno);
    if (count == 0 && is_zip({bytes->get(), size})) return unpacked({bytes->get(), size}, name);
    if (count == 0) return Input(std::move(*bytes), size, std::move(name)).checked();
    size += static_cast<std::size_t>(count);
    if (size > kMaxBytes) return too_large(name);
    if (size == capacity) bytes = grow(std::move(*bytes), capacity *= 2, name);
  }
  return fail(std::move(bytes.error()));
}

Result<Input> Input::unpacked(std::string_view archive, const std::string& name) {
  const auto at = [&](Error error) { return fail(Error(std::move(error.message), Location{name, 0, 0})); };
  const auto member = find_zip_member(archive, "snapshot.json");
  if (!member) return at(member.error());
  auto bytes = grow(nullptr, member->size, name);
  if (!bytes) return fail(std::move(bytes.error()));
  if (auto done = unpack(*member, {bytes->get(), member->size}); !done) return at(std::move(done.error()));
  return Input(std::move(*bytes), member->size, name + "/" + member->name).checked();
}

Result<Input> Input::checked() && {
  std::memset(bytes_.get() + size_, 0, kPadding);
  if (text().starts_with("\xEF\xBB\xBF")) {
    begin_ = 3;
    size_ -= 3;
  }
  if (const auto bad = find_bad_utf8(text())) return fail(Error("is not UTF-8", locate(text(), *bad, name_)));
  // A parser may take such a character for the end of the text.
  if (const auto bad = find_control(text()))
    return fail(Error("has a control character, of code " + std::to_string(static_cast<unsigned char>(text()[*bad])),
                      locate(text(), *bad, name_)));
  return std::move(*this);
}

Result<std::vector<std::string>> input_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (path == "-" || !fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  auto entry = fs::recursive_directory_iterator(path, error);
  while (!error && entry != fs::recursive_directory_iterator()) {
    std::error_code ignored;
    const bool hidden = entry->path().filename().string().starts_with(".");
    if (hidden && entry->is_directory(ignored)) entry.disable_recursion_pending();
    // A pipe or a device would be waited for. What is not there, at the end of a link, is told when it is read.
    const bool readable = entry->is_regular_file(ignored) || !entry->exists(ignored);
    if (!hidden && readable && is_object_file(entry->path())) files.push_back(entry->path().string());
    entry.increment(error);
  }
  if (error) return cannot_read(path, error.message());
  if (files.empty()) return cannot_read(path, "the directory holds no .json, .jsonl, .yaml or .yml file");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace muster
