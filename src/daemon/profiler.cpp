#include "daemon/profiler.h"

#include <charconv>
#include <optional>

#include "codec/gzip.h"
#include "daemon/pprof.h"
#include "daemon/stack_sampler.h"

namespace muster::daemon {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

constexpr seconds kUsualLength(30);  // as that of the originals
constexpr seconds kLongest(120);
constexpr auto kLookAtClient = std::chrono::milliseconds(200);
constexpr std::size_t kLargestProfile = std::size_t{64} << 20;

std::optional<seconds> length_of(const server::Request& request) {
  const auto text = request.parameter("seconds");
  if (!text) return kUsualLength;
  int number = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), number);
  const bool is_number = read.ec == std::errc() && read.ptr == text->data() + text->size();
  if (!is_number || number < 1 || seconds(number) > kLongest) return std::nullopt;
  return seconds(number);
}

std::int64_t nanos_of(nanoseconds time) { return time.count(); }

}  // namespace

Profiler::~Profiler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Profiler::add_routes(server::Router& router) {
  const auto handler = [this](const server::Request& request) { return begin(request); };
  router.on(server::Method::kGet, "/debug/pprof/profile", handler, server::Access::kPrivate);
}

server::Answer Profiler::begin(const server::Request& request) {
  constexpr int kBadRequest = 400;
  constexpr int kBusy = 503;
  const auto length = length_of(request);
  if (!length)
    return server::error_response(kBadRequest, "seconds is a whole number from 1 to " + std::to_string(kLongest.count()));
  auto stream = std::make_shared<server::Stream>(
      server::Stream::Settings{.content_type = "application/octet-stream", .most_bytes = kLargestProfile, .heartbeat = ""});
  if (request.method == server::Method::kHead) return stream;
  if (is_busy_.exchange(true)) return server::error_response(kBusy, "a profile is being taken for somebody else: try again");
  if (thread_.joinable()) thread_.join();  // of the one before, which is done
  thread_ = std::thread([this, length, stream] {
    take(*length, *stream);
    stream->close();
    is_busy_ = false;
  });
  return stream;
}

void Profiler::take(seconds length, server::Stream& stream) {
  auto sampler = StackSampler::begin();
  if (!sampler) return log_.warn("no profile: " + sampler.error().text());
  const auto began = system_clock::now();
  const auto start = steady_clock::now();
  wait(length, stream);
  const auto samples = (*sampler)->end();
  const ProfileTimes times{.began_nanos = nanos_of(began.time_since_epoch()),
                           .lasted_nanos = nanos_of(steady_clock::now() - start)};
  if (!stream.is_open()) return;
  ProgramSymbols symbols;
  stream.send(gzip(pprof_message(samples, times, symbols)));
  log_.info("a profile was taken", {{"samples", std::to_string(samples.taken)}, {"lost", std::to_string(samples.lost)}});
}

void Profiler::wait(seconds length, const server::Stream& stream) {
  const auto end = steady_clock::now() + length;
  std::unique_lock lock(mutex_);
  while (!stopping_ && stream.is_open() && steady_clock::now() < end)
    changed_.wait_until(lock, std::min(end, steady_clock::now() + kLookAtClient));
}

}  // namespace muster::daemon
