#include "daemon/pod_reader.h"

#include "codec/kinds.h"
#include "kube/api_status.h"

namespace muster::daemon {
namespace {

constexpr std::size_t kLargestPod = std::size_t{16} << 20;
constexpr kube::Backoff::Settings kBackoff = {
    .first = std::chrono::milliseconds(50), .most = std::chrono::seconds(5), .jitter = 1.0};

}  // namespace

void PodReader::read(const kube::Identity& pod) {
  loop_.post([this, pod] { ask(pod, std::make_shared<kube::Backoff>(kBackoff, random_)); });
}

void PodReader::ask(const kube::Identity& pod, std::shared_ptr<kube::Backoff> backoff) {
  const kube::ObjectPath path{.api_version = "v1", .plural = "pods", .ns = pod.ns, .name = pod.name};
  kube::ask(loop_, {kube::Method::kGet, path.text()}, kLargestPod, [this, pod, backoff](kube::HttpAnswer answer) {
    if (!take(pod, answer)) loop_.after(backoff->next(), [this, pod, backoff] { ask(pod, backoff); });
  });
}

// Whether the answer says how the pod is.
bool PodReader::take(const kube::Identity& pod, const kube::HttpAnswer& answer) {
  const auto judged = kube::judge(answer, loop_.clock().wall());
  if (judged.kind == kube::AnswerKind::kMissing) {
    on_read_({pod, std::nullopt});
    return true;
  }
  if (judged.kind != kube::AnswerKind::kGood) return false;
  kube::ObjectDecoder decoder(*find_kind("v1", "Pod"));
  auto object = decoder.decode_whole(answer.body);
  if (!object) return false;
  if (std::get<Pod>(*object).meta.uid != pod.uid)  // another one of that name: the watch tells of both
    on_read_({pod, std::nullopt});
  else
    on_read_({pod, std::move(*object)});
  return true;
}

}  // namespace muster::daemon
