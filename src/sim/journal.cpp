#include "sim/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/split.h"
#include "codec/deflate.h"

namespace muster::sim {
namespace {

constexpr std::string_view kBeginning = "muster journal 2";
constexpr std::size_t kHeadBytes = 8;
constexpr std::string_view kContentBegins = "{\"revision\":";
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
  std::string out(4, '\0');
  append_number(out, static_cast<std::uint32_t>(content.size()));
  out += content;
  std::string sum;
  append_number(sum, checksum(std::string_view(out).substr(4)));
  return out.replace(0, 4, sum);
}

// The content of the record that begins here; nothing where there is no whole one.
std::optional<std::string_view> content_at(std::string_view bytes, std::size_t at) {
  if (bytes.size() - at < kHeadBytes + kContentBegins.size()) return std::nullopt;
  const auto length = number_at(bytes, at + 4);
  const auto content = bytes.substr(at + kHeadBytes, length);
  if (content.size() < length || !content.starts_with(kContentBegins)) return std::nullopt;
  return checksum(bytes.substr(at + 4, 4 + content.size())) == number_at(bytes, at) ? std::optional(content) : std::nullopt;
}

bool has_record_after(std::string_view bytes, std::size_t at) {
  for (auto next = bytes.find(kContentBegins, at + 1 + kHeadBytes); next != std::string_view::npos;
       next = bytes.find(kContentBegins, next + 1))
    if (content_at(bytes, next - kHeadBytes)) return true;
  return false;
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

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& path, Store& store, Log log) {
  std::unique_ptr<Journal> out(new Journal(path, store, std::move(log)));
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
  const std::string_view all = *bytes;
  store_.restore_revision(0);
  if (kBeginning.starts_with(all)) return begin_file();  // it is new, or was about to be made
  if (!all.starts_with(kBeginning)) return fail(path_.string() + ": is no journal that this program writes");
  auto at = kBeginning.size();
  while (at < all.size()) {
    const auto content = content_at(all, at);
    if (!content) {
      if (has_record_after(all, at)) return fail(fmt::format("{}: the record at byte {} is damaged", path_.string(), at));
      break;  // it was being written when the power went: nobody was told of it
    }
    if (auto done = restore_record(*content); !done)
      return fail(fmt::format("{}: the record at byte {}: {}", path_.string(), at, done.error().message));
    at += kHeadBytes + content->size();
  }
  return at < all.size() ? cut_at(at) : Result<void>();
}

Result<void> Journal::begin_file() {
  if (auto cut = cut_at(0); !cut) return cut;
  if (!write_whole(descriptor_, kBeginning) || ::fdatasync(descriptor_) != 0)
    return fail(path_.string() + ": cannot be written: " + std::strerror(errno));
  size_ = kBeginning.size();
  return {};
}

Result<void> Journal::cut_at(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0 || ::fdatasync(descriptor_) != 0)
    return fail(path_.string() + ": its last record, which is incomplete, cannot be removed: " + std::strerror(errno));
  size_ = size;
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
    if (const auto done = compact(); !done) {
      if (!failure_.empty()) return done;
      // What is there can still be written to; it only grows.
      compact_above_ = 2 * size_;
      if (log_) log_(fmt::format("{} is not written anew, and grows: {}", path_.string(), done.error().message));
    }
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
  std::string bytes(kBeginning);
  bytes += record_of(fmt::format(R"({{"revision":{}}})", store_.revision()));
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
