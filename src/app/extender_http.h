#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/http_client.h"
#include "policy/volcano/config.h"
#include "policy/volcano/extender_client.h"

namespace muster {

// Asks an extender over HTTP: a POST of JSON for each question, with the names that the original's structures have. What an answer
// may hold is bounded, and one that is not understood is a failure.
class HttpExtender final : public volcano::ExtenderClient {
 public:
  tl::expected<volcano::ExtenderAnswer, volcano::ExtenderFailure> ask(const volcano::Session& session,
                                                                      const volcano::ExtenderQuestion& question) override;

 private:
  HttpClient http_;
};

// Whether a configuration asks an extender anything.
bool asks_extender(const volcano::Config& config);

// What is sent, and what a body means; for tests.
std::string extender_body(const volcano::Session& session, const volcano::ExtenderQuestion& question);
tl::expected<volcano::ExtenderAnswer, volcano::ExtenderFailure> extender_answer(volcano::ExtenderTopic topic,
                                                                                std::string_view body);

}  // namespace muster
