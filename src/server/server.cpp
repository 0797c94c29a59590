// Everything of Boost.Asio and Boost.Beast that muster uses is in this file, because it is slow to compile. Beast parses; what is
// sent is written by wire.h.

#include "server/server.h"

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <csignal>
#include <ctime>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "base/assert.h"
#include "server/address.h"
#include "server/wire.h"

namespace muster::server {
namespace {

// Asio tells an error twice, in the argument and as the result.
// NOLINTBEGIN(bugprone-unused-return-value)

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Parser = http::request_parser<http::string_body>;

constexpr std::size_t kReadBytes = std::size_t{16} << 10;
constexpr std::size_t kLingerBytes = std::size_t{4} << 20;
constexpr auto kLingerTime = std::chrono::seconds(2);
constexpr auto kAcceptRetry = std::chrono::milliseconds(100);

// Lets other threads wake the loop for as long as there is one.
class Mailbox {
 public:
  explicit Mailbox(asio::io_context& io) : io_(&io) {}
  void post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    if (io_ != nullptr) asio::post(*io_, std::move(work));
  }
  void close() {
    const std::lock_guard lock(mutex_);
    io_ = nullptr;
  }

 private:
  std::mutex mutex_;
  asio::io_context* io_;
};

class Connection;

// What connections need of the loop that they live on.
struct Surroundings {
  const Service& service;
  const Limits& limits;
  std::shared_ptr<Mailbox> mailbox;
  std::function<void()> on_last_gone;
  std::set<std::shared_ptr<Connection>> connections = {};
  bool stopping = false;
};

// One client. Every function runs on the loop's thread. Of reading and writing, one is under way at a time, except in a stream,
// where reading goes on to notice that the client has gone.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Surroundings& around)
      : socket_(std::move(socket)), around_(around), buffer_(around.limits.header_bytes + kReadBytes) {}

  void start();
  // Called about four times within every limit of time.
  void check_time(Clock::time_point now);
  // The server stops: finishes what is being written and nothing else.
  void stop();
  void close();

 private:
  enum class State {
    kIdle,     // waits for the first byte of a request
    kReading,  // has a part of it
    kWaiting,  // for an answer that comes later
    kWriting,  // an answer, as a whole
    kStream,
    kEnding,  // all was written; waits for the client to close
  };

  void begin_request();
  void read();
  void parse();
  void expect_body();
  void on_request();
  void refuse(int status, std::string_view why);
  void reply(Response response);
  void write(std::function<void()> then);

  void wait_for(std::shared_ptr<Deferred> deferred);

  void begin_stream(std::shared_ptr<Stream> stream);
  void watch_for_end();
  void pump();
  void send_piece(std::string_view bytes);

  void linger();
  void discard(std::size_t left);

  void allow(Limits::Duration time) { deadline_ = Clock::now() + time; }
  bool is_reading() const { return state_ == State::kIdle || state_ == State::kReading; }
  bool is_head() const { return parser_->get().method() == http::verb::head; }
  Framing stream_framing() const { return parser_->get().version() >= 11 ? Framing::kChunks : Framing::kUntilClose; }
  Request request();

  tcp::socket socket_;
  Surroundings& around_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  State state_ = State::kIdle;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool open_ = true;
  bool from_loopback_ = false;
  bool keep_alive_ = false;
  bool told_to_continue_ = false;
  std::string head_;  // what is being written: this, then the body
  std::string body_;
  std::shared_ptr<Deferred> deferred_;
  std::shared_ptr<Stream> stream_;
  bool piece_under_way_ = false;
};

bool is_loopback(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
  return address.is_loopback();
}

void Connection::start() {
  error_code ignored;
  from_loopback_ = is_loopback(socket_.remote_endpoint(ignored).address());
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  begin_request();
}

// --- requests ---------------------------------------------------------------------------------------------------------

void Connection::begin_request() {
  if (around_.stopping) return close();
  parser_.emplace();
  parser_->eager(true);
  parser_->header_limit(static_cast<std::uint32_t>(around_.limits.header_bytes));
  parser_->body_limit(around_.limits.body_bytes);
  told_to_continue_ = false;
  state_ = State::kIdle;
  allow(around_.limits.idle);
  parse();  // a client may have sent several requests at once
}

void Connection::read() {
  const auto room = buffer_.max_size() - buffer_.size();
  if (room == 0) return refuse(431, "a line of the request is too long");
  socket_.async_read_some(buffer_.prepare(std::min(room, kReadBytes)),
                          [self = shared_from_this()](error_code error, std::size_t count) {
                            if (!self->open_ || !self->is_reading()) return;
                            if (error) return self->close();
                            self->buffer_.commit(count);
                            self->parse();
                          });
}

