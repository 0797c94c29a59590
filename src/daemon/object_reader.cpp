#include "daemon/object_reader.h"

#include <algorithm>

#include "kube/object_decoder.h"

namespace muster::daemon {
namespace {

constexpr std::size_t kLargestObject = std::size_t{16} << 20;
constexpr kube::Backoff::Settings kPauses = {
    .first = std::chrono::milliseconds(50), .most = std::chrono::milliseconds(500), .jitter = 1.0};
constexpr kube::Duration kLater = std::chrono::seconds(1);  // doubled with every refusal
constexpr kube::Duration kMuchLater = std::chrono::seconds(30);

// Whoever we are, nobody knows us at the moment: what holds for one question holds for all.
bool says_nothing_of_objects(kube::AnswerKind kind) {
  return kind == kube::AnswerKind::kNoAnswer || kind == kube::AnswerKind::kServerFault || kind == kube::AnswerKind::kThrottled ||
         kind == kube::AnswerKind::kUnknownUser;
}

}  // namespace

ObjectReader::ObjectReader(kube::Loop& loop, kube::RandomSource random, OnProblem on_problem)
    : loop_(loop), backoff_(kPauses, std::move(random)), on_problem_(std::move(on_problem)) {}

void ObjectReader::read(kube::ObjectPath path, const KindReader& kind, OnRead on_read) {
  loop_.post([this, question = Question{std::move(path), &kind, std::move(on_read)}]() mutable {
    waiting_.push_back(std::move(question));
    ask_next();
  });
}

void ObjectReader::ask_next() {
  while (!waiting_.empty() && !timer_ && asked_ < (is_away_ ? 1 : kMostAsked)) {
    auto question = std::move(waiting_.front());
    waiting_.pop_front();
    ask(std::move(question));
  }
}

void ObjectReader::ask(Question question) {
  ++asked_;
  kube::HttpRequest request{kube::Method::kGet, question.path.text()};
  kube::ask(loop_, std::move(request), kLargestObject,
            [this, question = std::move(question)](const kube::HttpAnswer& answer) { answered(question, answer); });
}

void ObjectReader::answered(Question question, const kube::HttpAnswer& answer) {
  --asked_;
  const auto judged = kube::judge(answer, loop_.clock().wall());
  if (says_nothing_of_objects(judged.kind)) {
    if (judged.kind == kube::AnswerKind::kUnknownUser) tell_problem(question, answer.status, judged.status.text());
    waiting_.push_back(std::move(question));
    return wait_for_server(judged.retry_after);
  }
  if (std::exchange(is_away_, false)) {
    backoff_.reset();
    if (timer_) loop_.cancel(*timer_);
    timer_.reset();
  }
  // The server is there and does not say: others need not wait for that to change.
  if (const auto problem = take(question, answer, judged)) {
    tell_problem(question, answer.status, *problem);
    ask_later(std::move(question));
  }
  ask_next();
}

void ObjectReader::wait_for_server(std::optional<kube::Duration> asked) {
  is_away_ = true;
  if (timer_) return;
  timer_ = loop_.after(backoff_.next(asked), [this] {
    timer_.reset();
    ask_next();
  });
}

void ObjectReader::ask_later(Question question) {
  constexpr int kMostRefusals = 5;
  const auto delay = std::min(kMuchLater, kLater * (1 << std::min(question.refusals++, kMostRefusals)));
  loop_.after(delay, [this, question = std::move(question)]() mutable {
    waiting_.push_back(std::move(question));
    ask_next();
  });
}

// Why the answer does not say how the object is; nothing: it does.
std::optional<std::string> ObjectReader::take(const Question& question, const kube::HttpAnswer& answer,
                                              const kube::Judged& judged) {
  // One that has just started may not know the kind yet, and then says nothing of the object.
  if (judged.kind == kube::AnswerKind::kMissing && judged.status.reason == "NotFound") {
    question.on_read(std::nullopt);
    return std::nullopt;
  }
  if (judged.kind != kube::AnswerKind::kGood) return judged.status.text();
  auto object = kube::ObjectDecoder(*question.kind).decode_whole(answer.body);
  if (!object) return object.error().text();
  question.on_read(std::move(*object));
  return std::nullopt;
}

void ObjectReader::tell_problem(const Question& question, int status, const std::string& problem) {
  if (on_problem_ && told_.emplace(question.path.plural, status).second)
    on_problem_(question.path.text() + " cannot be read, and is asked for again: " + problem);
}

}  // namespace muster::daemon
