#include "app/kai_job_name.h"

namespace muster {

std::string full_name(const kai::Session& session, const kai::Job& job) {
  if (!job.ns.empty()) return job.ns + "/" + job.name;
  const auto& books = session.books();
  const auto& pods = books.group(job.id).pods;
  return pods.empty() ? job.name : books.symbols().text(books.pod(pods.front()).ns) + "/" + job.name;
}

}  // namespace muster
