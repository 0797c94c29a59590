#include "kube/curl_sockets.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/assert.h"

namespace muster::kube {
namespace {

constexpr int kMostAtOnce = 64;

}  // namespace

CurlSockets::CurlSockets(CURLM* multi, const Clock& clock)
    : multi_(multi), clock_(clock), epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  MUSTER_ASSERT(epoll_ >= 0 && wake_ >= 0);
  watch(wake_, CURL_POLL_IN);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

CurlSockets::~CurlSockets() {
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, nullptr);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, nullptr);
  ::close(wake_);
  ::close(epoll_);
}

int CurlSockets::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
  static_cast<CurlSockets*>(self)->watch(socket, what);
  return 0;
}

int CurlSockets::on_timer(CURLM*, long millis, void* self) {
  auto& sockets = *static_cast<CurlSockets*>(self);
  if (millis < 0)
    sockets.due_.reset();
  else
    sockets.due_ = sockets.clock_.now() + std::chrono::milliseconds(millis);
  return 0;
}

// A socket that was closed is out of the set by itself, and another one may have got its number meanwhile: so what is there already
// is changed, and what is not there is added.
void CurlSockets::watch(curl_socket_t socket, int what) const {
  if (what == CURL_POLL_REMOVE) {
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
    return;
  }
  epoll_event wanted{};
  if ((what & CURL_POLL_IN) != 0) wanted.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) wanted.events |= EPOLLOUT;
  wanted.data.fd = socket;
  if (::epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &wanted) == 0) return;
  MUSTER_EXPECT(errno == ENOENT && ::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &wanted) == 0);
}

void CurlSockets::wake() const {
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_, &one, sizeof one));  // when it is full, it is awake
}

void CurlSockets::take_wakes() const {
  std::uint64_t count = 0;
  static_cast<void>(::read(wake_, &count, sizeof count));
}

int CurlSockets::wait_millis(Duration longest) const {
  auto left = longest;
  if (due_) left = std::min(left, Duration(*due_ - clock_.now()));
  return static_cast<int>(std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(left).count()));
}

void CurlSockets::work(Duration longest) {
  std::array<epoll_event, kMostAtOnce> events{};
  const int count = ::epoll_wait(epoll_, events.data(), kMostAtOnce, wait_millis(longest));
  int running = 0;
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    if (event.data.fd == wake_) {
      take_wakes();
      continue;
    }
    int what = 0;
    if ((event.events & EPOLLIN) != 0) what |= CURL_CSELECT_IN;
    if ((event.events & EPOLLOUT) != 0) what |= CURL_CSELECT_OUT;
    if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) what |= CURL_CSELECT_ERR;
    curl_multi_socket_action(multi_, event.data.fd, what, &running);
  }
  if (due_ && *due_ <= clock_.now()) {
    due_.reset();  // libcurl tells when it wants the next one
    curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
  }
}

}  // namespace muster::kube
