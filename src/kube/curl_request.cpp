#include "kube/curl_request.h"

#include <algorithm>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/percent_encoding.h"

namespace muster::kube {
namespace {

constexpr long kKeepAliveIdleSeconds = 30;
constexpr long kKeepAliveEverySeconds = 10;
constexpr unsigned kUnansweredMillis = 45'000;

// A peer that is gone without a word is noticed by the kernel: unanswered data or probes end the connection.
int prepare_socket(void*, curl_socket_t socket, curlsocktype) {
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnansweredMillis, sizeof kUnansweredMillis);
  return CURL_SOCKOPT_OK;
}

void append(CurlList& list, const std::string& line) { list.reset(curl_slist_append(list.release(), line.c_str())); }

// A header's value must not end its line.
std::string one_line(std::string_view text) {
  std::string out(text);
  std::replace_if(out.begin(), out.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  return out;
}

// What a header's name may hold besides.
constexpr std::string_view kHeaderName = "!#$&'*+^`|";

void add_impersonation(CurlList& headers, const Impersonation& who) {
  if (who.user.empty()) return;
  append(headers, "Impersonate-User: " + one_line(who.user));
  if (!who.uid.empty()) append(headers, "Impersonate-Uid: " + one_line(who.uid));
  for (const auto& group : who.groups) append(headers, "Impersonate-Group: " + one_line(group));
  for (const auto& [key, values] : who.extra)
    for (const auto& value : values)
      append(headers, "Impersonate-Extra-" + percent_encoded(key, kHeaderName) + ": " + one_line(value));
}

struct ServerUrl {
  std::string scheme;
  std::string authority;  // host:port as it is written
  std::string path;
};

ServerUrl server_url(const std::string& server) {
  const auto scheme = server.find("://");
  const auto begin = scheme == std::string::npos ? 0 : scheme + 3;
  const auto slash = std::min(server.find('/', begin), server.size());
  return {server.substr(0, begin), server.substr(begin, slash - begin), server.substr(slash)};
}

// "[::1]:6443" and "host" into host and port.
std::pair<std::string, std::string> host_and_port(const ServerUrl& url) {
  const auto colon = url.authority.rfind(':');
  if (colon == std::string::npos || url.authority.find(']', colon) != std::string::npos)
    return {url.authority, url.scheme == "https://" ? "443" : "80"};
  return {url.authority.substr(0, colon), url.authority.substr(colon + 1)};
}

// A certificate for another name: libcurl takes that name from the URL, so the URL has it and the connection goes elsewhere.
std::string url_of(const HttpRequest& request, const Access& access, CurlLists& lists) {
  const auto url = server_url(access.server);
  if (access.tls_server_name.empty()) return access.server + request.path;
  const auto [host, port] = host_and_port(url);
  append(lists.connect_to, access.tls_server_name + ":" + port + ":" + host + ":" + port);
  append(lists.headers, "Host: " + url.authority);
  return url.scheme + access.tls_server_name + ":" + port + url.path + request.path;
}

const char* method_name(Method method) {
  switch (method) {
    case Method::kGet: return "GET";
    case Method::kPost: return "POST";
    case Method::kPut: return "PUT";
    case Method::kPatch: return "PATCH";
    case Method::kDelete: return "DELETE";
  }
  return "GET";
}

void set_blob(CURL* easy, CURLoption option, const std::string& text) {
  // The option only reads, and copies.
  curl_blob blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
  curl_easy_setopt(easy, option, &blob);
}

void set_tls(CURL* easy, const Access& access, const Secrets& secrets) {
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, access.check_certificate ? 1L : 0L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, access.check_certificate ? 2L : 0L);
  if (!secrets.authority.empty()) {
    // Only the cluster's own authority is trusted then, not the machine's.
    curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
    set_blob(easy, CURLOPT_CAINFO_BLOB, secrets.authority);
  }
  if (!secrets.certificate.empty()) {
    set_blob(easy, CURLOPT_SSLCERT_BLOB, secrets.certificate);
    set_blob(easy, CURLOPT_SSLKEY_BLOB, secrets.key);
    curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
    curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
  }
}

long millis(Duration time) {
  return static_cast<long>(std::max<std::int64_t>(1, std::chrono::duration_cast<std::chrono::milliseconds>(time).count()));
}
long seconds(Duration time) {
  return static_cast<long>(std::max<std::int64_t>(1, std::chrono::duration_cast<std::chrono::seconds>(time).count()));
}

void set_times(CURL* easy, const HttpRequest& request, const CurlTimes& times) {
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, millis(times.connect));
  if (request.timeout) curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, millis(*request.timeout));
  if (request.longest_silence) {
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, seconds(*request.longest_silence));
  }
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kKeepAliveEverySeconds);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, prepare_socket);
}

}  // namespace

CurlLists prepare(CURL* easy, const HttpRequest& request, const Access& access, const Secrets& secrets,
                  const std::string& user_agent, const CurlTimes& times) {
  CurlLists lists;
  append(lists.headers, "Accept: application/json");
  append(lists.headers, "Expect:");  // a body is sent at once, not after asking whether it may be
  if (!secrets.authorization.empty()) append(lists.headers, "Authorization: " + one_line(secrets.authorization));
  if (!request.body.empty()) append(lists.headers, "Content-Type: " + request.content_type);
  add_impersonation(lists.headers, access.impersonate);

  curl_easy_setopt(easy, CURLOPT_URL, url_of(request, access, lists).c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, user_agent.c_str());
  curl_easy_setopt(easy, CURLOPT_PROXY, (access.proxy.empty() ? access.environment_proxy : access.proxy).c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");  // that of the environment has been looked at, and says nothing of a kubeconfig's
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method_name(request.method));
  if (!request.is_stream()) curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  if (!request.body.empty()) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  }
  set_times(easy, request, times);
  set_tls(easy, access, secrets);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, lists.headers.get());
  if (lists.connect_to) curl_easy_setopt(easy, CURLOPT_CONNECT_TO, lists.connect_to.get());
  return lists;
}

}  // namespace muster::kube
