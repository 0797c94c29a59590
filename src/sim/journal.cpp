#include "sim/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/split.h"
#include "codec/deflate.h"

namespace muster::sim {
namespace {

constexpr std::size_t kHeadBytes = 8;
constexpr std::size_t kLargestRecord = std::size_t{64} << 20;

void append_number(std::string& out, std::uint32_t number) {
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>((number >> shift) & 0xFFU);
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (unsigned i = 0; i < 4; ++i) out |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return out;
}

std::string record_of(std::string_view content) {
  std::string out;
  append_number(out, static_cast<std::uint32_t>(content.size()));
  append_number(out, checksum(content));
  return out.append(content);
}

std::string object_record(const Object& object) {
  return record_of(fmt::format(R"({{"revision":{},"object":{}}})", object.revision, object.text));
}

std::string gone_record(const Kind& kind, const Object& object) {
  Tree out = Tree::map();
  out["revision"] = Tree(static_cast<std::int64_t>(object.revision));
  auto& gone = out["gone"];
  gone["apiVersion"] = Tree(kind.api_version());
  gone["kind"] = Tree(kind.kind);
  gone["namespace"] = Tree(object.key.ns);
  gone["name"] = Tree(object.key.name);
  return record_of(out.text());
}

bool write_whole(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Result<std::string> read_whole(int descriptor, std::uint64_t size, const std::string& name) {
  std::string out(size, '\0');
  std::size_t at = 0;
  while (at < out.size()) {
    const auto count = ::pread(descriptor, out.data() + at, out.size() - at, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(name + ": cannot be read: " + std::strerror(errno));
    if (count == 0) break;
    at += static_cast<std::size_t>(count);
  }
  out.resize(at);
  return out;
}

// So that a renamed or new file is still there after a crash.
bool sync_folder(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool done = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return done;
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& path, Store& store) {
  std::unique_ptr<Journal> out(new Journal(path, store));
  if (auto done = out->open_file(); !done) return fail(done.error());
  if (auto done = out->restore(); !done) return fail(done.error());
  return out;
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> Journal::open_file() {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor_ < 0) return fail(path_.string() + ": cannot be opened: " + std::strerror(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) return fail(path_.string() + ": another process has it");
  struct stat about{};
  if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) return fail(path_.string() + ": is no file");
  size_ = static_cast<std::uint64_t>(about.st_size);
  if (!sync_folder(path_)) return fail(path_.string() + ": its folder cannot be synced: " + std::strerror(errno));
  return {};
}

Result<void> Journal::restore() {
  const auto bytes = read_whole(descriptor_, size_, path_.string());
  if (!bytes) return fail(bytes.error());
  std::size_t at = 0;
  while (at < bytes->size()) {
    const auto left = bytes->size() - at;
    const auto length = left < kHeadBytes ? 0 : number_at(*bytes, at);
    const bool is_cut = left < kHeadBytes || length > left - kHeadBytes;
    const auto content = is_cut ? std::string_view() : std::string_view(*bytes).substr(at + kHeadBytes, length);
    const bool is_last = is_cut || at + kHeadBytes + length == bytes->size();
    if (is_cut || checksum(content) != number_at(*bytes, at + 4)) {
      if (!is_last || (is_cut && length > kLargestRecord))
        return fail(fmt::format("{}: the record at byte {} is damaged", path_.string(), at));
      break;  // it was being written when the power went: nobody was told of it
    }
    if (auto done = restore_record(content); !done)
      return fail(fmt::format("{}: the record at byte {}: {}", path_.string(), at, done.error().message));
    at += kHeadBytes + length;
  }
  if (at < bytes->size() && (::ftruncate(descriptor_, static_cast<off_t>(at)) != 0 || ::fdatasync(descriptor_) != 0))
    return fail(path_.string() + ": its last record, which is incomplete, cannot be removed: " + std::strerror(errno));
  size_ = at;
  store_.restore_revision(0);
  return {};
}

Result<void> Journal::restore_record(std::string_view text) {
  const auto record = Tree::parse(text);
  if (!record) return fail(record.error());
  const auto revision = record->integer_at("revision");
  if (!revision || *revision < 0) return fail("has no revision");
  const auto number = static_cast<std::uint64_t>(*revision);
  const auto* object = record->find("object");
  const auto* what = object == nullptr ? record->find("gone") : object;
  if (what != nullptr) {
    const auto* kind = kind_of_object(what->text_at("apiVersion"), what->text_at("kind"));
    if (kind == nullptr) return fail(fmt::format("no such kind here: {} {}", what->text_at("apiVersion"), what->text_at("kind")));
    if (object == nullptr)
      store_.forget(*kind, {std::string(what->text_at("namespace")), std::string(what->text_at("name"))});
    else if (object->text_at("metadata.name").empty())
      return fail("has no name");
    else
      store_.restore(*kind, *object, number);
  }
  store_.restore_revision(number);
  return {};
}

Result<void> Journal::broken(const std::string& doing) {
  failure_ = fmt::format("{}: {}: {}", path_.string(), doing, std::strerror(errno));
  return fail(failure_);
}

Result<void> Journal::append(const Kind& kind, const Change& change) {
  if (!failure_.empty()) return fail(failure_);
  if (size_ > compact_above_)
    if (auto done = compact(); !done) return done;
  const auto record = change.type == ChangeType::kDeleted ? gone_record(kind, *change.now) : object_record(*change.now);
  if (record.size() > kLargestRecord) return fail("the object is too large to be kept");
  if (!write_whole(descriptor_, record)) {
    const auto reason = errno;
    if (::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) return broken("cannot be cut back after a failed write");
    errno = reason;
    return fail(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(reason)));
  }
  if (::fdatasync(descriptor_) != 0) return broken("cannot be synced");
  size_ += record.size();
  return {};
}

Result<void> Journal::compact() {
  auto beside = path_;
  beside += ".new";
  const int fresh = ::open(beside.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (fresh < 0) return fail(beside.string() + ": cannot be opened: " + std::strerror(errno));
  std::string bytes = record_of(fmt::format(R"({{"revision":{}}})", store_.revision()));
  std::uint64_t written = 0;
  bool good = ::flock(fresh, LOCK_EX | LOCK_NB) == 0;
  const auto flush = [&] {
    good = good && write_whole(fresh, bytes);
    written += bytes.size();
    bytes.clear();
  };
  for (const auto& kind : kinds())
    for (const auto& [key, object] : store_.objects(kind)) {
      bytes += object_record(*object);
      if (bytes.size() > (std::size_t{1} << 20)) flush();
    }
  flush();
  if (!good || ::fdatasync(fresh) != 0 || ::rename(beside.c_str(), path_.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    ::close(fresh);
    ::unlink(beside.c_str());
    return fail(beside.string() + ": cannot be written: " + reason);
  }
  ::close(descriptor_);
  descriptor_ = fresh;
  size_ = written;
  compact_above_ = std::max(kSmallFile, 4 * written);
  if (!sync_folder(path_)) return broken("its folder cannot be synced");
  return {};
}

}  // namespace muster::sim
