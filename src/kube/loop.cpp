#include "kube/loop.h"

namespace muster::kube {
namespace {

class Collector final : public HttpHandler {
 public:
  Collector(std::size_t largest, std::function<void(HttpAnswer)> on_answer) : largest_(largest), on_answer_(std::move(on_answer)) {}

  void on_head(const HttpHead& head) override {
    answer_.status = head.status;
    answer_.retry_after = head.retry_after;
  }
  Flow on_body(std::string_view piece) override {
    const auto room = largest_ - answer_.body.size();
    too_long_ = too_long_ || piece.size() > room;
    answer_.body.append(piece.substr(0, room));
    return Flow::kGoOn;
  }
  void on_end(const HttpEnd& end) override {
    answer_.failure = end.failure;
    answer_.was_sent = end.was_sent;
    if (too_long_ && answer_.failure.empty()) answer_.failure = "the answer has more than " + std::to_string(largest_) + " bytes";
    on_answer_(std::move(answer_));
  }

 private:
  std::size_t largest_;
  std::function<void(HttpAnswer)> on_answer_;
  HttpAnswer answer_;
  bool too_long_ = false;
};

}  // namespace

CallId ask(Loop& loop, HttpRequest request, std::size_t largest, std::function<void(HttpAnswer)> on_answer) {
  return loop.send(std::move(request), std::make_shared<Collector>(largest, std::move(on_answer)));
}

}  // namespace muster::kube
