#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::server {

enum class Method { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions, kOther };
Method method_from(std::string_view text);
std::string_view text_of(Method method);

bool equal_ignoring_case(std::string_view a, std::string_view b);

// Header fields in their order. Names are equal whatever their case.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  // The first one of this name.
  std::optional<std::string_view> find(std::string_view name) const;
  std::size_t count(std::string_view name) const;

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct Request {
  Method method = Method::kGet;
  std::string path = "/";                                       // decoded, without "." and ".." in it
  std::string rest = {};                                        // what follows the prefix under which the handler is registered
  std::vector<std::pair<std::string, std::string>> query = {};  // decoded, in order
  Headers headers = {};
  std::string body = {};
  bool from_loopback = false;  // sent from this machine

  // The first parameter of this name in the query.
  std::optional<std::string_view> parameter(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
  Headers headers = {};  // besides Content-Type, Content-Length, Connection and Date, which are the server's
};

Response json_response(std::string body, int status = 200);
// {"error": "message"}; bytes that are no UTF-8 become U+FFFD.
Response error_response(int status, std::string_view message);

}  // namespace muster::server
