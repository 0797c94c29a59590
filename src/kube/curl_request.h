#pragma once

// What a request, an access and its secrets mean in libcurl's options. Only curl_loop.cpp and its test include this.

#include <curl/curl.h>
#include <memory>

#include "kube/credentials.h"
#include "kube/loop.h"

namespace muster::kube {

struct CurlDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlEasy = std::unique_ptr<CURL, CurlDeleter>;
using CurlList = std::unique_ptr<curl_slist, CurlDeleter>;

// What the options point to and must live as long as the exchange.
struct CurlLists {
  CurlList headers;
  CurlList connect_to;
};

struct CurlTimes {
  Duration connect;
};

// Sets everything but the callbacks. The request's body must outlive the exchange.
CurlLists prepare(CURL* easy, const HttpRequest& request, const Access& access, const Secrets& secrets,
                  const std::string& user_agent, const CurlTimes& times);

}  // namespace muster::kube
