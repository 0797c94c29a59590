#pragma once

#include <string>

#include "app/http_client.h"
#include "base/result.h"

namespace muster {

// Asks a running scheduler through its JSON API.
class SchedulerClient {
 public:
  // "http://127.0.0.1:8080", with or without a scheme; a token is sent where it is not empty.
  SchedulerClient(std::string server, std::string token);

  // An error: the file cannot be read, or has no token in it. Empty: there is none.
  static Result<SchedulerClient> with_token_file(std::string server, const std::string& path);

  // What is said where nobody answers may name another option than -f that has files looked at instead.
  void files_are_given_by(std::string option) { files_option_ = std::move(option); }

  // What a path such as "/api/v1/jobs" answers with. An error says who answered what, and what may help.
  Result<std::string> get(const std::string& path);
  // The same for what is sent there.
  Result<std::string> post(const std::string& path, std::string body, std::string content_type);
  // The explanation of a job, a pod or a workload, by "namespace/name", or by a name alone that one job or workload has.
  Result<std::string> explain(const std::string& name);

  const std::string& server() const { return server_; }

 private:
  Result<std::string> exchange(HttpRequest request);
  Result<std::string> whole_name(const std::string& name);
  Error failure(const HttpFailure& failure) const;
  Error refusal(const HttpResponse& response) const;

  std::string server_;
  std::string token_;
  std::string files_option_ = "-f";
  HttpClient client_;
};

}  // namespace muster