void Connection::parse() {
  if (state_ == State::kIdle) {
    // Some clients send an empty line after a body.
    const auto bytes = [this] { return static_cast<const char*>(buffer_.data().data()); };
    while (buffer_.size() > 0 && (*bytes() == '\r' || *bytes() == '\n')) buffer_.consume(1);
    if (buffer_.size() > 0) {
      state_ = State::kReading;
      allow(around_.limits.request);
    }
  }
  if (buffer_.size() > 0) {
    error_code error;
    buffer_.consume(parser_->put(buffer_.data(), error));
    if (error == http::error::header_limit) return refuse(431, "the header of the request is too large");
    if (error == http::error::body_limit) return refuse(413, "the body of the request is too large");
    if (error == http::error::bad_version) return refuse(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
    if (error && error != http::error::need_more) return refuse(400, "this is no HTTP request: " + error.message());
    if (parser_->is_done()) return on_request();
    if (parser_->is_header_done() && !told_to_continue_) return expect_body();
  }
  read();
}

// Asks for the body when the client waits to be asked.
void Connection::expect_body() {
  told_to_continue_ = true;
  const auto expected = parser_->get().find(http::field::expect);
  if (expected == parser_->get().end() || parser_->get().version() < 11) return read();
  if (!equal_ignoring_case({expected->value().data(), expected->value().size()}, "100-continue"))
    return refuse(417, "nothing but 100-continue can be expected");
  head_ = kContinue;
  body_.clear();
  state_ = State::kWriting;
  write([this] {
    if (around_.stopping) return close();
    state_ = State::kReading;
    read();
  });
}

Request Connection::request() {
  auto& message = parser_->get();
  Request out;
  out.method = method_from({message.method_string().data(), message.method_string().size()});
  for (const auto& field : message) out.headers.add(std::string(field.name_string()), std::string(field.value()));
  out.body = std::move(message.body());
  out.from_loopback = from_loopback_;
  return out;
}

void Connection::on_request() {
  keep_alive_ = parser_->get().keep_alive() && !around_.stopping;
  auto asked = request();
  if (parser_->get().version() >= 11 && asked.headers.count("Host") != 1) return refuse(400, "the request needs one Host");
  const std::string target(parser_->get().target());
  auto answer = around_.service.answer(std::move(asked), target);
  if (auto* response = std::get_if<Response>(&answer)) return reply(std::move(*response));
  if (auto* deferred = std::get_if<std::shared_ptr<Deferred>>(&answer)) return wait_for(std::move(*deferred));
  begin_stream(std::get<std::shared_ptr<Stream>>(std::move(answer)));
}

// Nothing is read meanwhile: a client that has gone is noticed when it is written to.
void Connection::wait_for(std::shared_ptr<Deferred> deferred) {
  deferred_ = std::move(deferred);
  state_ = State::kWaiting;
  allow(around_.limits.answer);
  deferred_->attach([mailbox = around_.mailbox, self = weak_from_this(), asked = std::weak_ptr(deferred_)] {
    mailbox->post([self, asked] {
      const auto connection = self.lock();
      if (!connection || !connection->open_ || connection->state_ != State::kWaiting) return;
      if (connection->deferred_ != asked.lock()) return;  // of an earlier request
      if (auto response = connection->deferred_->take()) connection->reply(std::move(*response));
    });
  });
}

// Answers what could not be read to its end; where a next request would begin is unknown.
void Connection::refuse(int status, std::string_view why) {
  keep_alive_ = false;
  error_code ignored;
  socket_.cancel(ignored);  // reading, when its time was over
  reply(error_response(status, why));
}

void Connection::reply(Response response) {
  deferred_.reset();
  head_ = head_text(response, Framing::kLength, response.body.size(), keep_alive_, std::time(nullptr));
  body_ = is_head() || is_bodiless(response.status) ? std::string() : std::move(response.body);
  state_ = State::kWriting;
  allow(around_.limits.write);
  write([this] {
    body_ = {};  // an idle connection keeps no answer
    keep_alive_ ? begin_request() : linger();
  });
}

void Connection::write(std::function<void()> then) {
  const std::array<asio::const_buffer, 2> pieces = {asio::buffer(head_), asio::buffer(body_)};
  asio::async_write(socket_, pieces, [self = shared_from_this(), then = std::move(then)](error_code error, std::size_t) {
    if (!self->open_) return;
    if (error) return self->close();
    then();
  });
}

// --- streams ----------------------------------------------------------------------------------------------------------

void Connection::begin_stream(std::shared_ptr<Stream> stream) {
  stream_ = std::move(stream);
  Response head{200, stream_->settings().content_type, {}, {{"Cache-Control", "no-cache"}}};
  head_ = head_text(head, stream_framing(), 0, /*keep_alive=*/false, std::time(nullptr));
  body_.clear();
  state_ = State::kStream;
  piece_under_way_ = true;
  stream_->attach([mailbox = around_.mailbox, self = weak_from_this()] {
    mailbox->post([self] {
      if (const auto connection = self.lock()) connection->pump();
    });
  });
  allow(around_.limits.write);
  if (is_head()) return write([this] { linger(); });
  watch_for_end();
  write([this] {
    piece_under_way_ = false;
    pump();
  });
}

// A client that sends more while it listens is not answered, and after a while no longer listened to.
void Connection::watch_for_end() {
  if (buffer_.size() >= kReadBytes) return;
  socket_.async_read_some(buffer_.prepare(kReadBytes), [self = shared_from_this()](error_code error, std::size_t count) {
    if (!self->open_ || self->state_ != State::kStream) return;
    if (error) return self->close();
    self->buffer_.commit(count);
    self->watch_for_end();
  });
}

void Connection::pump() {
  if (!open_ || state_ != State::kStream || piece_under_way_) return;
  auto taken = stream_->take();
  if (taken.state == Stream::State::kGone) return close();
  if (!taken.bytes.empty()) return send_piece(taken.bytes);
  if (taken.state == Stream::State::kOpen) return allow(around_.limits.heartbeat);
  head_ = stream_framing() == Framing::kChunks ? kLastChunk : "";
  write([this] { linger(); });
  piece_under_way_ = true;
  allow(around_.limits.write);
}

void Connection::send_piece(std::string_view bytes) {
  head_ = stream_framing() == Framing::kChunks ? chunk_text(bytes) : std::string(bytes);
  piece_under_way_ = true;
  allow(around_.limits.write);
  write([this] {
    piece_under_way_ = false;
    pump();
  });
}

// --- the end ----------------------------------------------------------------------------------------------------------

// Closing while bytes are unread would destroy the answer on its way. So we say that nothing more comes, and wait for the client to
// go.
void Connection::linger() {
  if (around_.stopping) return close();
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  if (stream_) {
    socket_.cancel(ignored);
    stream_->detach();
  }
  state_ = State::kEnding;
  allow(kLingerTime);
  discard(kLingerBytes);
}

void Connection::discard(std::size_t left) {
  buffer_.clear();
  socket_.async_read_some(buffer_.prepare(kReadBytes), [self = shared_from_this(), left](error_code error, std::size_t count) {
    if (!self->open_) return;
    if (error || count >= left) return self->close();
    self->discard(left - count);
  });
}

void Connection::check_time(Clock::time_point now) {
  if (now < deadline_) return;
  if (state_ == State::kReading) return refuse(408, "the request took too long");
  if (state_ == State::kWaiting) return reply(error_response(503, "there is no answer yet: try again"));
  if (state_ != State::kStream || piece_under_way_) return close();
  if (stream_->settings().heartbeat.empty()) return allow(around_.limits.heartbeat);
  send_piece(stream_->settings().heartbeat);
}

void Connection::stop() {
  keep_alive_ = false;
  if (state_ == State::kStream) return stream_->close();
  if (state_ != State::kWriting) close();
}

void Connection::close() {
  if (!open_) return;
  open_ = false;
  error_code ignored;
  socket_.close(ignored);
  if (stream_) stream_->detach();
  around_.connections.erase(shared_from_this());
  if (around_.connections.empty()) around_.on_last_gone();
}

}  // namespace

