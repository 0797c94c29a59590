#include "daemon/dashboard.h"

#include "base/assert.h"
#include "daemon/web_files.h"
#include "server/conditional.h"

namespace muster::daemon {
namespace {

constexpr std::string_view kPage = "index.html";

// No script and no style but the dashboard's own, no request to anybody else, and no page around it: it asks for a token.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

std::string content_type_of(std::string_view path) {
  if (path.ends_with(".html")) return "text/html; charset=utf-8";
  if (path.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (path.ends_with(".css")) return "text/css; charset=utf-8";
  MUSTER_ASSERT(path.ends_with(".svg"));
  return "image/svg+xml";
}

server::Response response_of(const WebFile& file) {
  return {.status = 200,
          .content_type = content_type_of(file.path),
          .body = std::string(file.content),
          .headers = {{"Cache-Control", "no-cache"},  // asked for again each time, and answered in a line
                      {"Content-Security-Policy", kContentPolicy},
                      {"Referrer-Policy", "no-referrer"}}};
}

}  // namespace

void add_dashboard_routes(server::Router& router) {
  for (const auto& file : web_files()) {
    const auto path = file.path == kPage ? std::string("/") : "/" + std::string(file.path);
    const auto send = [&file](const server::Request& request) -> server::Answer {
      return server::tagged(request, std::string(file.etag), response_of(file));
    };
    router.on(server::Method::kGet, path, send, server::Access::kOpen);
  }
}

}  // namespace muster::daemon
