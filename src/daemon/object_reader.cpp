#include "daemon/object_reader.h"

#include "kube/object_decoder.h"

namespace muster::daemon {
namespace {

constexpr std::size_t kLargestObject = std::size_t{16} << 20;
constexpr kube::Backoff::Settings kPauses = {
    .first = std::chrono::milliseconds(50), .most = std::chrono::milliseconds(500), .jitter = 1.0};
constexpr kube::Duration kLater = std::chrono::seconds(1);

bool says_that_server_is_away(kube::AnswerKind kind) {
  return kind == kube::AnswerKind::kNoAnswer || kind == kube::AnswerKind::kServerFault || kind == kube::AnswerKind::kThrottled;
}

}  // namespace

ObjectReader::ObjectReader(kube::Loop& loop, kube::RandomSource random) : loop_(loop), backoff_(kPauses, std::move(random)) {}

void ObjectReader::read(kube::ObjectPath path, const KindReader& kind, OnRead on_read) {
  loop_.post([this, question = Question{std::move(path), &kind, std::move(on_read)}]() mutable {
    if (is_away_)
      waiting_.push_back(std::move(question));
    else
      ask(std::move(question));
  });
}

void ObjectReader::ask(Question question) {
  kube::HttpRequest request{kube::Method::kGet, question.path.text()};
  kube::ask(loop_, std::move(request), kLargestObject,
            [this, question = std::move(question)](const kube::HttpAnswer& answer) { answered(question, answer); });
}

void ObjectReader::answered(Question question, const kube::HttpAnswer& answer) {
  const auto judged = kube::judge(answer, loop_.clock().wall());
  if (says_that_server_is_away(judged.kind)) return wait(std::move(question), judged.retry_after);
  const bool is_told = take(question, answer, judged);
  ask_those_that_wait();
  // The server is there and does not say: others need not wait for that to change.
  if (!is_told) loop_.after(kLater, [this, question = std::move(question)] { ask(question); });
}

void ObjectReader::wait(Question question, std::optional<kube::Duration> asked) {
  is_away_ = true;
  waiting_.push_back(std::move(question));
  if (timer_) return;
  timer_ = loop_.after(backoff_.next(asked), [this] {
    timer_.reset();
    auto first = std::move(waiting_.front());
    waiting_.pop_front();
    ask(std::move(first));
  });
}

void ObjectReader::ask_those_that_wait() {
  if (!std::exchange(is_away_, false)) return;
  backoff_.reset();
  if (timer_) loop_.cancel(*timer_);
  timer_.reset();
  for (auto& question : std::exchange(waiting_, {})) ask(std::move(question));
}

// Whether the answer says how the object is.
bool ObjectReader::take(const Question& question, const kube::HttpAnswer& answer, const kube::Judged& judged) {
  // One that has just started may not know the kind yet, and then says nothing of the object.
  if (judged.kind == kube::AnswerKind::kMissing && judged.status.reason == "NotFound") {
    question.on_read(std::nullopt);
    return true;
  }
  if (judged.kind != kube::AnswerKind::kGood) return false;
  auto object = kube::ObjectDecoder(*question.kind).decode_whole(answer.body);
  if (!object) return false;
  question.on_read(std::move(*object));
  return true;
}

}  // namespace muster::daemon