// --- the loop ---------------------------------------------------------------------------------------------------------

class Server::Loop {
 public:
  Loop(Settings settings, Router router)
      : settings_(std::move(settings)), service_(std::move(router), settings_.guard, settings_.log) {}
  ~Loop() {
    stop();
    around_.mailbox->close();
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Result<void> start();
  void stop();
  std::uint16_t port() const { return port_; }

 private:
  Result<void> bind();
  error_code listen_at(const tcp::endpoint& endpoint);
  void run();
  void accept();
  void admit(tcp::socket socket);
  void turn_away(tcp::socket socket) const;
  void begin_stop();
  void tick();
  Limits::Duration tick_time() const;

  Settings settings_;
  Service service_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer ticker_{io_};
  asio::steady_timer accept_again_{io_};
  bool ticking_ = false;
  bool cannot_accept_ = false;  // and it has been said
  Clock::time_point stop_deadline_ = Clock::time_point::max();
  Surroundings around_{service_, settings_.limits, std::make_shared<Mailbox>(io_), [this] { ticker_.cancel(); }};
  std::uint16_t port_ = 0;
  std::mutex stop_mutex_;
  std::thread thread_;
};

error_code Server::Loop::listen_at(const tcp::endpoint& endpoint) {
  error_code error;
  acceptor_.close(error);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && endpoint.address().is_v6()) acceptor_.set_option(asio::ip::v6_only(!endpoint.address().is_unspecified()), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  return error;
}

Result<void> Server::Loop::bind() {
  const auto address = parse_listen_address(settings_.listen);
  if (!address) return fail(address.error());
  error_code error;
  if (address->host.empty()) {
    error = listen_at({tcp::v6(), address->port});
    // A machine may have no IPv6 at all.
    if (error && error != asio::error::address_in_use && error != asio::error::access_denied)
      error = listen_at({tcp::v4(), address->port});
  } else {
    error = listen_at({asio::ip::make_address(address->host), address->port});
  }
  if (error) return fail("cannot listen on \"" + settings_.listen + "\": " + error.message());
  port_ = acceptor_.local_endpoint().port();
  return {};
}

Result<void> Server::Loop::start() {
  MUSTER_ASSERT(!thread_.joinable() && !around_.stopping);
  if (auto bound = bind(); !bound) return bound;
  accept();
  // Signals are for the threads that wait for them.
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  sigdelset(&all, SIGPROF);  // means the thread that uses the processor: where it is blocked, another one would get the blame
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return {};
}

void Server::Loop::run() {
  for (bool done = false; !done;) {
    try {
      io_.run();
      done = true;
    } catch (const std::exception& error) {
      service_.log(std::string("HTTP server: ") + error.what());  // its connection is closed when its time is over
    }
  }
}

void Server::Loop::accept() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (around_.stopping) return;
    if (!error) {
      cannot_accept_ = false;
      accept();
      return admit(std::move(socket));
    }
    // Most likely there are no file descriptors left.
    if (!std::exchange(cannot_accept_, true)) service_.log("HTTP server: cannot accept a connection: " + error.message());
    accept_again_.expires_after(kAcceptRetry);
    accept_again_.async_wait([this](error_code cancelled) {
      if (!cancelled) accept();
    });
  });
}

void Server::Loop::admit(tcp::socket socket) {
  if (around_.connections.size() >= settings_.limits.connections) return turn_away(std::move(socket));
  const auto connection = std::make_shared<Connection>(std::move(socket), around_);
  around_.connections.insert(connection);
  connection->start();
  if (!std::exchange(ticking_, true)) tick();
}

// As far as it can be told without waiting for this client.
void Server::Loop::turn_away(tcp::socket socket) const {
  const auto response = error_response(503, "too many connections");
  const auto text =
      head_text(response, Framing::kLength, response.body.size(), /*keep_alive=*/false, std::time(nullptr)) + response.body;
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(text), ignored);
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

Limits::Duration Server::Loop::tick_time() const {
  const auto& limits = settings_.limits;
  const auto shortest = std::min({limits.idle, limits.request, limits.answer, limits.write, limits.heartbeat, limits.stop});
  return std::clamp(shortest / 4, Limits::Duration(10), Limits::Duration(1000));
}

// Looks after the time of all connections, for as long as there are some.
void Server::Loop::tick() {
  ticker_.expires_after(tick_time());
  ticker_.async_wait([this](error_code) {
    ticking_ = !around_.connections.empty();
    if (!ticking_) return;
    tick();
    const auto now = Clock::now();
    const auto connections = around_.connections;
    for (const auto& connection : connections) now < stop_deadline_ ? connection->check_time(now) : connection->close();
  });
}

void Server::Loop::begin_stop() {
  around_.stopping = true;
  stop_deadline_ = Clock::now() + settings_.limits.stop;
  error_code ignored;
  acceptor_.close(ignored);
  accept_again_.cancel();
  const auto connections = around_.connections;
  for (const auto& connection : connections) connection->stop();
}

void Server::Loop::stop() {
  const std::lock_guard lock(stop_mutex_);
  if (!thread_.joinable()) return;
  MUSTER_ASSERT(std::this_thread::get_id() != thread_.get_id());
  asio::post(io_, [this] { begin_stop(); });
  thread_.join();
}

Server::Server(Settings settings, Router router) : loop_(std::make_unique<Loop>(std::move(settings), std::move(router))) {}
Server::~Server() = default;
Result<void> Server::start() { return loop_->start(); }
void Server::stop() { loop_->stop(); }
std::uint16_t Server::port() const { return loop_->port(); }

// NOLINTEND(bugprone-unused-return-value)

}  // namespace muster::server
